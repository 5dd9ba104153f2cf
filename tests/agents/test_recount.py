"""The tokens of the public sample transcripts, counted a second time by the plainest means.

Nothing of Stationmaster is used to recount: `json.loads`, dictionaries, and the rules as
docs/accuracy.md states them. It knows nothing of events, sources or days.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from stationmaster.agents import recognition
from tests.agents.filed import PUBLIC, of_file

Totals = tuple[int, int, int, int]
"""Input without what was cached, output with reasoning, read from a cache, written to one."""
Calls = dict[Any, Totals]
"""By what tells one model call from another."""
pytestmark = pytest.mark.skipif(not PUBLIC.is_dir(), reason="the samples are not here")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
NAMES = {
    "claude-code": "Claude Code",
    "codex-cli": "Codex",
    "copilot-cli": "GitHub Copilot CLI",
    "cursor": "Cursor",
    "droid": "Droid",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
    "qwen-code": "Qwen Code",
}
FAMILIES = sorted((PUBLIC / "codex-cli" / "CodexBar" / "Issue2037").glob("*/"))


def samples() -> list[Any]:
    files = sorted(path for path in PUBLIC.rglob("*") if path.suffix in (".jsonl", ".json"))
    return [pytest.param(path, id=str(path.relative_to(PUBLIC))) for path in files]


@pytest.mark.parametrize("path", samples())
def test_tokens_of_a_file_equal_a_plain_recount(path: Path) -> None:
    recount = RECOUNTS[path.relative_to(PUBLIC).parts[0]]

    assert told(path) == total(recount(path))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda path: path.name)
def test_a_history_that_forks_share_is_paid_for_once(family: Path) -> None:
    calls: Calls = {}
    events = {}
    for path in sorted(family.rglob("*.jsonl")):
        calls |= of_codex(path)
        events |= {e.event_id: e for e in of_file("codex", path).events if e.kind == "model_call"}

    assert added(figures(event) for event in events.values()) == total(calls)


def test_a_resumed_session_that_repeats_another_ones_calls_adds_only_its_own() -> None:
    calls: Calls = {}
    events = {}
    for path in sorted((PUBLIC / "claude-code" / "vscode-copilot-chat").rglob("*.jsonl")):
        for key, call in of_claude(path).items():
            calls[key] = max(calls.get(key, call), call, key=lambda figures: figures[1])
        found = of_file("claude-code", path).events
        events |= {event.event_id: event for event in found if event.kind == "model_call"}

    assert added(figures(event) for event in events.values()) == total(calls)


def test_the_documented_totals_are_those_of_the_samples() -> None:
    documented = {}
    for line in DOCUMENT.read_text().split("## Where another")[0].splitlines():
        name, *cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0].isdecimal():
            documented[name] = [int(cell) for cell in cells]

    assert documented == {NAMES[folder]: summed_up(folder) for folder in RECOUNTS}


def summed_up(folder: str) -> list[int]:
    """Files, distinct calls and their figures, of all samples of an agent."""
    events = {}
    files = 0
    for path in sorted((PUBLIC / folder).rglob("*.json*")):
        agent = recognition.find_transcript(str(path), path.read_bytes()[:65_536])
        if agent is not None:
            files += 1
            found = of_file(agent.product, path).events
            events |= {event.event_id: event for event in found if event.kind == "model_call"}
    return [files, len(events), *added(figures(event) for event in events.values())]


def told(path: Path) -> Totals:
    agent = recognition.find_transcript(str(path), path.read_bytes()[:65_536])
    if agent is None:
        return (0, 0, 0, 0)
    events = of_file(agent.product, path).events
    return added(figures(event) for event in events if event.kind == "model_call")


def figures(event: Any) -> Totals:
    return (
        event.input_tokens or 0,
        event.output_tokens or 0,
        event.cache_read_tokens or 0,
        event.cache_write_tokens or 0,
    )


def added(calls: Iterator[Totals]) -> Totals:
    given, output, read, written = (
        sum(column) for column in zip((0, 0, 0, 0), *calls, strict=True)
    )
    return given, output, read, written


def total(calls: Calls) -> Totals:
    return added(iter(calls.values()))


def lines(path: Path) -> Iterator[Any]:
    """The objects of a file of lines that are whole and say when they were: nobody could tell on
    which day the others are."""
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and is_time(record.get("timestamp")):
            yield record


def is_time(value: Any) -> bool:
    if isinstance(value, str):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return False
    return isinstance(value, str | int | float)


def of_claude(path: Path) -> Calls:
    """Every part of an answer repeats the usage; of the parts the one with most output is whole."""
    calls: Calls = {}
    for record in told_by_claude(path) if path.suffix == ".jsonl" else ():
        message = record.get("message")
        # Very old records have no type.
        if record.get("type", "assistant") != "assistant" or not isinstance(message, dict):
            continue
        usage = message.get("usage")
        if not isinstance(usage, dict):
            continue
        key = message.get("id"), record.get("requestId")
        key = key if any(key) else record.get("uuid")
        call = (
            usage.get("input_tokens", 0),
            usage.get("output_tokens", 0),
            usage.get("cache_read_input_tokens", 0),
            usage.get("cache_creation_input_tokens", 0),
        )
        if key not in calls or call[1] > calls[key][1]:
            calls[key] = call
    return calls


def told_by_claude(path: Path) -> Iterator[Any]:
    """The lines of a file, and those of a subagent that a waiting session repeats."""
    for record in lines(path):
        data = record.get("data")
        is_repeated = isinstance(data, dict) and data.get("type") == "agent_progress"
        yield data["message"] if is_repeated else record


def of_codex(path: Path) -> Calls:
    """A running total: what it grew by is a call; a total that was there before is none."""
    calls: Calls = {}
    before = (0, 0, 0)
    for record in lines(path) if path.suffix == ".jsonl" else ():
        payload = record.get("payload")
        is_count = isinstance(payload, dict) and payload.get("type") == "token_count"
        info = payload.get("info") if is_count else None
        usage = info.get("total_token_usage") if isinstance(info, dict) else None
        if usage is None:
            continue
        now = (usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"])
        given, cached, output = (a - b for a, b in zip(now, before, strict=True))
        if now != before:
            calls[now] = (given - cached, output, cached, 0)
        before = now
    return calls


def of_gemini(path: Path) -> Calls:
    """A message may be written again; its last version is what it is."""
    calls: Calls = {}
    if path.suffix == ".jsonl":
        messages = list(lines(path))
    else:
        messages = json.loads(path.read_text()).get("messages") or []
    for message in messages:
        tokens = message.get("tokens") if isinstance(message, dict) else None
        if isinstance(tokens, dict):
            count = defaultdict(int, tokens)
            calls[message["id"]] = (
                count["input"] - count["cached"],
                count["output"] + count["thoughts"],
                count["cached"],
                0,
            )
    return calls


def of_qwen(path: Path) -> Calls:
    calls: Calls = {}
    for record in lines(path):
        usage = defaultdict(int, record.get("usageMetadata") or {})
        cached = usage["cachedContentTokenCount"]
        output = usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]
        calls[record["uuid"]] = (usage["promptTokenCount"] - cached, output, cached, 0)
    return calls


def of_opencode(path: Path) -> Calls:
    """What a session's file stands for are the messages in the folder of its session."""
    calls: Calls = {}
    session = json.loads(path.read_text() or "0")
    folder = path.parents[2] / "message" / str(path.stem).removeprefix("ses_")
    for file in folder.glob("*.json") if path.parts[-3] == "session" else ():
        message = json.loads(file.read_text())
        tokens = message.get("tokens")
        if session and isinstance(tokens, dict):
            cache = tokens.get("cache") or {}
            calls[message["id"]] = (
                tokens.get("input", 0),
                tokens.get("output", 0) + tokens.get("reasoning", 0),
                cache.get("read", 0),
                cache.get("write", 0),
            )
    return calls


