"""Is a configuration of hooks what the specification describes (section Events)?

An object keyed by the names of hook events; each value a list of entries, whose `hooks` are a list
of `{type: "command", command, timeout}` with the timeout in seconds. Files that keep it below
`hooks`, beside other settings, are taken, too; what agents add beyond that is not judged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

EVENTS = (
    *("PreToolUse", "PostToolUse", "UserPromptSubmit", "Notification", "Stop", "SubagentStop"),
    *("PreCompact", "SessionStart", "SessionEnd"),
)
"""The published product's: spec-gaps, section 11."""
OTHER_EVENTS = frozenset(
    {"PostToolUseFailure", "PermissionRequest", "PermissionDenied", "SubagentStart", "PostCompact"}
    | {"StopFailure", "Setup", "UserPromptExpansion", "InstructionsLoaded", "ConfigChange"}
    | {"CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate", "WorktreeRemove"}
    | {"TaskCreated", "TaskCompleted", "TeammateIdle", "MessageDisplay", "PostToolBatch"}
    | {"Elicitation", "ElicitationResult", "SessionDelete", "TodoCreated", "TodoCompleted"}
    | {"BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"}
    | {"BeforeTool", "AfterTool", "PreCompress", "Interrupt"}
)
"""What other agents add: agent-telemetry, the sections on hooks."""


class Fault(NamedTuple):
    """What is wrong, and where: `PreToolUse[0].hooks[1].timeout`; empty for the whole file."""

    place: str
    text: str


def check(text: str) -> list[Fault]:
    """Everything that is wrong with a configuration; empty when nothing is."""
    repeated: list[Fault] = []

    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        names = [name for name, _ in pairs]
        repeated.extend(
            Fault(name, "stands there more than once; only the last one would count")
            for name in found
            if names.count(name) > 1
        )
        return found

    try:
        content = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=no_repeats)
    except json.JSONDecodeError as fault:
        return [Fault("", f"line {fault.lineno}, column {fault.colno}: {fault.msg}")]
    except RecursionError:
        return [Fault("", "nested too deeply")]
    if not isinstance(content, dict):
        return [Fault("", f"an object keyed by hook events is expected, not {_kind(content)}")]
    if "hooks" in content:
        events = content["hooks"]
        if not isinstance(events, dict):
            return [Fault("hooks", f"an object is expected, not {_kind(events)}")]
        return [*repeated, *_events(events, "hooks.")]
    return [*repeated, *_events(content, "")]


def _events(events: dict[str, Any], prefix: str) -> Iterator[Fault]:
    for event, entries in events.items():
        place = f"{prefix}{event}"
        if event not in EVENTS and event not in OTHER_EVENTS:
            near = get_close_matches(event, EVENTS, 1, 0.6)
            hint = f"; {near[0]} is one" if near else f"; known are {', '.join(EVENTS)}"
            yield Fault(place, f"is no hook event{hint}")
        if not isinstance(entries, list):
            yield Fault(place, f"a list of entries is expected, not {_kind(entries)}")
            continue
        for number, entry in enumerate(entries):
            yield from _entry(entry, f"{place}[{number}]")


def _entry(entry: Any, place: str) -> Iterator[Fault]:
    if not isinstance(entry, dict):
        yield Fault(place, f"an entry is an object with `hooks`, not {_kind(entry)}")
        return
    if "matcher" in entry and not isinstance(entry["matcher"], str):
        yield Fault(f"{place}.matcher", f"a text is expected, not {_kind(entry['matcher'])}")
    hooks = entry.get("hooks")
    if "hooks" not in entry:
        yield Fault(place, "the list `hooks` is missing")
    elif not isinstance(hooks, list):
        yield Fault(f"{place}.hooks", f"a list is expected, not {_kind(hooks)}")
    else:
        for number, hook in enumerate(hooks):
            yield from _hook(hook, f"{place}.hooks[{number}]")


def _hook(hook: Any, place: str) -> Iterator[Fault]:
    if not isinstance(hook, dict):
        yield Fault(place, f"a hook is an object, not {_kind(hook)}")
        return
    kind = hook.get("type")
    if "type" not in hook:
        yield Fault(place, "`type` is missing; it is `command`")
    elif kind != "command":
        yield Fault(f"{place}.type", f"`command` is expected, not {json.dumps(kind)}")
    command = hook.get("command")
    if "command" not in hook:
        yield Fault(place, "`command` is missing")
    elif not isinstance(command, str):
        yield Fault(f"{place}.command", f"a text is expected, not {_kind(command)}")
    elif not command.strip():
        yield Fault(f"{place}.command", "is empty")
    if "timeout" in hook:
        yield from _timeout(hook["timeout"], f"{place}.timeout")


def _timeout(value: Any, place: str) -> Iterator[Fault]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number:
        yield Fault(place, f"a number of seconds is expected, not {_kind(value)}")
    elif not (math.isfinite(value) and value > 0):
        yield Fault(place, f"a number of seconds above 0 is expected, not {value}")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
