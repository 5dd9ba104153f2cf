"""What runs when a record of Rails is saved or deleted, and which calls do that for certain."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of, targets, types
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.saving import callbacks_of
from stationmaster.wiki.facts.data.associations import associated
from stationmaster.wiki.facts.model import Facts, Spot

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
_SET = r"(?<![\w@.]){} ?((?:\|\|)?= ?\S.*)"
_STORED = re.compile(r"\.(?:find|find_by|first|last|take)\b")
_MAKES = re.compile(r"\.(?:new|build|create\w*|\w+_or_\w+)\b")
"""What makes a record, or may make one."""
_NEW = re.compile(r"= ?(?:[\w.:@]|\([^()]*\))*\.(?:new|build)\b(?!.*\bsave\b)")
"""What makes a record that is not saved yet."""


def saved(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """What a call such as `Entry.create!` or `feed.entries.create` does with a record."""
    path = spot.path
    verb, *events = _VERBS.get(call.name.rstrip("!"), ("",))
    if not verb or not call.of or not path.endswith(".rb") or targets(facts, path, call):
        return None
    record = _class(facts, path, call)
    if "create" in events and "update" in events:
        if _is_stored(facts, spot, call):
            events.remove("create")
        elif _is_new(facts, spot, call):
            events.remove("update")
    run = [it for it in callbacks_of(facts, record) if it.runs_at(events)] if record else []
    if record is None or not run:
        return None
    handlers = tuple(dict.fromkeys(it.handler for it in run))
    always = {it.handler for it in run if not it.condition}
    asked = tuple((it.handler, it.condition) for it in run if it.handler not in always)
    return Step(spot, (record,), call.line, does=verb, handlers=handlers, asked=asked)


def _is_stored(facts: Facts, spot: Spot, call: Call) -> bool:
    """Is a record looked up wherever its variable is set: in the function, or else, for a field, in
    the file?"""
    own = _set_to(facts, spot, call)
    if not own and call.of.startswith("@"):
        form = re.compile(_SET.format(re.escape(call.of)))
        own = form.findall("\n".join(lines_of(facts, spot.path)))
    return bool(own) and all(_STORED.search(it) and not _MAKES.search(it) for it in own)


def _is_new(facts: Facts, spot: Spot, call: Call) -> bool:
    """Is a record made wherever its variable is set in the function, and not saved before?"""
    own = _set_to(facts, spot, call)
    earlier = (it for it in facts.code[spot.path].calls if it.caller == call.caller)
    is_saved = any(
        it.of == call.of and it.line < call.line and _VERBS.get(it.name.rstrip("!"))
        for it in earlier
    )
    return bool(own) and not is_saved and all(_NEW.match(it) for it in own)


def _set_to(facts: Facts, spot: Spot, call: Call) -> list[str]:
    """What the function sets the variable of a record to before a call."""
    symbol, form = symbol_of(facts, *spot), re.compile(_SET.format(re.escape(call.of)))
    lines = lines_of(facts, spot.path)[symbol.line : call.line - 1] if symbol else ()
    return form.findall("\n".join(lines))


def _class(facts: Facts, path: str, call: Call) -> Spot | None:
    """The class of records that a call is made on."""
    last = call.of.rpartition(".")[2]
    if last in associated(facts):
        return associated(facts)[last]
    if call.of[:1].isupper():
        return handler_of(facts, path, call.of, call.line)
    place = types(facts).type_of(path, call.caller, call.of)
    return Spot(*place) if place else None