def of_copilot(path: Path) -> Calls:
    """Older builds sum up by model when a process ends; else there is each answer's output."""
    ends: Calls = {}
    answers: Calls = {}
    for record in lines(path):
        data = record.get("data") or {}
        if record["type"] == "session.shutdown":
            for model, metrics in (data.get("modelMetrics") or {}).items():
                usage = metrics.get("usage") or {}
                read, written = usage.get("cacheReadTokens", 0), usage.get("cacheWriteTokens", 0)
                given = usage.get("inputTokens", 0) - read - written
                ends[model] = (given, usage.get("outputTokens", 0), read, written)
        elif record["type"] == "assistant.message":
            answers[data.get("messageId")] = (0, data.get("outputTokens", 0), 0, 0)
    return ends if any(any(usage) for usage in ends.values()) else answers


def of_droid(path: Path) -> Calls:
    """Only the end of a stream has tokens; a session's own stand in the settings beside it."""
    ends = [record for record in lines(path) if record.get("type") == "completion"]
    usages = [record["usage"] for record in ends if "usage" in record]
    return {
        number: (
            usage["input_tokens"],
            usage["output_tokens"],
            usage["cache_read_input_tokens"],
            usage["cache_creation_input_tokens"],
        )
        for number, usage in enumerate(usages)
    }


def of_cursor(_: Path) -> Calls:
    """No file of it has tokens."""
    return {}


RECOUNTS: dict[str, Callable[[Path], Calls]] = {
    "claude-code": of_claude,
    "codex-cli": of_codex,
    "copilot-cli": of_copilot,
    "cursor": of_cursor,
    "droid": of_droid,
    "gemini-cli": of_gemini,
    "opencode": of_opencode,
    "qwen-code": of_qwen,
}
