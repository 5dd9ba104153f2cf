"""Settings that a schema of Ruby declares in groups, each with its type, and a block that says what
it means or what it is by default: `group :mail do string :host do default "localhost" end end`."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.fallback import expressed
from stationmaster.reading.code.languages.source import child, inside, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Setting

_TYPES = code.names("ruby.settings.types")
_GROUPS = code.names("ruby.settings.groups")
_MEANINGS = code.names("ruby.settings.meanings")
_DEFAULT = "default"
CALLS = _TYPES | _GROUPS | _MEANINGS | {_DEFAULT}


def settings(unit: Unit) -> Iterator[Setting]:
    """The keys of a schema with the names of the groups around them, by place."""
    by_node = {call.node.id: call for call in unit.called if not call.on}
    for call in by_node.values():
        stated = {it.name: it for it in _stated(by_node, call)} if call.name in _TYPES else {}
        meaning = next((it for name, it in stated.items() if name in _MEANINGS), None)
        groups = [*_groups(by_node, call)]
        if call.value(0) and groups and (meaning or _DEFAULT in stated):
            own = _default(stated[_DEFAULT]) if _DEFAULT in stated else None
            doc = one_line(meaning.value(0)) if meaning else ""
            name = ".".join((*reversed(groups), call.value(0)))
            words = map(unit.text, inside(child(call.node, "block", "body")))
            type_ = f"array of {call.name}" if "array" in words else call.name
            yield Setting(name, "key", call.line, own, doc=doc, type=type_, is_declared=True)


def _default(call: Called) -> str | None:
    """The value that a call states, a list where it states several."""
    nodes = call.given.at
    if len(nodes) > 1:
        return f"[{', '.join(map(call.unit.text, nodes))}]"
    own = call.unit.value(call.given.get(0))
    return own if own is not None else expressed(call.unit, call.given.get(0))


def _stated(by_node: dict[int, Called], call: Called) -> Iterator[Called]:
    """The calls that the block of a call consists of."""
    body = child(call.node, "block", "body")
    yield from (by_node[it.id] for it in inside(body) if it.id in by_node)


def _groups(by_node: dict[int, Called], call: Called) -> Iterator[str]:
    """The names of the groups around a call, the innermost first."""
    node: Node | None = call.node.parent
    while node is not None:
        around = by_node.get(node.id)
        if around is not None and around.name in _GROUPS and around.value(0):
            yield around.value(0)
        node = node.parent
