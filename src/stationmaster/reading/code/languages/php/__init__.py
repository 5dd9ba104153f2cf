"""PHP."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import Annotated, Head
from stationmaster.reading.code.languages.php import data, web, work
from stationmaster.reading.code.languages.php.noted import noted_types
from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    child,
    first_child,
    inside,
    line_of,
)
from stationmaster.reading.code.languages.unit import Called, Field, Unit, items_of
from stationmaster.reading.code.model import Import, Job, Symbol, SymbolKind

_LARAVEL = "Laravel"
_CLASS = re.compile(r"\[?\s*\\?(?:\w+\\)*+(\w+)::class\b")
_OWN_METHOD = re.compile(
    r"(?:__CLASS__|(?:self|static|__CLASS__)::class|get_class\(\$this\))\s*\.\s*['\"]@(\w+)['\"]"
    r"|\[\s*(?:\$this|__CLASS__|(?:self|static)::class)\s*,\s*['\"](\w+)['\"]"
    r"|\$this->(\w+)\(\.\.\.\)"
)
"""A method of the class that registers it."""
_CLOSURE = re.compile(r"(?:static\s+)?(?:function|fn)\b")
_METHOD = re.compile(r"[,@]\s*['\"]?(\w+)['\"]")
_TAKEN = re.compile(r"\(\s*\??([\w\\|]+)\s+\$\w+\s*\)")
_SUBSCRIBER = re.compile(r"(?:on|handle)[A-Z]\w*")
CALLS = frozenset({"listen"})

_KINDS = code.table("php.grammar.kinds", dict[str, SymbolKind])
_NAMED = re.compile(
    rb"'(?:[^'\\]|\\.)*+'"
    rb'|"(?:[^"\\]|\\.)*+"|\\[\'"]'
    rb"|(?<![\w$\\>:])(\\[A-Z]\w*(?:\\\w+)*|[A-Z]\w*+(?:\\\w++)*+(?!\\))"
)
_TRAITS = re.compile(rb"^[ \t]{1,40}use[ \t]{1,4}([\w\\, \t]{1,300})[;{]", re.MULTILINE)
"""Traits that a type uses; imports of a file are outside types."""
KNOWN = code.names("php.language.known")


class File(Annotated):
    """A file of PHP."""

    KINDS, KNOWN = _KINDS, KNOWN
    CALLS = web.CALLS | data.CALLS | work.CALLS | CALLS
    SIGN, NAMED = "\\", _NAMED

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The declarations, types with the traits that they use."""
        return tuple(_with_traits(self, self._declared[0]))

    @cached_property
    def called(self) -> list[Called]:
        """The calls that readers use; names of methods have no case."""
        spelled = {name.lower(): name for name in self.CALLS}
        return [
            Called(self, name, it.node, it.of, it.listed, it.at)
            for it in self.every
            if not it.is_made and (name := spelled.get(it.name.lower()))
        ]

    def noted_types(self) -> Iterable[tuple[str, str, str]]:
        """Holders, names and types that comments declare."""
        return noted_types(self, self.symbols)

    def receiver(self, node: Node | None) -> str:
        """The receiver of a call, without the sign before the name of a variable."""
        return super().receiver(node).lstrip("$")

    @cached_property
    def references(self) -> tuple[Import, ...]:
        """The types that the file names, as full as its imports and namespace allow."""
        spaces = {it.bound[0]: it.name for it in self.imports if it.bound}
        named, package = super().references, self.package
        return tuple(it for one in named for it in _whole(one, spaces, package))

    def importing(self, node: Node) -> Iterator[Import]:
        """`use A\\B;`, `use A\\{B, C as D};`, `use function A\\b;`"""
        group = child(node, "body")
        prefix = self.text(node.named_children[0]) + "\\" if group is not None else ""
        for clause in (group or node).named_children:
            if clause.type != "namespace_use_clause":
                continue
            alias = child(clause, "alias")
            name = prefix + self.text(clause.named_children[0]).lstrip("\\")
            bound = self.text(alias) if alias is not None else name.rpartition("\\")[2]
            yield Import(name, line_of(clause), bound=(bound,))

    def declaring(self, node: Node, head: Head) -> list[Declared]:
        """The symbols of a declaration."""
        kind = _KINDS[node.type]
        is_hidden = not head.words.isdisjoint(("private", "protected"))
        is_public = not is_hidden and "@internal" not in head.comment
        if kind == "property" and not is_public and not head.notes:
            return []
        names = [child(node, "name")]
        for part in node.children:
            if part.type == "const_element":
                names.append(part.named_children[0])
            elif part.type == "property_element":
                names.append(child(part, "name"))
        body = child(node, "body")
        return Declared(node, "", kind, body, is_public).named(self, names, "$")

    def note(self, node: Node) -> tuple[str, Node | None]:
        """The name of an attribute, and its arguments."""
        return self.text(node.named_children[0]), child(node, "parameters")

    def fields(self, node: Node) -> list[Field]:
        """The properties of a class, or the parameters of a method."""
        return [
            self.field(member, name, self.part(member, "type"), sign="$")
            for member in (*inside(node, "parameters"), *inside(node, "body"))
            if "parameter" in member.type or member.type == "property_declaration"
            for element in (member, *member.named_children)
            if element.type != "property_declaration" and (name := child(element, "name"))
            if element == member or element.type == "property_element"
        ]


