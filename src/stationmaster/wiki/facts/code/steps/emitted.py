"""Events that are sent by name to an emitter, and the functions that handle them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.reading.code.languages.ecmascript.sockets import FRAMEWORK as SOCKETS
from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import called, handler_of
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.own_queues import given
from stationmaster.wiki.facts.model import Facts, Spot, query

_EMITTER = re.compile(r"(?:.*\W)?\$?\w*(?:emitter2?|bus|events|dispatcher)(?:\(\))?", re.IGNORECASE)
"""What an emitter is called; a socket sends to another program."""
_SENDS = frozenset({"emit", "$emit", "emitAsync", "publish", "dispatch", "fire", "trigger"})
_HANDLES = frozenset({"on", "$on", "once", "$once", "addListener", "subscribe", "listen"})
_TEXT = re.compile(r"([\"'])([\w.:/-]+)\1")
_CONSTANT = re.compile(r"[A-Z]\w*(?:\.\w+)*")
_NAME = re.compile(r"\w+(?:\.\w+)*")


class _Handled(NamedTuple):
    """A function that an emitter, None for that of a framework, runs for an event."""

    emitter: Spot | None
    handler: Spot


def emitted(facts: Facts, spot: Spot, call: Call) -> Iterator[Step]:
    """The steps to the functions that handle what a call such as `bus.emit("paid")` sends."""
    is_sent = call.name in _SENDS and _EMITTER.fullmatch(call.of)
    values = given(facts, spot.path, call) if is_sent else []
    event = _event(facts, spot.path, values[0]) if values else None
    handled = _handled(facts).get(event, ()) if event else ()
    emitter = _emitter(facts, spot.path, call) if handled else None
    is_field = emitter is None or "." in emitter.name  # It may hold the one of a framework.
    for it in handled:
        is_same = it.emitter == emitter if it.emitter else is_field
        if is_same and it.handler != spot:
            does = f"sends the event {values[0]}, which this handles"
            yield Step(spot, (it.handler,), call.line, does=does, handlers=(it.handler,))


@query
def _handled(facts: Facts) -> Mapping[tuple[str, str, str], tuple[_Handled, ...]]:
    """The handlers of events by their names. Used by other queries only."""
    handlers: dict[tuple[str, str, str], dict[_Handled, None]] = defaultdict(dict)
    for file in interfaces(facts):
        for job in file.jobs:
            is_named = job.kind == "event" and job.framework != SOCKETS
            end = handler_of(facts, file.path, job.handler, job.line) if is_named else None
            if end is not None:
                handlers["", "", job.trigger][_Handled(None, end)] = None
    for path, code in facts.code.items():
        for call in code.calls if facts.records[path].file_class == "source" else ():
            if call.name not in _HANDLES or not _EMITTER.fullmatch(call.of):
                continue
            values = given(facts, path, call)
            event = _event(facts, path, values[0]) if len(values) > 1 else None
            named = _NAME.fullmatch(values[1]) if event else None
            end = handler_of(facts, path, named[0], call.line) if named else None
            symbol = symbol_of(facts, *end) if end else None
            emitter = _emitter(facts, path, call)
            is_function = symbol is not None and symbol.kind in ("function", "method")
            if event and end and emitter and is_function:
                handlers[event][_Handled(emitter, end)] = None
    return {event: tuple(rows) for event, rows in handlers.items()}


def _event(facts: Facts, path: str, text: str) -> tuple[str, str, str] | None:
    """What identifies an event: its name, or the constant that has it with the file and name of
    what declares that."""
    if match := _TEXT.fullmatch(text):
        return "", "", match[2]
    of, _, member = text.partition(".") if _CONSTANT.fullmatch(text) else ("", "", "")
    end = _value(facts, path, of) if of else None
    return (*end, member) if end else None


def _emitter(facts: Facts, path: str, call: Call) -> Spot | None:
    """The value or the field of a class that an event is sent to."""
    of, _, name = call.of.rpartition(".")
    if of in ("this", "self"):
        return Spot(path, f"{call.caller.rpartition('.')[0]}.{name}")
    return _value(facts, path, call.of)


def _value(facts: Facts, path: str, words: str) -> Spot | None:
    of, _, name = words.rpartition(".")
    return called(facts, path, Call(name, 0, of))
