"""Settings and entities of Ruby: the environment, ActiveRecord, Mongoid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.fallback import expressed, fallback
from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.languages.source import above, child, entity_of, line_of
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.code.stored import Column, Entity

_TABLE = re.compile(rb"self\.table_name\s*=\s*[\"':](\w{1,100})")
_ABSTRACT = re.compile(
    rb"self\.abstract_class[ \t]*=[ \t]*true|^[ \t]*primary_abstract_class\b", re.MULTILINE
)
_SET = code.names("ruby.settings.set")
CALLS = frozenset({"fetch", "belongs_to", "field", "include"})


def settings(unit: Unit) -> Iterator[Setting]:
    """The variables of `ENV["NAME"]` and `ENV.fetch`, but not those that are only set. What only a
    method asks for need not be there when the program starts."""
    rows = []
    for call in unit.called:
        if call.name == "fetch" and call.on == "ENV":
            name = call.value(0)
            default = call.given.get(1)
            block = child(call.node, "block")
            if name:
                other = default or _only(block)
                default_text = unit.value(other) or fallback(unit, call.node)
                default_text = default_text or expressed(unit, other)
                is_at_start = above(call.node, "method", "singleton_method") is None
                is_required = is_at_start and default is None and block is None and name not in _SET
                rows.append(Setting(name, "env", call.line, default_text, is_required))
    for node in unit.nodes["index"]:
        inside = node.named_children
        if len(inside) == 2 and unit.text(inside[0]) == "ENV" and not _is_written(node):
            default_text = fallback(unit, node)
            names = unit.texts(inside[1])
            rows += [Setting(name, "env", line_of(node), default_text) for name in names]
    yield from sorted(rows, key=lambda setting: (setting.line, setting.name))


def _is_written(node: Node) -> bool:
    around = node.parent
    left = child(around, "left")
    return around is not None and around.type == "assignment" and left == node


def _only(block: Node | None) -> Node | None:
    """The one expression of a block, without what it is in."""
    body = child(block, "body")
    return body.named_children[0] if body is not None and body.named_child_count == 1 else None


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables of ActiveRecord's classes, without abstract ones, and Mongoid's documents."""
    for symbol in unit.symbols:
        is_record = any(
            base.endswith(("ApplicationRecord", "ActiveRecord::Base")) for base in symbol.bases
        )
        if symbol.kind != "class" or not is_record:
            continue
        own = unit.data.split(b"\n")[symbol.line - 1 : symbol.end]
        body = b"\n".join(own)
        if not _ABSTRACT.search(body):
            match = _TABLE.search(body)
            name = match[1].decode() if match else plural(snake(symbol.name))
            yield entity_of(symbol, name, _references(unit, symbol), "ActiveRecord")
    yield from _documents(unit)


def _references(unit: Unit, symbol: Symbol) -> Iterator[Column]:
    for call in _own(unit, symbol.qualified, "belongs_to"):
        name = call.value(0)
        if name:
            target = call.value("class_name").rpartition("::")[2]
            key = call.value("foreign_key") or f"{name}_id"
            is_open = unit.text(call.given.get("polymorphic")) == "true"
            to = "" if is_open else plural(snake(target or name))
            yield Column(key, references=to, line=call.line)


def _documents(unit: Unit) -> Iterator[Entity]:
    included = {
        call.caller
        for call in unit.called
        if call.name == "include" and "Mongoid::Document" in unit.text(call.listed)
    }
    for symbol in unit.symbols:
        if symbol.qualified in included:
            columns = []
            for call in _own(unit, symbol.qualified, "field"):
                if name := call.value(0):
                    kind = unit.text(call.given.get("type"))
                    columns.append(Column(name, kind, line=call.line))
            yield entity_of(symbol, plural(snake(symbol.name)), columns, "Mongoid", "document")


def _own(unit: Unit, qualified: str, name: str) -> Iterator[Called]:
    return (call for call in unit.called if call.name == name and call.caller == qualified)
