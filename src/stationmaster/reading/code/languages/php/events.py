"""Events of Laravel: who listens to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.notes import items_of, texts
from stationmaster.reading.code.languages.source import first_child, line_of
from stationmaster.reading.code.model import Job

_LARAVEL = "Laravel"
_CLASS = re.compile(r"\[?\s*\\?(?:\w+\\)*+(\w+)::class\b")
_METHOD = re.compile(r"[,@]\s*['\"]?(\w+)['\"]")
_TAKEN = re.compile(r"\(\s*\??([\w\\|]+)\s+\$\w+\s*\)")
_SUBSCRIBER = re.compile(r"(?:on|handle)[A-Z]\w*")
CALLS = frozenset({"listen"})


def events(unit: Unit) -> Iterator[Job]:
    """The listeners that a provider lists, that are registered by calls, and those whose methods
    say by what they take which event they are for."""
    for node in unit.nodes["declared"] if b"$listen" in unit.source.data else ():
        element = first_child(node, "property_element")
        if element is not None and unit.source.part(element, "name") == "$listen":
            yield from _listed(unit, element.named_children[-1])
    yield from _registered(unit)
    yield from _typed(unit)


def _listed(unit: Unit, array: Node) -> Iterator[Job]:
    """`$listen = [Paid::class => [SendBill::class]]`"""
    for item in array.named_children:
        inside = item.named_children
        for listener in items_of(inside[1]) if len(inside) == 2 else ():
            yield from _job(_event(unit, inside[0]), _handler(unit, listener), line_of(listener))


def _registered(unit: Unit) -> Iterator[Job]:
    """`Event::listen(Paid::class, [Bills::class, "send"])`, `$events->listen(…)`"""
    for call in unit.called:
        if call.name == "listen" and call.of in ("Event", "events", "dispatcher"):
            given = unit.arguments(call)
            listener = given.get(1)
            handler = _handler(unit, listener) if listener is not None else ""
            for event in items_of(given.get(0)):
                yield from _job(_event(unit, event), handler or call.caller, call.line)


def _typed(unit: Unit) -> Iterator[Job]:
    """The methods of listeners, and those of classes that subscribe to events."""
    subscribers = {it.container for it in unit.facts.symbols if it.name == "subscribe"}
    is_listening = "Listeners" in unit.facts.package.split("\\")
    for symbol in unit.facts.symbols:
        is_meant = (symbol.container in subscribers and _SUBSCRIBER.fullmatch(symbol.name)) or (
            is_listening and symbol.name in ("handle", "__invoke")
        )
        taken = _TAKEN.search(symbol.signature) if is_meant and symbol.container else None
        for event in taken[1].split("|") if taken else ():
            yield from _job(event.rpartition("\\")[2], symbol.qualified, symbol.line)


def _job(event: str, handler: str, line: int) -> Iterator[Job]:
    if event and handler:
        yield Job(handler, "event", line, event, handler, _LARAVEL)


def _event(unit: Unit, node: Node) -> str:
    """The name of an event, without its namespace."""
    match = _CLASS.match(unit.source.text(node))
    name = match[1] if match else next(iter(texts(unit.source, node)), "")
    return name.rpartition("\\")[2]


def _handler(unit: Unit, node: Node) -> str:
    """`Bills.send` of `[Bills::class, "send"]` and `"Shop\\Bills@send"`; '' for a closure."""
    text = unit.source.text(node)[:300]
    match = _CLASS.match(text)
    name = match[1] if match else next(iter(texts(unit.source, node)), "")
    class_ = name.partition("@")[0].rpartition("\\")[2]
    method = _METHOD.search(text)
    return f"{class_}.{method[1] if method else 'handle'}" if class_ else ""
