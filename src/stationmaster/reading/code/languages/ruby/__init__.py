"""Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.annotations import referred
from stationmaster.reading.code.languages.ruby import (
    bare,
    data,
    migrations,
    routes,
    schemas,
    web,
    work,
)
from stationmaster.reading.code.languages.source import Declared, Source, child, inside, line_of
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Import, ImportKind, Symbol, SymbolKind

_NAMED = re.compile(
    rb"'(?:[^'\\\n]|\\.)*+'"
    rb'|"(?:[^"\\\n]|\\.)*+"|\\.'
    rb"|(?<![\w:.@$?])(?<!\bmodule )((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)(?![\w(]*:(?!:))"
)
KNOWN = code.names("ruby.language.known")
_REQUIRES = code.table("ruby.language.requires", dict[str, ImportKind])
_HOLDERS = frozenset({"class", "module"})
_ARRAYS = frozenset({"array", "string_array", "symbol_array"})
_ENDING = frozenset({";", "end"})
"""Behind the signature of a method without a body."""
_SYMBOLS = frozenset({"simple_symbol", "bare_symbol", "bare_string", "hash_key_symbol"})
_READERS = frozenset({"attr_reader", "attr_accessor", "attr_writer"})
_VISIBLE = frozenset({"public", "private", "protected", "private_class_method", "private_constant"})

_CALLS = routes.CALLS | web.CALLS | data.CALLS | schemas.CALLS | work.CALLS


class File(Unit):
    """A file of Ruby."""

    SIGN, CALLS = "::", _CALLS

    @cached_property
    def _members(self) -> _Members:
        return _Members(self, [*self.nodes["holder"], *self.nodes["own"]])

    def declared(self) -> Iterator[Declared]:
        """Classes and modules, their methods and constants, and accessors of members."""
        for node in self.nodes["holder"]:
            yield _holder(self, node)
        for node in self.nodes["method"]:
            yield _method(self, node, self._members)
        for left in self.nodes["constant"]:
            node, name = left.parent or left, self.text(left)
            is_public = name not in self._members.hidden_names
            doc = self.sentence(node)
            yield Declared(node, name, "constant", None, is_public, doc)
        yield from _readers(self, self._members)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The declarations, without those that only hold others."""
        holders = filter(_is_namespace, self.nodes["holder"])
        spaces = {(line_of(node), _name(self, node)[1]) for node in holders}
        return tuple(it for it in self._declared[0] if (it.line, it.name) not in spaces)

    @cached_property
    def _all(self) -> list[Called]:
        return [self._whole(node) for node in self.nodes["call"]]

    def _whole(self, node: Node) -> Called:
        of, name = child(node, "receiver"), child(node, "method")
        return Called(self, self.text(name), node, of, child(node, "arguments"), name)

    @cached_property
    def every(self) -> list[Called]:
        """The calls by place, without those that load files."""
        return [call for call in self._all if call.of or call.name not in _REQUIRES]

    @property
    def running(self) -> Iterable[Called]:
        """All calls, with those that are only a name."""
        return (*self.every, *bare.bare_calls(self))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The files that are loaded, by place."""
        loading = (call for call in self._all if not call.of and call.name in _REQUIRES)
        return tuple(it for call in loading for it in _required(call))

    def literal(self, node: Node | None) -> str | None:
        """The content of a text, or a symbol without its colon."""
        is_symbol = node is not None and node.type in _SYMBOLS
        return self.text(node).strip(":") if is_symbol else super().literal(node)

    def texts(self, node: Node | None) -> list[str]:
        """The texts and symbols of a value: one, or those of a list."""
        items = inside(node) if node is not None and node.type in _ARRAYS else [node]
        return [text for item in items if item and (text := self._plain(item)) is not None]

    @cached_property
    def references(self) -> tuple[Import, ...]:
        """The classes and modules that the file names without declaring them."""
        return referred(self, self.nodes["comment"], KNOWN, _NAMED)


READERS = (
    routes.wired,
    data.settings,
    schemas.settings,
    data.entities,
    migrations.migrated,
    migrations.made,
    work.jobs,
    work.schedules,
    work.callbacks,
    work.tests,
    work.commands,
    work.entries,
)


class _Members:
    """The members in the bodies of classes and modules: the hidden ones, and all by name."""

    def __init__(self, source: Source, holders: Iterable[Node]) -> None:
        self.places: set[int] = set()
        self.hidden: set[int] = set()
        self.hidden_names: set[str] = set()
        for holder in holders:
            state = "public"
            for node in inside(holder, "body"):
                self.places.add(node.start_byte)
                if node.type == "identifier" and (word := source.text(node)) in _VISIBLE:
                    state = word
                elif node.type == "call":
                    self._call(source, node)
                elif state != "public" and node.type == "method":
                    self.hidden.add(node.start_byte)

    def _call(self, source: Source, call: Node) -> None:
        """`private def …`, `private :name`."""
        if source.part(call, "method") not in _VISIBLE - {"public"}:
            return
        for argument in inside(call, "arguments"):
            self.places.add(argument.start_byte)
            if argument.type in ("method", "singleton_method"):
                self.hidden.add(argument.start_byte)
            else:
                self.hidden_names.add(source.text(argument).strip(":'\""))


def _is_namespace(node: Node) -> bool:
    """Does a class or module only hold the definitions of others, and further names for them?"""
    body = [it for it in inside(node, "body") if it.type != "comment" and not _is_alias(it)]
    kinds = {it.type for it in body}
    return bool(kinds) and _HOLDERS.issuperset(kinds) and not inside(node, "superclass")


def _is_alias(node: Node) -> bool:
    """`Task = Command`."""
    right = child(node, "right") if node.type == "assignment" else None
    return right is not None and right.type in ("constant", "scope_resolution")


def _holder(unit: Unit, node: Node) -> Declared:
    kind: SymbolKind = "class" if node.type == "class" else "module"
    within, name = _name(unit, node)
    bases = tuple(unit.text(base) for base in inside(node, "superclass"))
    comment = unit.comments.before(node)
    return Declared(
        node,
        name,
        kind,
        child(node, "body"),
        ":nodoc:" not in comment,
        docs.sentence(comment),
        bases,
        within=within,
    )


def _name(source: Source, node: Node) -> tuple[str, str]:
    """The dotted names before that of a class or module, and its own."""
    within, _, name = source.part(node, "name").rpartition("::")
    return within.strip(":").replace("::", "."), name


def _method(unit: Unit, node: Node, members: _Members) -> Declared:
    name = unit.part(node, "name")
    kind: SymbolKind = "method" if node.start_byte in members.places else "function"
    if name == "initialize" and kind == "method":
        kind = "constructor"
    hidden = node.start_byte in members.hidden or name in members.hidden_names
    comment = unit.comments.before(node)
    return Declared(
        node,
        name,
        kind,
        child(node, "body") or next((it for it in node.children if it.type in _ENDING), None),
        not hidden and ":nodoc:" not in comment and "@private" not in comment,
        docs.sentence(comment),
    )


def _readers(unit: Unit, members: _Members) -> Iterator[Declared]:
    for node in unit.nodes["call"]:
        if unit.part(node, "method") in _READERS:
            for argument in inside(node, "arguments"):
                name = unit.text(argument)
                if argument.type == "simple_symbol" and node.start_byte in members.places:
                    hidden = name[1:] in members.hidden_names
                    yield Declared(argument, name[1:], "property", None, not hidden)


def _required(call: Called) -> Iterator[Import]:
    name = call.unit.literal(next(reversed(inside(call.listed)), None))
    if name:
        kind = _REQUIRES[call.name]
        is_lazy = call.caller and kind == "module"
        yield Import(name, line_of(call.node), "lazy" if is_lazy else kind)
