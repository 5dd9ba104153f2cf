"""What every single source of every recorded version says, against what truly happened."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from stationmaster.agents.interface import Intake
from stationmaster.events.model import Event, merge
from stationmaster.ingest import otlp
from tests.agents.counting import tools_run
from tests.support import recordings, tellings
from tests.support.recordings import VERSIONS
from tests.support.tellings import RECORDED_MS

Signal = Literal["logs", "metrics", "traces"]
CLAUDE = [version for version, agent in VERSIONS.items() if agent == "claude-code"]
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")

EXPORTED = [
    (version, signal)
    for version in VERSIONS
    if (recordings.folder(version) / "otlp").is_dir()
    for signal in ("logs", "metrics", "traces")
    if recordings.bodies(version, signals=(signal,))
]
HIDDEN_COMMANDS = frozenset(v for v in CLAUDE if v not in ("claude-2.0.60", "claude-2.1.39"))
"""Exports of these do not name the command of the person's session, and so not its commit."""
UNSAID_FAILURES = frozenset({"claude-2.1.90"})
"""Exports of this one leave a call out whose arguments were refused before it ran."""


@cache
def exported(version: str, signal: Signal) -> tuple[Event, ...]:
    events = []
    for body in recordings.bodies(version, signals=(signal,)):
        decoded = otlp.decode(
            signal,
            body.content_type,
            body.content_encoding or None,
            body.data,
            received_ms=RECORDED_MS,
            body_max=2**26,
        )
        assert decoded.rejected == 0
        assert not [drop for drop in decoded.drops if "unknown" in drop[2]]
        events += decoded.events
    return once(events)


@cache
def filed(version: str) -> tuple[Event, ...]:
    home = recordings.folder(version) / "transcripts"
    product = VERSIONS[version]
    events: list[Event] = []
    for file in tellings.files_of(product, home):
        lines = Path(file.path).read_bytes().splitlines(keepends=True)
        for piece in tellings.read(tellings.known(product), file.path, lines, [len(lines)]):
            events += piece
    return once(events)


@cache
def hooked(version: str) -> tuple[Event, ...]:
    intake = Intake()
    for number, (event, given) in enumerate(recordings.hooks_by_event(version)):
        tellings.known(VERSIONS[version]).hook(event, given, RECORDED_MS + number, intake)
    assert intake.invalid == []
    return tuple(intake.events)


def once(events: list[Event]) -> tuple[Event, ...]:
    """The events with each id once."""
    found: dict[str, Event] = {}
    for event in events:
        known = found.setdefault(event.event_id, event)
        if known is not event:
            merge(known, event)
    return tuple(found.values())


def tokens_by_model(events: tuple[Event, ...]) -> dict[str, list[int]]:
    """The four figures and, of single calls, their number, by model."""
    found: dict[str, list[int]] = {}
    for event in events:
        if event.kind == "model_call":
            row = found.setdefault(event.model or "", [0, 0, 0, 0, 0])
            for place, field in enumerate(TOKENS):
                row[place] += getattr(event, field) or 0
            row[4] += not event.is_aggregate
    return found


def said(version: str, begins: str) -> dict[str, list[int]]:
    """What sources.json has of the source whose name begins so."""
    sources = recordings.sources(version)["sources"]
    [name] = [name for name in sources if name.startswith(begins)]
    by_model: dict[str, list[int]] = sources[name]["by_model"]
    return by_model


def happened(version: str) -> dict[str, list[int]]:
    """The calls of all sessions by the model that was asked, from expected.json."""
    found: dict[str, list[int]] = {}
    for session in recordings.expected(version):
        for model, figures in session["tokens_by_model"].items():
            row = found.setdefault(model, [0, 0, 0, 0, 0])
            cached = figures["cache_read"], figures["cache_write"] or 0
            output = figures["output_with_reasoning"]
            for place, figure in enumerate(
                (figures["input_not_cached"], *cached, output, figures["calls"])
            ):
                row[place] += figure
    return found


def tools(events: tuple[Event, ...]) -> dict[str, int]:
    ran = [e for e in events if e.kind == "tool_call" and e.decision != "reject"]
    return dict(Counter(e.tool_raw or "" for e in ran for _ in range(e.count)))


def tools_that_ran(version: str) -> dict[str, int]:
    return dict(sum((tools_run(s) for s in recordings.expected(version)), Counter()))


