"""The callbacks of Rails' records, with what they run and when."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of, types
from stationmaster.wiki.facts.code.steps.queued import queued
from stationmaster.wiki.facts.guarding.filters import included
from stationmaster.wiki.facts.model import Facts, Spot, query

_CONDITION = re.compile(r", ((?:if|unless): .+)")
_INSIDE = re.compile(r"-> ?\{[^{}]*? ((?:if|unless) [^{}]{1,80}?) ?\}")
"""A condition in the function without a name that is the callback."""


class Callback(NamedTuple):
    """What runs when a record is saved or deleted, and under which condition, '' for always."""

    trigger: str
    handler: Spot
    condition: str

    def runs_at(self, events: Collection[str]) -> bool:
        """Does one of some events, such as `create`, run it?"""
        name, _, rest = self.trigger.partition(" ")[2].partition(", ")
        on = rest.removeprefix("on: ") if rest.startswith("on: ") else ""
        if name.endswith("_validation") and "save" not in events:
            return False
        if name == "after_commit" or name.endswith("_validation"):
            return not on or any(event in on.split(", ") for event in events)
        return any(f"_{event}" in name for event in events)


def callbacks_of(facts: Facts, record: Spot) -> list[Callback]:
    """Those of a class, with those that it inherits and that modules declare for it."""
    places = [
        place
        for it in reversed([*types(facts).around(record)])
        for place in (*included(facts, *it), it)
    ]
    return [it for place in places for it in _callbacks(facts).get(Spot(*place), ())]


@query
def _callbacks(facts: Facts) -> Mapping[Spot, tuple[Callback, ...]]:
    """By class. For other questions."""
    by_class: dict[Spot, list[Callback]] = defaultdict(list)
    for file in interfaces(facts):
        for job in file.jobs:
            if job.framework != "Rails" or job.kind != "event":
                continue
            holder = Spot(file.path, job.trigger.partition(" ")[0])
            asked = _CONDITION.search(job.trigger)
            conditions = [asked[1]] if asked else []
            handler = handler_of(facts, file.path, job.handler, job.line) if job.handler else None
            ends = [handler] if handler else []
            if not job.handler:
                inside = _INSIDE.search(lines_of(facts, file.path)[job.line - 1])
                conditions += [inside[1]] if inside else []
                ends = _put(facts, holder, job.line)
            made = [Callback(job.trigger, end, ", ".join(conditions)) for end in ends]
            by_class[holder] += made
    return {spot: tuple(callbacks) for spot, callbacks in by_class.items()}


def _put(facts: Facts, holder: Spot, line: int) -> list[Spot]:
    """The jobs that a callback without a name puts on a queue in its line."""
    calls = (it for it in facts.code[holder.path].calls if it.line == line)
    steps = (it for call in calls for it in queued(facts, holder, call))
    return [step.end for step in steps if step.is_certain]
