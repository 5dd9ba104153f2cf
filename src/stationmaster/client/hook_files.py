"""Where agents read their hooks from, and how ours are put there and taken away again.

A file keeps all that stands in it. Taking our hooks away gives back the very bytes of before,
unless somebody has changed the file since: then our entries alone go (see `edits`). Shapes and
places: agent-telemetry, the sections on hooks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.client import edits, opencode_plugin
from stationmaster.errors import BadRequest, OperatorError, did_you_mean

PROGRAM = "stationmaster"
_OURS = re.compile(r"""(["']?)(.*[/\\])?stationmaster(\.exe)?\1 hook(\s|$)""")
_TIMEOUT_S = 10
_WHAT = "hooks"
Entry = dict[str, Any]


class Place(NamedTuple):
    """How one agent is told of hooks."""

    user: str
    """The file, below the home folder."""
    project: str
    """The file, below a project's folder."""
    events: tuple[str, ...]
    """The hooks that tell something worth counting."""
    entry: Callable[[str], Entry]
    """What stands in the list of an event for a command."""
    is_nested: bool = True
    """Do the events stand below `hooks`?"""
    version: int | None = None
    """A `version` that the file needs."""
    names_event: bool = True
    """Does the JSON of a hook tell which one it is?"""
    plugin: Callable[[str], str] | None = None
    """The file is a plugin that runs a program, and all ours."""


def _grouped(timeout: int) -> Callable[[str], Entry]:
    def entry(command: str) -> Entry:
        return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}

    return entry


def _of_copilot(command: str) -> Entry:
    return {
        "type": "command",
        "bash": command,
        # There a quoted path by itself is a text.
        "powershell": f"& {command}" if command.startswith('"') else command,
        "timeoutSec": _TIMEOUT_S,
    }


_TOOLS = ("UserPromptSubmit", "PostToolUse", "SessionStart", "SessionEnd")
PLACES: dict[str, Place] = {
    "claude-code": Place(
        ".claude/settings.json",
        ".claude/settings.json",
        (*_TOOLS, "PostToolUseFailure", "PermissionDenied"),
        _grouped(_TIMEOUT_S),
    ),
    "codex": Place(".codex/hooks.json", ".codex/hooks.json", _TOOLS, _grouped(_TIMEOUT_S)),
    "gemini-cli": Place(
        ".gemini/settings.json",
        ".gemini/settings.json",
        ("BeforeAgent", "AfterTool", "SessionStart", "SessionEnd"),
        _grouped(_TIMEOUT_S * 1000),
    ),
    "qwen-code": Place(
        ".qwen/settings.json",
        ".qwen/settings.json",
        (*_TOOLS, "PostToolUseFailure", "PermissionDenied"),
        _grouped(_TIMEOUT_S * 1000),
    ),
    "copilot-cli": Place(
        ".copilot/hooks/stationmaster.json",
        ".github/hooks/stationmaster.json",
        ("userPromptSubmitted", "postToolUse", "postToolUseFailure", "sessionStart", "sessionEnd"),
        _of_copilot,
        version=1,
        names_event=False,
    ),
    "droid": Place(
        ".factory/hooks.json",
        ".factory/hooks.json",
        _TOOLS,
        _grouped(_TIMEOUT_S),
        is_nested=False,
    ),
    "cursor": Place(
        ".cursor/hooks.json",
        ".cursor/hooks.json",
        (
            *("beforeSubmitPrompt", "afterAgentResponse", "postToolUse", "postToolUseFailure"),
            *("afterFileEdit", "sessionStart", "sessionEnd"),
        ),
        lambda command: {"command": command},
        version=1,
    ),
    "opencode": Place(
        ".config/opencode/plugins/stationmaster.js",
        ".opencode/plugins/stationmaster.js",
        opencode_plugin.EVENTS,
        lambda _: {},
        plugin=opencode_plugin.text,
    ),
}


class Standing(NamedTuple):
    """Of one agent's file: which of our hooks stand in it."""

    path: Path
    installed: list[str]
    missing: list[str]