def number(events: tuple[Event, ...], kind: str) -> int:
    return sum(e.count for e in events if e.kind == kind and not e.is_auxiliary)


def total(version: str, what: str) -> int:
    sessions: list[dict[str, Any]] = list(recordings.expected(version))
    if what == "git_commits":
        return sum(len(session[what]) for session in sessions)
    return sum(session[what] for session in sessions)


def hooks_by_event(events: tuple[Event, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    for event in events:
        if event.kind == "hook":
            found[event.hook_event or ""] += event.count
    return found


@pytest.mark.parametrize(("version", "signal"), EXPORTED)
def test_an_export_alone_has_the_tokens_of_every_model(version: str, signal: Signal) -> None:
    is_claude_counter = signal == "metrics" and version in CLAUDE
    expected = said(version, "otlp_metrics" if is_claude_counter else "otlp_logs")
    if signal == "metrics":
        expected = {model: [*row[:4], 0] for model, row in expected.items()}
    assert tokens_by_model(exported(version, signal)) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_session_files_alone_have_the_tokens_of_every_model(version: str) -> None:
    is_running_total = VERSIONS[version] == "codex"
    expected = happened(version) if is_running_total else said(version, "transcripts")
    assert tokens_by_model(filed(version)) == expected


@pytest.mark.parametrize(("version", "signal"), EXPORTED)
def test_an_export_alone_has_the_tools_that_ran(version: str, signal: Signal) -> None:
    expected = tools_that_ran(version)
    if version in CLAUDE and signal == "metrics":
        # Claude Code has no counter of them.
        expected = {}
    elif version in UNSAID_FAILURES:
        expected = expected | {"Edit": 0}
    assert tools(exported(version, signal)) == {tool: n for tool, n in expected.items() if n}


@pytest.mark.parametrize("version", VERSIONS)
def test_session_files_alone_have_the_tools_that_ran(version: str) -> None:
    assert tools(filed(version)) == tools_that_ran(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_session_files_alone_have_messages_and_commits(version: str) -> None:
    assert number(filed(version), "user_message") == total(version, "user_messages")
    assert number(filed(version), "git_commit") == total(version, "git_commits")


@pytest.mark.parametrize("version", [v for v, signal in EXPORTED if signal == "logs"])
def test_logs_alone_have_messages_and_commits(version: str) -> None:
    hidden = 1 if version in HIDDEN_COMMANDS else 0
    assert number(exported(version, "logs"), "user_message") == total(version, "user_messages")
    commits = total(version, "git_commits") - hidden
    assert number(exported(version, "logs"), "git_commit") == commits


@pytest.mark.parametrize("version", CLAUDE)
def test_counters_of_claude_code_have_the_commits(version: str) -> None:
    commits = number(exported(version, "metrics"), "git_commit")
    assert commits == total(version, "git_commits")


@pytest.mark.parametrize("version", CLAUDE)
def test_our_hook_counts_every_hook_by_event(version: str) -> None:
    ran = Counter(event for event, _ in recordings.hooks_by_event(version))
    assert hooks_by_event(hooked(version)) == ran


@pytest.mark.parametrize("version", [v for v in CLAUDE if v.startswith("claude-2.1.1")])
def test_exports_count_the_hooks_of_the_person_alone(version: str) -> None:
    ran = Counter(event for event, _ in recordings.hooks_by_event(version))
    # A process has sent its last records before it ends.
    del ran["SessionEnd"]
    found = hooks_by_event(exported(version, "logs"))
    # One hook of 2.1.120 left no file.
    assert found - ran in (Counter(), Counter({"PreToolUse": 1}))
    assert ran - found == Counter()


@pytest.mark.parametrize("version", CLAUDE)
def test_figures_of_half_told_answers_are_marked(version: str) -> None:
    """An output that is less than what truly came says that it is a lower bound."""
    for events in (exported(version, "logs"), filed(version)):
        calls = [e for e in events if e.kind == "model_call"]
        unmarked = [e for e in calls if not (e.quality or "").count("output_lower_bound")]
        whole_answers = {
            call["usage"]["output"]
            for session in recordings.expected(version)
            for call in session["calls"]
            if call.get("usage")
        }
        assert {e.output_tokens for e in unmarked} <= whole_answers | {6}
