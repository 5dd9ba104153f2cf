"""Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.items import Called, Unit
from stationmaster.reading.code.languages.notes import Proof, references
from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.ruby import data, registered, routes, web, work
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Source,
    declarations,
    inside,
    line_of,
    literal,
    remarks,
)
from stationmaster.reading.code.model import Call, FileFacts, Import, ImportKind, SymbolKind

_NAMED = re.compile(
    rb"'(?:[^'\\\n]|\\.)*+'"
    rb'|"(?:[^"\\\n]|\\.)*+"|\\.'
    rb"|(?<![\w:.@$?])((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)(?![\w(]*:(?!:))"
)
KNOWN = code.names("ruby.language.known")
_REQUIRES = code.table("ruby.language.requires", dict[str, ImportKind])
_HOLDERS = frozenset({"class", "module"})
_READERS = frozenset({"attr_reader", "attr_accessor", "attr_writer"})
_VISIBLE = frozenset({"public", "private", "protected", "private_class_method", "private_constant"})

_CALLS = routes.CALLS | web.CALLS | data.CALLS | work.CALLS | registered.CALLS


def read(source: Source) -> FileFacts:
    """The facts of a Ruby file: declarations, imports, calls, and what uses known frameworks."""
    found = source.captures("file")
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    facts = FileFacts(lines=source.lines)
    bodies = [*found.get("holder", ()), *found.get("own", ())]
    members = _Members(source, bodies)
    holders = found.get("holder", ())
    declared = [_holder(source, node, comments) for node in holders]
    declared += [_method(source, node, comments, members) for node in found.get("method", ())]
    for left in found.get("constant", ()):
        node = left.parent or left
        told = source.text(left)
        is_public = told not in members.hidden_names
        doc = docs.sentence(comments.before(node))
        declared.append(Declared(node, told, "constant", None, is_public, doc))
    declared += _readers(source, found, members)
    symbols, scopes = declarations(source, declared)
    spaces = {(line_of(it), _name(source, it)[1]) for it in holders if _is_namespace(it)}
    facts.symbols = tuple(it for it in symbols if (it.line, it.name) not in spaces)
    calls: list[Call] = []
    imports: list[Import] = []
    wired: list[Called] = []
    for node in found.get("call", ()):
        called = node.child_by_field_name("method")
        told, of = source.text(called), node.child_by_field_name("receiver")
        if of is None and told in _REQUIRES:
            imports += _required(source, node, told, scopes.at(node.start_byte))
        else:
            on = receiver(source, of)
            at = scopes.at(node.start_byte)
            calls.append(Call(told, line_of(called or node), on, at))
            if told in _CALLS:
                wired.append(Called(told, on, node, node.child_by_field_name("arguments"), at))
    facts.calls, facts.imports = tuple(calls), tuple(imports)
    facts.imports += references(source, notes, facts, KNOWN, _NAMED)
    facts.marks = remarks(source, notes)
    unit = Unit(source, facts, scopes, wired, Proof(()), found)
    for reader in _FRAMEWORKS:
        facts.add(reader(unit))
    return facts


_FRAMEWORKS = (
    routes.wired,
    data.settings,
    data.entities,
    work.jobs,
    registered.schedules,
    registered.callbacks,
    work.tests,
    work.commands,
    work.entries,
)


class _Members:
    """What stands in the bodies of classes and modules: who of them is hidden, and by name."""

    def __init__(self, source: Source, holders: Iterable[Node]) -> None:
        self.places: set[int] = set()
        self.hidden: set[int] = set()
        self.hidden_names: set[str] = set()
        for holder in holders:
            state = "public"
            for each in inside(holder, "body"):
                self.places.add(each.start_byte)
                if each.type == "identifier" and (told := source.text(each)) in _VISIBLE:
                    state = told
                elif each.type == "call":
                    self._call(source, each)
                elif state != "public" and each.type == "method":
                    self.hidden.add(each.start_byte)

    def _call(self, source: Source, call: Node) -> None:
        """`private def …`, `private :name`."""
        if source.part(call, "method") not in _VISIBLE - {"public"}:
            return
        for each in inside(call, "arguments"):
            self.places.add(each.start_byte)
            if each.type in ("method", "singleton_method"):
                self.hidden.add(each.start_byte)
            else:
                self.hidden_names.add(source.text(each).strip(":'\""))


def _is_namespace(node: Node) -> bool:
    """Does a class or module only hold the definitions of others, and further names for them?"""
    body = [it for it in inside(node, "body") if it.type != "comment" and not _is_alias(it)]
    kinds = {it.type for it in body}
    return bool(kinds) and _HOLDERS.issuperset(kinds) and not inside(node, "superclass")


def _is_alias(node: Node) -> bool:
    """`Task = Command`."""
    right = node.child_by_field_name("right") if node.type == "assignment" else None
    return right is not None and right.type in ("constant", "scope_resolution")


def _holder(source: Source, node: Node, comments: Comments) -> Declared:
    kind: SymbolKind = "class" if node.type == "class" else "module"
    within, name = _name(source, node)
    bases = tuple(source.text(base) for base in inside(node, "superclass"))
    comment = comments.before(node)
    return Declared(
        node,
        name,
        kind,
        node.child_by_field_name("body"),
        ":nodoc:" not in comment,
        docs.sentence(comment),
        bases,
        within=within,
    )


def _name(source: Source, node: Node) -> tuple[str, str]:
    """The dotted names before that of a class or module, and its own."""
    within, _, name = source.part(node, "name").rpartition("::")
    return within.strip(":").replace("::", "."), name


def _method(source: Source, node: Node, comments: Comments, members: _Members) -> Declared:
    name = source.part(node, "name")
    kind: SymbolKind = "method" if node.start_byte in members.places else "function"
    if name == "initialize" and kind == "method":
        kind = "constructor"
    hidden = node.start_byte in members.hidden or name in members.hidden_names
    comment = comments.before(node)
    return Declared(
        node,
        name,
        kind,
        node.child_by_field_name("body"),
        not hidden and ":nodoc:" not in comment and "@private" not in comment,
        docs.sentence(comment),
    )


def _readers(source: Source, found: dict[str, list[Node]], members: _Members) -> Iterator[Declared]:
    for node in found.get("call", ()):
        if source.part(node, "method") in _READERS:
            for each in inside(node, "arguments"):
                name = source.text(each)
                if each.type == "simple_symbol" and node.start_byte in members.places:
                    hidden = name[1:] in members.hidden_names
                    yield Declared(each, name[1:], "property", None, not hidden)


def _required(source: Source, call: Node, word: str, caller: str) -> Iterator[Import]:
    name = literal(source, next(reversed(inside(call, "arguments")), None))
    if name:
        kind = _REQUIRES[word]
        yield Import(name, line_of(call), "lazy" if caller and kind == "module" else kind)
