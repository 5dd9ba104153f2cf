"""Where agents read their hooks from, and how ours are put there and taken away again.

A file keeps everything else that it holds, byte for byte (see `edits`).
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Gate, Hooks, Json, Plugin, Subject
from stationmaster.client.settings import edits, json_text
from stationmaster.errors import OperatorError

PROGRAM = "stationmaster"
_OURS = re.compile(r"""(& )?(["']?)(.*[/\\])?stationmaster(\.exe)?\2 hook(\s|$)""")
_ON_WINDOWS = re.compile(r"[A-Za-z]:\\|\\\\")
_PURPOSE = "hooks"


class InstalledHook(NamedTuple):
    """One hook of ours: for which event, what it runs, and where it is in the file."""

    event: str
    command: str
    path: json_text.Path


class InstalledHooks(NamedTuple):
    """Of one agent's file: which of our hooks are in it."""

    path: Path
    installed: list[str]
    missing: list[str]
    gate: Gate | None = None
    """None of hooks that refuse nothing."""


def program() -> str:
    """The whole path of the running program. Raises OperatorError where there is none to run."""
    called = Path(sys.argv[0])
    neighbour = Path(sys.executable).with_name(PROGRAM + (".exe" if os.name == "nt" else ""))
    for path in (called, neighbour):
        if path.stem == PROGRAM and path.parent != Path() and os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise OperatorError(
        f"{neighbour} is missing: install the program with pip, pipx or uv", code="no_program"
    )


def products() -> list[str]:
    """The agents that have hooks."""
    return cards.with_part("hooks")


def place_of(product: str) -> Hooks:
    """Raises BadRequest for an agent that is unknown or has no hooks that are commands."""
    missing = f"no hooks are known for {product!r}"
    hooks = cards.with_part_of(product, "hooks", missing, "no_hooks").hooks
    assert hooks is not None
    return hooks


def gate_of(product: str) -> Mapping[str, Subject]:
    """The hooks at which an agent can be refused something, and what that is."""
    card = cards.find(product)
    return {} if card is None or card.gate is None else card.gate.events


def path_of(product: str, home: Path, project: Path | None) -> Path:
    """The file itself, where people keep it elsewhere and link to it."""
    place = place_of(product)
    return (home / place.user if project is None else project / place.project).resolve()


def command_of(product: str, event: str, program: str, gate: Gate | None = None) -> str:
    """The command line that an agent gives a shell for a hook."""
    option = "" if place_of(product).names_event else f" --event {event}"
    if _ON_WINDOWS.match(program):
        program = f'"{program}"' if " " in program else program
    else:
        program = shlex.quote(program)
    arguments = gate_arguments(gate) if event in gate_of(product) else []
    return f"{' '.join([program, 'hook', *arguments])} --agent {product}{option}"


def gate_arguments(gate: Gate | None) -> list[str]:
    """What makes a hook refuse work, too; nothing for None."""
    if gate is None:
        return []
    return ["--gate", *(["--when-unreachable", "refuse"] if gate == "refuse" else [])]


def events_of(product: str, gate: Gate | None) -> list[str]:
    """The hooks that an agent's file needs."""
    events = place_of(product).events
    gates = () if gate is None else gate_of(product)
    return [*events, *(event for event in gates if event not in events)]


def standing(product: str, path: Path) -> InstalledHooks:
    """Raises OperatorError for a file that is no JSON object."""
    place = place_of(product)
    if place.plugin is not None:
        text = edits.read(path) if _is_ours(place.plugin, path) else ""
        gate = _gate_in(place.plugin.gate_of(text))
        installed = events_of(product, gate) if text else []
    else:
        ours = hooks(product, path)
        gate = _gate_in(" ".join(hook.command for hook in ours))
        there = {hook.event for hook in ours}
        installed = [event for event in events_of(product, gate) if event in there]
    missing = [event for event in events_of(product, gate) if event not in installed]
    return InstalledHooks(path, installed, missing, gate)


def _gate_in(arguments: str) -> Gate | None:
    if " --gate" not in f" {arguments}":
        return None
    return "refuse" if "--when-unreachable refuse" in arguments else "allow"


def commands(product: str, path: Path) -> list[str]:
    """The different commands of ours in an agent's file. Raises OperatorError as `standing`."""
    place = place_of(product)
    if place.plugin is not None:
        program = (
            place.plugin.program_of(edits.read(path)) if _is_ours(place.plugin, path) else None
        )
        return [] if program is None else [f"{shlex.quote(program)} hook --agent {product}"]
    return list(dict.fromkeys(hook.command for hook in hooks(product, path)))


def hooks(product: str, path: Path) -> list[InstalledHook]:
    """Every hook of ours in an agent's JSON file. Raises OperatorError as `standing`."""
    return list(_ours(_content(path), place_of(product), path))


def install(
    product: str, path: Path, program: str = PROGRAM, gate: Gate | None = None
) -> InstalledHooks:
    """Add our hooks, in place of any that are there; done twice it changes nothing.

    Raises OperatorError.
    """
    place = place_of(product)
    if place.plugin is not None:
        if path.exists() and not _is_ours(place.plugin, path):
            raise OperatorError(f"{path} is not ours; nothing was changed", code="bad_file")
        edits.replace(path, place.plugin.text(program, gate))
    else:
        edits.change(path, _PURPOSE, lambda text: _added(text, product, program, path, gate))
    return standing(product, path)


def remove(product: str, path: Path) -> InstalledHooks:
    """Remove our hooks; a file that was not there before is removed. Raises OperatorError."""
    place = place_of(product)
    if place.plugin is not None:
        if _is_ours(place.plugin, path):
            path.unlink()
        edits.delete_original(path, _PURPOSE)
        return standing(product, path)
    edits.undo(path, _PURPOSE)
    # Our entries were changed since, or what was there before had hooks of ours, too.
    if path.exists() and standing(product, path).installed:
        edits.replace(path, _without_ours(edits.read(path), place, path))
    return standing(product, path)


def _added(text: str, product: str, program: str, path: Path, gate: Gate | None) -> str:
    place = place_of(product)
    text = _without_ours(text, place, path)
    if place.version is not None and "version" not in json_text.parse(text):
        text = json_text.put(text, ("version",), place.version)
    for event in events_of(product, gate):
        entry = entry_of(product, event, program, gate)
        text = json_text.append(text, (*_prefix(place), event), entry)
    return text


def entry_of(product: str, event: str, program: str, gate: Gate | None = None) -> Json:
    """The item in the list of an event."""
    place = place_of(product)
    entry = place.entry(command_of(product, event, program, gate), event)
    if gate == "refuse" and event in gate_of(product):
        entry.get("hooks", [entry])[0].update(place.fails_closed)
    return entry


def _without_ours(text: str, place: Hooks, path: Path) -> str:
    """Hooks of others stay, in the same entry as well; what gets empty by this is removed."""
    while hook := next(_ours(json_text.parse(text), place, path), None):
        inner = hook.path
        text = json_text.take(text, inner)
        while len(inner) > 1 and json_text.get(text, (inner := inner[:-1])) in ({}, []):
            # The list of an entry is removed with the entry.
            inner = inner[:-1] if inner[-1] == "hooks" and len(inner) > 1 else inner
            text = json_text.take(text, inner)
    return text


def _is_ours(plugin: Plugin, path: Path) -> bool:
    return path.exists() and path.read_bytes().startswith(plugin.mark.encode())


def _content(path: Path) -> dict[str, Any]:
    with edits.explained(path):
        return json_text.parse(edits.read(path))


def _prefix(place: Hooks) -> tuple[str, ...]:
    return ("hooks",) if place.is_nested else ()


def _ours(content: dict[str, Any], place: Hooks, path: Path) -> Iterator[InstalledHook]:
    """Raises OperatorError for a file in which hooks are not where they have to be."""
    events = content.get("hooks", {}) if place.is_nested else content
    if not isinstance(events, dict):
        raise OperatorError(f"`hooks` is no object in {path}; nothing was changed", code="bad_file")
    for event, entries in events.items():
        if not isinstance(entries, list):
            if event in place.events:
                raise OperatorError(
                    f"`{event}` is no list in {path}; nothing was changed", code="bad_file"
                )
            continue
        for number, entry in enumerate(entries):
            for inner, command in _commands(entry):
                if _OURS.match(command):
                    yield InstalledHook(event, command, (*_prefix(place), event, number, *inner))


def _commands(entry: Any) -> Iterator[tuple[json_text.Path, str]]:
    """The commands of an entry, each with where it is in it."""
    if not isinstance(entry, dict):
        return
    inner = entry.get("hooks")
    hooks = enumerate(inner) if isinstance(inner, list) else ()
    for place, hook in [((), entry), *((("hooks", number), hook) for number, hook in hooks)]:
        if isinstance(hook, dict):
            for key in ("command", "bash"):
                if isinstance(hook.get(key), str):
                    yield place, hook[key]
