"""Work of Ruby that others start: tables of schedules, and callbacks of records."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ruby.web import has_block
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Job

_CALLBACKS = code.names("ruby.jobs.callbacks")
_RUNNING = code.names("ruby.jobs.running")
CALLS = _CALLBACKS | _RUNNING | {"every", "included"}


def schedules(unit: Unit) -> Iterator[Job]:
    """The jobs in blocks of whenever: `every 1.day { runner "Order.close_old" }`."""
    for call in unit.called:
        if call.name != "every" or not has_block(call) or not call.listed:
            continue
        first, last = line_of(call.node), call.node.end_point[0] + 1
        times = one_line(unit.text(call.listed).strip("()"), 80)
        for it in unit.called:
            text = it.value(0) if it.name in _RUNNING and first < line_of(it.node) <= last else ""
            if text and not it.on:
                handler = text.removesuffix("()") if it.name == "runner" else ""
                yield Job(one_line(text), "schedule", it.line, times, handler, "whenever")


def callbacks(unit: Unit) -> Iterator[Job]:
    """The callbacks of making, checking, saving and deleting a record: `after_create :greet`, also
    in modules whose block `included` is for records."""
    records = {
        symbol.qualified
        for symbol in unit.symbols
        if symbol.kind == "class"
        and any(base.endswith(("Record", "::Base")) for base in symbol.bases)
    }
    records |= {it.caller for it in unit.called if it.name == "included" and has_block(it)}
    for call in unit.called:
        if call.name in _CALLBACKS and call.caller in records and not call.on:
            yield from _callback(unit, call)


def _callback(unit: Unit, call: Called) -> Iterator[Job]:
    trigger = f"{call.caller} {call.name}"
    on = call.texts("on")
    conditions = [
        f"{key}: {one_line(unit.text(node), 80)}"
        for key, node in call.given.named.items()
        if key in ("if", "unless")
    ]
    events = [f"on: {', '.join(on)}"] if on else []
    when = ", ".join((trigger, *events, *conditions))
    for node in call.given.at:
        for name in unit.texts(node) if node.type == "simple_symbol" else ():
            handler = f"{call.caller}.{name}"
            yield Job(handler, "event", line_of(node), when, handler, "Rails")
    if has_block(call) or any(node.type == "lambda" for node in call.given.at):
        yield Job(trigger, "event", call.line, when, "", "Rails")