def _with_traits(source: Source, symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    """Symbols, those of types with a mark `use Counts` for each trait that they use."""
    types = [it for it in symbols if it.kind in ("class", "trait", "enum")]
    marks: dict[str, list[str]] = defaultdict(list)
    for match in _TRAITS.finditer(source.data):
        line = source.data.count(b"\n", 0, match.start(1)) + 1
        holders = [it for it in types if it.line <= line <= it.end]
        if holders:
            names = match[1].decode(errors="replace").split(",")
            marks[holders[-1].qualified] += [f"use {name.strip()}" for name in names]
    for it in symbols:
        own = marks.get(it.qualified, []) if it in types else []
        yield replace(it, marks=(*it.marks, *own)) if own else it


def _whole(import_: Import, spaces: Mapping[str, str], package: str) -> Iterator[Import]:
    """An import as it is; for `Api\\Orders` after `use Shop\\Api` that of the class. In a file
    without a namespace such a name is full."""
    first, sign, rest = import_.name.partition("\\")
    if import_.kind != "reference" or not (first and sign):
        yield import_
    elif first in spaces:
        yield Import(f"{spaces[first]}\\{rest}", import_.line, bound=import_.bound)
    elif not package:
        yield replace(import_, name=f"\\{import_.name}")


def _includes(unit: Unit) -> Iterator[Import]:
    for node in unit.nodes["include"]:
        if name := _included(unit, node):
            yield Import(name, line_of(node), "include")


def _included(source: Source, node: Node) -> str:
    """The path that is included, seen from the file's folder; '' for what is no literal."""
    target: Node | None = node.named_children[0] if node.named_children else None
    while target is not None and target.type == "parenthesized_expression":
        target = target.named_children[0]
    if target is not None and target.type == "binary_expression":
        left = source.part(target, "left")
        if left not in ("__DIR__", "dirname(__FILE__)"):
            return ""
        return "." + (source.literal(child(target, "right")) or "")
    return source.literal(target) or ""


def events(unit: Unit) -> Iterator[Job]:
    """The listeners that a provider lists, those that are registered by calls, and those whose
    methods have the event as the type of a parameter."""
    for node in unit.nodes["declared"] if b"$listen" in unit.data else ():
        element = first_child(node, "property_element")
        if element is not None and unit.part(element, "name") == "$listen":
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
        if call.name == "listen" and call.on in ("Event", "events", "dispatcher"):
            arguments = call.given
            listener = arguments.get(1)
            handler = _handler(unit, listener, call.caller) if listener is not None else ""
            if listener is not None and _CLOSURE.match(unit.text(listener)[:40]):
                handler = call.caller
            for event in items_of(arguments.get(0)):
                yield from _job(_event(unit, event), handler, call.line)


def _typed(unit: Unit) -> Iterator[Job]:
    """The methods of listeners, and those of classes that subscribe to events without a list."""
    listing = {it.caller for it in unit.called if it.name == "listen"}
    subscribers = {
        it.container
        for it in unit.symbols
        if it.name == "subscribe" and it.qualified not in listing
    }
    is_listening = "Listeners" in unit.package.split("\\")
    for symbol in unit.symbols:
        is_meant = (symbol.container in subscribers and _SUBSCRIBER.fullmatch(symbol.name)) or (
            is_listening and symbol.name in ("handle", "__invoke")
        )
        parameter = _TAKEN.search(symbol.signature) if is_meant and symbol.container else None
        for event in parameter[1].split("|") if parameter else ():
            yield from _job(event.rpartition("\\")[2], symbol.qualified, symbol.line)


def _job(event: str, handler: str, line: int) -> Iterator[Job]:
    if event and handler:
        yield Job(handler, "event", line, event, handler, _LARAVEL)


def _event(unit: Unit, node: Node) -> str:
    """The name of an event, without its namespace."""
    match = _CLASS.match(unit.text(node))
    name = match[1] if match else next(iter(unit.texts(node)), "")
    return name.rpartition("\\")[2]


def _handler(unit: Unit, node: Node, caller: str = "") -> str:
    """`Bills.send` of `[Bills::class, "send"]`, `"Shop\\Bills@send"` and, where a method of that
    class calls, `__CLASS__."@send"`; '' for a closure."""
    text = unit.text(node)[:300]
    if own := _OWN_METHOD.match(text):
        return f"{caller.rpartition('.')[0]}.{own[own.lastindex or 0]}"
    match = _CLASS.match(text)
    name = match[1] if match else next(iter(unit.texts(node)), "")
    class_ = name.partition("@")[0].rpartition("\\")[2]
    method = _METHOD.search(text)
    return f"{class_}.{method[1] if method else 'handle'}" if class_ else ""


READERS = (
    _includes,
    web.wired,
    data.settings,
    data.entities,
    work.jobs,
    events,
    work.tests,
    work.commands,
    work.entries,
)
