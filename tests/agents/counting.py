"""A reference reading of events into what a report counts, kept as plain as can be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from stationmaster.agents.cards.ranks import FAMILY_OF_KIND
from stationmaster.events.model import Event


def counted(events: Iterable[Event], session: str | None = None) -> list[Event]:
    """The events of a session (or of all) of which none is counted twice: best group per family."""
    merged: dict[str, Event] = {}
    for event in sorted(events, key=lambda e: e.source_rank):
        known = merged.setdefault(event.event_id, event)
        if known is not event:
            for field in Event.__struct_fields__:
                if getattr(known, field) is None:
                    setattr(known, field, getattr(event, field))
    groups: dict[tuple[Any, ...], int] = defaultdict(lambda: 99)
    for event in merged.values():
        key = (event.root_session_id, FAMILY_OF_KIND[event.kind])
        groups[key] = min(groups[key], event.source_group)
    families = {family for root, family in groups if root is not None}
    auxiliary = {
        e.root_session_id for e in merged.values() if e.kind == "session_context" and e.is_auxiliary
    }
    result = []
    for event in merged.values():
        family = FAMILY_OF_KIND[event.kind]
        if event.source_group != groups[event.root_session_id, family]:
            continue
        if event.root_session_id is None and family in families:
            continue
        if event.root_session_id in auxiliary:
            event.is_auxiliary = True
        if session is None or event.root_session_id in (session, None):
            result.append(event)
    return result


def facts(events: list[Event]) -> dict[str, Any]:
    """Totals in the words of `expected.json`."""
    calls = [e for e in events if e.kind == "model_call"]
    tools = [e for e in events if e.kind == "tool_call" and e.decision != "reject"]
    read = {e.file_path_hash for e in tools if e.tool == "read" and e.file_path_hash}
    files: Counter[str | None] = Counter()
    for event in events:
        if event.kind == "file_change":
            is_overwrite = event.quality == "estimated" and event.file_path_hash in read
            files["edited" if is_overwrite else event.file_op] += event.count
    return {
        "input": sum(e.input_tokens or 0 for e in calls),
        "output": sum(e.output_tokens or 0 for e in calls),
        "cache_read": sum(e.cache_read_tokens or 0 for e in calls),
        "cache_write": sum(e.cache_write_tokens or 0 for e in calls),
        "tools": dict(Counter(e.tool_raw for e in tools for _ in range(e.count))),
        "files": dict(files),
        "commits": sum(e.count for e in events if e.kind == "git_commit"),
        "user_messages": sum(1 for e in events if e.kind == "user_message" and not e.is_auxiliary),
        "assistant_messages": sum(
            1
            for e in events
            if (e.kind == "assistant_message" or (e.kind == "model_call" and not e.is_aggregate))
            and not (e.is_auxiliary or e.is_subagent)
        ),
        "clients": sorted({e.client for e in events if e.client and e.session_id}),
        "autonomy": sorted({e.autonomy for e in events if e.autonomy}),
    }


AUTONOMY = {
    ("claude-code", "basic"): "auto-high",
    ("claude-code", "mcp"): "auto-high",
    ("claude-code", "short"): "auto-low",
    ("claude-code", "denied"): "manual",
    ("claude-code", "ask"): "manual",
    ("codex", "basic"): "auto-high",
    ("codex", "mcp"): "auto-high",
    ("codex", "short"): "auto-medium",
    ("codex", "denied"): "manual",
    ("codex", "ask"): "manual",
    ("gemini-cli", "basic"): "auto-high",
    ("gemini-cli", "mcp"): "auto-high",
    ("gemini-cli", "short"): "auto-low",
    ("gemini-cli", "denied"): "manual",
    ("gemini-cli", "ask"): "manual",
    ("qwen-code", "basic"): "auto-high",
    ("qwen-code", "mcp"): "auto-high",
    ("qwen-code", "short"): "auto-low",
    ("qwen-code", "denied"): "manual",
    ("qwen-code", "ask"): "manual",
    ("opencode", "basic"): "auto-high",
    ("opencode", "mcp"): "auto-high",
    ("opencode", "short"): "auto-high",
    ("opencode", "denied"): "spec",
    ("copilot-cli", "basic"): "auto-high",
    ("copilot-cli", "mcp"): "auto-high",
    ("copilot-cli", "short"): "auto-medium",
    ("copilot-cli", "denied"): "manual",
    ("copilot-cli", "ask"): "manual",
    ("droid", "basic"): "auto-medium",
    ("droid", "mcp"): "auto-high",
    ("droid", "short"): "auto-low",
    ("droid", "denied"): "spec",
    ("cursor", "denied"): "spec",
}
"""The level of each recorded run, read off the flags with which it was started; those
of Cursor that are not here told none."""


def tools_run(session: dict[str, Any]) -> Counter[str]:
    """The calls of a session of `expected.json` that were not refused, by the tool's name."""
    ran = [call for call in session["tool_calls"] if call["outcome"] != "refused"]
    return Counter(_tool_name(call["runs_as"]) for call in ran)


def truth(session: dict[str, Any], autonomy: str, has_side_calls: bool = False) -> dict[str, Any]:
    """The same totals from a session of `expected.json`.

    `has_side_calls`: the agent's own calls are part of the session, as some agents export them.
    """
    tokens = session["tokens"]
    side = session["side_call_tokens"] if has_side_calls else {"input": 0, "output": 0}
    return {
        "input": tokens["input_not_cached"] + side["input"],
        "output": tokens["output_with_reasoning"] + side["output"],
        "cache_read": tokens["cache_read"],
        # Some model APIs have no such figure.
        "cache_write": tokens["cache_write"] or 0,
        "tools": dict(tools_run(session)),
        "files": dict(Counter(file["what"] for file in session["files"])),
        "commits": len(session["git_commits"]),
        "user_messages": session["user_messages"],
        "assistant_messages": session["model_calls"]["main"],
        "clients": ["non-interactive-cli" if "headless" in session["client"] else "terminal-ui"],
        "autonomy": [autonomy],
    }


def _tool_name(name: str) -> str:
    server, _, tool = name.partition(" ")
    return f"{server}__{tool}" if tool else name
