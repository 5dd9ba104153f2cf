"""The recorded sessions of every agent and version, counted from any of their sources.

All recordings are counted at once, each as a person of its own.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from stationmaster import days
from stationmaster.agents.interface import Intake, blank
from stationmaster.agents.values import model_name
from stationmaster.aggregate.engines import metrics
from stationmaster.aggregate.engines.duckdb import DuckDbEngine
from stationmaster.aggregate.engines.metrics import Counts
from stationmaster.aggregate.inputs import belonging
from stationmaster.aggregate.keys import Keys
from stationmaster.events.model import Event, event_id
from stationmaster.lake.schema import to_table
from stationmaster.pricing.credits import rates
from stationmaster.settings import Settings
from tests.support import recordings, tellings

NAMES = (*recordings.EVERY, *recordings.VERSIONS)
DAY = days.of_ms(tellings.RECORDED_MS)
_LATER_MS = tellings.RECORDED_MS + 2 * days.MS_PER_DAY
"""After the recordings of all versions."""
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
Figures = Counter[str]
"""Counters of one recording: tokens by type, `calls`, `tool NAME`, `hook EVENT`, …"""


def events_of(name: str, folder: Path) -> list[Event]:
    """All that every source of a recording reports, as one person's."""
    events = [event for piece in _exported(name) + _filed(name, folder) for event in piece]
    events += _hooked(name, events)
    events += _passed(name, events)
    [attributed] = tellings.attributed([events], _LATER_MS)
    for event in attributed:
        event.user_id, event.user_source = name, "email"
    return attributed


def _exported(name: str) -> list[list[Event]]:
    return tellings.exported(name, received_ms=_LATER_MS)


def _filed(name: str, folder: Path) -> list[list[Event]]:
    shutil.copytree(recordings.folder(name) / "transcripts", folder, dirs_exist_ok=True)
    product = recordings.VERSIONS.get(name, name)
    return tellings.filed(product, folder)


def _hooked(name: str, others: list[Event]) -> list[Event]:
    """The hooks of each session, spread over the time in which its other events are: recorded
    hooks do not say when they came."""
    times: dict[str | None, list[int]] = defaultdict(list)
    for event in others:
        if not event.is_aggregate:
            times[event.root_session_id].append(event.ts)
    hooks = defaultdict(list)
    for path in sorted((recordings.folder(name) / "hooks").glob("*.json")):
        given = msgspec.json.decode(path.read_bytes())
        session = given.get("session_id") or given.get("conversation_id") or given.get("sessionId")
        hooks[session].append((path.stem.rsplit("-", 1)[1], given))
    agent = tellings.known(recordings.VERSIONS.get(name, name))
    intake = Intake()
    for session, told in hooks.items():
        first, last = min(times[session], default=0), max(times[session], default=0)
        for number, (event, given) in enumerate(told):
            agent.hook(event, given, first + (last - first) * number // len(told), intake)
    return intake.events


def _passed(name: str, others: list[Event]) -> list[Event]:
    """The calls of each session as a gateway reports them that is told of no session and no
    request, spread over the time in which the session's other events are."""
    product = recordings.VERSIONS.get(name, name)
    ended = [e for e in others if not e.is_aggregate]
    events = []
    for session in recordings.expected(name):
        ids = {session["session_id"], *session.get("session_ids", [])}
        times = [event.ts for event in ended if ids & {event.session_id, event.root_session_id}]
        answered = [
            call
            for call in session.get("calls", [])
            if call["http_status"] == 200 and call["kind"] != "aborted"
        ]
        first, last = min(times, default=0), max(times, default=0)
        for number, call in enumerate(answered):
            event = blank(product, "model_call", "gateway")()
            event.event_id = event_id(product, "model_call", name, session["run"], str(number))
            event.ts = first + (last - first) * number // len(answered)
            event.model = model_name(call.get("model") or session["model"])
            usage = call["usage"]
            # Where sessions have none, the provider reported what it wrote into caches as input.
            written = 0 if session["tokens"]["cache_write"] is None else usage["cache_write"]
            event.input_tokens = usage["input"] + usage["cache_write"] - written
            event.cache_read_tokens, event.cache_write_tokens = usage["cache_read"], written
            event.output_tokens = usage["output"]
            events.append(event)
    return events


def counted(events: Iterable[Event], folder: Path) -> dict[str, Figures]:
    """The figures of every recording, from these events alone."""
    engine = DuckDbEngine(Settings(data_dir=folder), threads=1)
    try:
        engine.register("present", to_table(list(events)))
        belonging.put_into_sessions(engine)
        return _figures(
            metrics.count(engine, Keys([DAY]), rates.card(), pa.table({}), are_few=True)[DAY]
        )
    finally:
        engine.close()


def _figures(counts: Counts) -> dict[str, Figures]:
    found: dict[str, Figures] = defaultdict(Counter)
    slices = [row["user_id"] for row in counts.slices.sort_by("slice").to_pylist()]

    def rows(table: pa.Table) -> Iterator[tuple[Figures, dict[str, Any]]]:
        for row in table.to_pylist():
            yield found[slices[row["slice"]]], row

    for figures, row in rows(counts.tokens):
        figures.update({field: row[field] for field in TOKENS})
        figures["answers"] += row["assistant_messages"]
    for figures, row in rows(counts.tools):
        figures[f"tool {row['tool']}"] += row["calls"]
    for figures, row in rows(counts.names):
        # Sources may know a command by another of its names.
        name = "" if row["kind"] == "slash_command" else row["name"]
        figures[f"{row['kind']} {name}".strip()] += row["calls"]
    for figures, row in rows(counts.people):
        figures["user_messages"] += row["user_messages"]
        figures["answers"] += row["assistant_messages"]
    for figures, row in rows(counts.git):
        figures["commits"] += row["git_commits"]
        figures["pull requests"] += row["git_prs_created"]
    for figures, row in rows(counts.file_changes):
        figures["files"] += row["created"] + row["edited"]
    for figures, row in rows(counts.active_sessions):
        figures["sessions"] += row["is_first"]
    return found