def place_of(product: str) -> Place:
    """Raises BadRequest for an agent that is unknown or has no hooks that are commands."""
    place = PLACES.get(product)
    if place is None:
        known = ", ".join(PLACES)
        near = did_you_mean(product, PLACES)
        raise BadRequest(
            f"no hooks are known for {product!r}; known are {known}.{near}", code="no_hooks"
        )
    return place


def path_of(product: str, home: Path, project: Path | None) -> Path:
    """The file itself, where people keep it elsewhere and link to it."""
    place = place_of(product)
    return (home / place.user if project is None else project / place.project).resolve()


def command_of(product: str, event: str, program: str) -> str:
    """The command that an agent runs for a hook."""
    told = "" if place_of(product).names_event else f" --event {event}"
    quoted = f'"{program}"' if " " in program else program
    return f"{quoted} hook --agent {product}{told}"


def standing(product: str, path: Path) -> Standing:
    """Raises OperatorError for a file that is no JSON object."""
    place = place_of(product)
    if place.plugin is not None:
        installed = list(place.events) if _is_our_plugin(path) else []
    else:
        events = _events(edits.read(path), place)
        installed = [event for event in place.events if any(map(_is_ours, _list(events, event)))]
    return Standing(path, installed, [event for event in place.events if event not in installed])


def install(product: str, path: Path, program: str = PROGRAM) -> Standing:
    """Add what is missing of our hooks; done twice it changes nothing. Raises OperatorError."""
    place = place_of(product)
    missing = standing(product, path).missing
    if place.plugin is not None:
        _install_plugin(path, place.plugin(program))
    elif missing:
        content = edits.read(path)
        if place.version is not None:
            content.setdefault("version", place.version)
        events = _events(content, place)
        for event in missing:
            added = place.entry(command_of(product, event, program))
            events[event] = [*_list(events, event), added]
        if place.is_nested:
            content["hooks"] = events
        edits.change(path, _WHAT, content)
    return standing(product, path)


def remove(product: str, path: Path) -> Standing:
    """Take our hooks away; a file that was not there before is gone again. Raises OperatorError."""
    place = place_of(product)
    if path.exists() and standing(product, path).installed:
        edits.undo(path, _WHAT)
    # Somebody has changed the file since, or what stood there before had hooks of ours, too.
    if path.exists() and standing(product, path).installed:
        if place.plugin is not None:
            path.unlink()
        else:
            content = edits.read(path)
            _take_out(content, place)
            edits.rewrite(path, content)
    edits.forget(path, _WHAT)
    return standing(product, path)


def _install_plugin(path: Path, text: str) -> None:
    if path.exists() and not _is_our_plugin(path):
        raise OperatorError(f"{path} is not ours; nothing was changed", code="bad_file")
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        edits.change(path, _WHAT, text)


def _is_our_plugin(path: Path) -> bool:
    return path.exists() and path.read_bytes().startswith(opencode_plugin.MARK.encode())


def _take_out(content: dict[str, Any], place: Place) -> None:
    events = _events(content, place)
    for event in list(events):
        entries = _list(events, event)
        kept = [entry for entry in entries if not _is_ours(entry)]
        if kept != entries:
            if kept:
                events[event] = kept
            else:
                del events[event]
    if place.is_nested and not events:
        content.pop("hooks", None)


def _is_ours(entry: Any) -> bool:
    return any(_runs_ours(value) for value in _commands(entry))


def _runs_ours(command: str) -> bool:
    return _OURS.match(command) is not None


def _commands(entry: Any) -> Iterator[str]:
    if not isinstance(entry, dict):
        return
    inner = entry.get("hooks")
    for each in [entry, *(inner if isinstance(inner, list) else [])]:
        if isinstance(each, dict):
            for key in ("command", "bash"):
                if isinstance(each.get(key), str):
                    yield each[key]


def _events(content: dict[str, Any], place: Place) -> dict[str, Any]:
    if not place.is_nested:
        return content
    events = content.get("hooks", {})
    if not isinstance(events, dict):
        raise OperatorError("`hooks` is no object there; nothing was changed", code="bad_file")
    return events


def _list(events: dict[str, Any], event: str) -> list[Any]:
    entries = events.get(event, [])
    if not isinstance(entries, list):
        raise OperatorError(f"`{event}` is no list there; nothing was changed", code="bad_file")
    return entries
