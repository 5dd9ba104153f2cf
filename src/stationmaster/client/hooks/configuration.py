"""What is wrong with a configuration of hooks, by the form of the agent that reads it.

The specification (section Events) and most agents have an object keyed by the names of hook events;
each value a list of entries, whose `hooks` are a list of `{type: "command", command, timeout}` with
the timeout in seconds. It may be below `hooks`, next to other settings. Cursor and Copilot CLI have
a `version`, events of other names below `hooks`, and the hooks themselves as entries. What agents
add beyond that is not judged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Form
from stationmaster.catalogue.table import read

SPECIFIED = read("specified", Form, Path(__file__).parent)


class HookFault(NamedTuple):
    """What is wrong, and where: `PreToolUse[0].hooks[1].timeout`; empty for the whole file."""

    place: str
    text: str


def form_of(path: Path) -> Form:
    """The form of a file, by the folder in which its agent looks for it."""
    parts = tuple(part.lower() for part in path.absolute().parts[:-1])
    for card in cards.every():
        if card.hooks is None or card.hooks.form is None:
            continue
        own, folder = card.hooks.user.split("/")[0], PurePosixPath(card.hooks.project).parent.parts
        if own in parts or parts[-1] == own.lstrip(".") or parts[-len(folder) :] == folder:
            return card.hooks.form
    return SPECIFIED


def check(text: str, form: Form = SPECIFIED) -> list[HookFault]:
    """Everything that is wrong with a configuration; empty when nothing is."""
    repeated: list[HookFault] = []

    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        by_name = dict(pairs)
        names = [name for name, _ in pairs]
        repeated.extend(
            HookFault(name, "occurs more than once; only the last one would count")
            for name in by_name
            if names.count(name) > 1
        )
        return by_name

    try:
        content = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=no_repeats)
    except json.JSONDecodeError as fault:
        return [HookFault("", f"line {fault.lineno}, column {fault.colno}: {fault.msg}")]
    except RecursionError:
        return [HookFault("", "nested too deeply")]
    if not isinstance(content, dict):
        return [HookFault("", f"an object keyed by hook events is expected, not {_kind(content)}")]
    if form.is_flat:
        return [*repeated, *_versioned(content, form)]
    if "hooks" in content:
        events = content["hooks"]
        if not isinstance(events, dict):
            return [HookFault("hooks", f"an object is expected, not {_kind(events)}")]
        return [*repeated, *_events(events, "hooks.", form)]
    return [*repeated, *_events(content, "", form)]


def _versioned(content: dict[str, Any], form: Form) -> Iterator[HookFault]:
    if "version" not in content:
        yield HookFault("", "`version` is missing; it is 1")
    elif not isinstance(content["version"], int) or isinstance(content["version"], bool):
        yield HookFault("version", f"a number is expected, not {_kind(content['version'])}")
    events = content.get("hooks")
    if "hooks" not in content:
        yield HookFault("", "the object `hooks` is missing")
    elif not isinstance(events, dict):
        yield HookFault("hooks", f"an object is expected, not {_kind(events)}")
    else:
        yield from _events(events, "hooks.", form)


def _events(events: dict[str, Any], prefix: str, form: Form) -> Iterator[HookFault]:
    for event, entries in events.items():
        place = f"{prefix}{event}"
        if event not in form.events and event not in form.other_events:
            near = get_close_matches(event, form.events, 1, 0.6)
            hint = f"; {near[0]} is one" if near else f"; known are {', '.join(form.events)}"
            yield HookFault(place, f"is no hook event{hint}")
        if not isinstance(entries, list):
            yield HookFault(place, f"a list of entries is expected, not {_kind(entries)}")
            continue
        for number, entry in enumerate(entries):
            judge = _flat_hook if form.is_flat else _entry
            yield from judge(entry, f"{place}[{number}]", form)


def _entry(entry: Any, place: str, form: Form) -> Iterator[HookFault]:
    if not isinstance(entry, dict):
        yield HookFault(place, f"an entry is an object with `hooks`, not {_kind(entry)}")
        return
    yield from _matcher(entry, place)
    hooks = entry.get("hooks")
    if "hooks" not in entry:
        yield HookFault(place, "the list `hooks` is missing")
    elif not isinstance(hooks, list):
        yield HookFault(f"{place}.hooks", f"a list is expected, not {_kind(hooks)}")
    else:
        for number, hook in enumerate(hooks):
            yield from _hook(hook, f"{place}.hooks[{number}]", form)


def _flat_hook(hook: Any, place: str, form: Form) -> Iterator[HookFault]:
    """Kinds that run no command, such as `prompt` and `http`, are the agent's own matter."""
    if not isinstance(hook, dict):
        yield HookFault(place, f"a hook is an object, not {_kind(hook)}")
    elif hook.get("type", "command") == "command":
        yield from _matcher(hook, place)
        yield from _commands(hook, place, form)


def _matcher(entry: dict[str, Any], place: str) -> Iterator[HookFault]:
    if "matcher" in entry and not isinstance(entry["matcher"], str):
        yield HookFault(f"{place}.matcher", f"a text is expected, not {_kind(entry['matcher'])}")


def _hook(hook: Any, place: str, form: Form) -> Iterator[HookFault]:
    if not isinstance(hook, dict):
        yield HookFault(place, f"a hook is an object, not {_kind(hook)}")
        return
    kind = hook.get("type")
    if "type" not in hook:
        yield HookFault(place, "`type` is missing; it is `command`")
    elif kind != "command":
        yield HookFault(f"{place}.type", f"`command` is expected, not {json.dumps(kind)}")
    yield from _commands(hook, place, form)


def _commands(hook: dict[str, Any], place: str, form: Form) -> Iterator[HookFault]:
    names = [name for name in form.commands if name in hook]
    if not names:
        yield HookFault(place, f"{' or '.join(f'`{name}`' for name in form.commands)} is missing")
    for name in names:
        command = hook[name]
        if not isinstance(command, str):
            yield HookFault(f"{place}.{name}", f"a text is expected, not {_kind(command)}")
        elif not command.strip():
            yield HookFault(f"{place}.{name}", "is empty")
    if form.timeout in hook:
        yield from _timeout(hook[form.timeout], f"{place}.{form.timeout}")


def _timeout(value: Any, place: str) -> Iterator[HookFault]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number:
        yield HookFault(place, f"a number of seconds is expected, not {_kind(value)}")
    elif not (math.isfinite(value) and value > 0):
        yield HookFault(place, f"a number of seconds above 0 is expected, not {value}")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
