"""What `collect` and `ingest` print at their end: how much of which agents, and its target."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from stationmaster.cli.printing import output
from stationmaster.cli.printing.table import counted, printable
from stationmaster.client.collecting.reading import CollectionSummary

_NAMED_MAX = 20
"""Unreadable files that one run names."""


def print_summary(
    summary: CollectionSummary,
    to: str | None,
    last_news_ms: int | None,
    json: bool,
    requests: int = 0,
    unknown: int = 0,
) -> None:
    """Print `result`, and what could not be read."""
    for path in summary.unreadable[:_NAMED_MAX]:
        output.remark(f"skipped, it may not be read now: {path}")
    out, remark = result(summary, to, last_news_ms, json, requests, unknown)
    sys.stdout.write(out)
    sys.stderr.write(remark)


def result(
    summary: CollectionSummary,
    to: str | None,
    last_news_ms: int | None,
    json: bool,
    requests: int = 0,
    unknown: int = 0,
) -> tuple[str, str]:
    """The texts for standard output and standard error.

    `to` is a server's address or a data folder, None where nothing is stored; `last_news_ms` is
    when something new was last collected for it. `requests` recorded bodies were sent, `unknown`
    files were passed over.
    """
    skipped = unknown + len(summary.unreadable)
    if json:
        return output.json_text(_members(summary, requests, skipped)), ""
    lines = []
    if summary.files or requests:
        lines.append(_amounts(summary, requests, to))
    elif last_news_ms is None:
        lines.append("No session files of a coding agent were found.")
    else:
        stored = "" if to is None else f" All of it is in {to}."
        lines.append(f"Nothing new since {output.moment(last_news_ms)} UTC.{stored}")
    if skipped:
        lines.append(f"{counted(skipped, 'file')} skipped.")
    return "", "".join(f"{printable(line)}\n" for line in lines)


def print_next(is_server: bool, data_dir: Path | None) -> None:
    """After the first collection: how to view it."""
    if is_server:
        output.remark("Next: `stationmaster collect install` repeats this at every sign-in.")
        return
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    output.remark("Next, a report of the last seven closed days; today is not in it:")
    output.remark(f"  stationmaster analytics activity{where}")


def _amounts(summary: CollectionSummary, requests: int, to: str | None) -> str:
    events = sum(summary.events.values())
    parts = []
    if summary.files:
        size = f"{summary.size_bytes / 1e6:,.1f} MB"
        parts.append(f"{counted(summary.files, 'session file')} ({size})")
    if requests:
        parts.append(f"{counted(requests, 'recorded request')}")
    if summary.files:
        agents = sorted(summary.agents.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{agent} {count:,}" for agent, count in agents)
        parts.append(f"{counted(events, 'event')}{f' ({named})' if named else ''}")
    return ", ".join(parts) + ("" if to is None else f" to {to}")


def _members(summary: CollectionSummary, requests: int, skipped: int) -> dict[str, object]:
    return {
        "files": summary.files,
        "bytes": summary.size_bytes,
        "requests": requests,
        "skipped_files": skipped,
        "events": dict(sorted(summary.events.items())),
        "agents": dict(sorted(summary.agents.items())),
        "tokens": summary.tokens,
        "drops": dict(sorted(summary.drops.items())),
    }
