"""What runs when a record of Rails is saved or deleted, and which calls do that for certain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of, targets, types
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.data.associations import associated
from stationmaster.wiki.facts.guarding.filters import included
from stationmaster.wiki.facts.model import Facts, Spot, query

_VERBS: Mapping[str, tuple[str, ...]] = {
    "create": ("creates", "create", "save"),
    "first_or_create": ("finds or creates", "create", "save"),
    "find_or_create_by": ("finds or creates", "create", "save"),
    "create_or_find_by": ("finds or creates", "create", "save"),
    "save": ("saves", "create", "update", "save"),
    "update": ("updates", "update", "save"),
    "destroy": ("deletes", "destroy"),
}
"""What a method does with a record, and what callbacks are named after."""
_SET = r"(?<![\w@.]){} ?(?:\|\|)?= ?(\S.*)"
_STORED = re.compile(r"\.(?:find|find_by|first|last|take)\b")
_NEW = re.compile(r"\.(?:new|build|create\w*|\w+_or_\w+)\b")
"""What makes a record, or may make one."""


class _Callback(NamedTuple):
    trigger: str
    handler: Spot


def saved(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """What a call such as `Entry.create!` or `feed.entries.create` does with a record."""
    path = spot.path
    verb, *events = _VERBS.get(call.name.rstrip("!"), ("",))
    if not verb or not call.of or not path.endswith(".rb") or targets(facts, path, call):
        return None
    record = _class(facts, path, call)
    if "create" in events and "update" in events and _is_stored(facts, spot, call):
        events.remove("create")
    callbacks = _callbacks_of(facts, record) if record else []
    handlers = tuple(it.handler for it in callbacks if _runs(it.trigger, events))
    if record is None or not handlers:
        return None
    return Step(spot, (record,), call.line, does=verb, handlers=handlers)


def _callbacks_of(facts: Facts, record: Spot) -> list[_Callback]:
    """Those of a class, with those that it inherits and that modules declare for it."""
    places = [
        place
        for it in reversed([*types(facts).around(record)])
        for place in (*included(facts, *it), it)
    ]
    return [it for place in places for it in _callbacks(facts).get(Spot(*place), ())]


def _is_stored(facts: Facts, spot: Spot, call: Call) -> bool:
    """Is a record looked up wherever its variable is set: in the function, or else, for a field, in
    the file?"""
    symbol = symbol_of(facts, spot.path, spot.name)
    lines, setting = lines_of(facts, spot.path), re.compile(_SET.format(re.escape(call.of)))
    own = setting.findall("\n".join(lines[symbol.line : call.line - 1])) if symbol else []
    if not own and call.of.startswith("@"):
        own = setting.findall("\n".join(lines))
    return bool(own) and all(_STORED.search(it) and not _NEW.search(it) for it in own)


def _runs(trigger: str, events: list[str]) -> bool:
    name, _, rest = trigger.partition(" ")[2].partition(", ")
    on = rest.removeprefix("on: ") if rest.startswith("on: ") else ""
    if name.endswith("_validation") and "save" not in events:
        return False
    if name == "after_commit" or name.endswith("_validation"):
        return not on or any(event in on.split(", ") for event in events)
    return any(f"_{event}" in name for event in events)


def _class(facts: Facts, path: str, call: Call) -> Spot | None:
    """The class of records that a call is made on."""
    last = call.of.rpartition(".")[2]
    if last in associated(facts):
        return associated(facts)[last]
    if call.of[:1].isupper():
        return handler_of(facts, path, call.of, call.line)
    place = types(facts).type_of(path, call.caller, call.of)
    return Spot(*place) if place else None


@query
def _callbacks(facts: Facts) -> Mapping[Spot, tuple[_Callback, ...]]:
    """By class. For other questions."""
    by_class: dict[Spot, list[_Callback]] = defaultdict(list)
    for file in interfaces(facts):
        for job in file.jobs:
            if job.framework == "Rails" and job.kind == "event" and job.handler:
                handler = handler_of(facts, file.path, job.handler, job.line)
                if handler is not None:
                    holder = Spot(file.path, job.handler.rpartition(".")[0])
                    by_class[holder].append(_Callback(job.trigger, handler))
    return {spot: tuple(callbacks) for spot, callbacks in by_class.items()}
