"""What runs when a record of Rails is saved or deleted, and which calls do that for certain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of, targets, types
from stationmaster.wiki.facts.code.steps.model import Step
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
_MANY = re.compile(r"\s*has_(?:many|one) :(\w+)(.{0,200})")
_OTHER = re.compile(r"class_name|source:")


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
    callbacks = _callbacks(facts).get(record, ()) if record else ()
    handlers = tuple(it.handler for it in callbacks if _runs(it.trigger, events))
    if record is None or not handlers:
        return None
    return Step(spot, (record,), call.line, does=verb, handlers=handlers)


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
    if last in _associations(facts):
        name = "".join(word.title() for word in singular(last).split("_"))
        named = [spot for spot in _callbacks(facts) if spot.name == name]
        return named[0] if len(named) == 1 else None
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


@query
def _associations(facts: Facts) -> frozenset[str]:
    """Names of associations to many records of the class of that name. For questions."""
    names: set[str] = set()
    other: set[str] = set()
    for path in {spot.path for spot in _callbacks(facts)} | {
        file.path for file in interfaces(facts) if file.entities and file.path.endswith(".rb")
    }:
        for match in filter(None, map(_MANY.match, lines_of(facts, path))):
            (other if _OTHER.search(match[2]) else names).add(match[1])
    return frozenset(names - other)
