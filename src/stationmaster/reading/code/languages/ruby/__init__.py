"""Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter_ruby
from tree_sitter import Node

from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.items import Called, Unit, unit
from stationmaster.reading.code.languages.notes import Proof
from stationmaster.reading.code.languages.ruby import data, routes, web, work
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Source,
    declarations,
    line_of,
    literal,
    receiver,
    references,
    remarks,
)
from stationmaster.reading.code.model import Call, FileFacts, Import, ImportKind, SymbolKind

_QUERY = """
[(class) (module)] @holder
(singleton_class) @own
[(method) (singleton_method)] @method
(assignment left: (constant) @constant)
(call method: [(identifier) (constant)] @called) @call
(element_reference) @index
(comment) @comment
"""
_NAMED = re.compile(
    rb"'(?:[^'\\\n]|\\.)*+'"
    rb'|"(?:[^"\\\n]|\\.)*+"|\\.'
    rb"|(?<![\w:.@$?])((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)(?![\w(]*:(?!:))"
)
KNOWN = frozenset(
    {
        "ARGF",
        "ARGV",
        "Array",
        "ArgumentError",
        "BasicObject",
        "Class",
        "Comparable",
        "Date",
        "DateTime",
        "Dir",
        "ENV",
        "Enumerable",
        "Exception",
        "FalseClass",
        "File",
        "Float",
        "Hash",
        "Integer",
        "JSON",
        "Kernel",
        "Logger",
        "Module",
        "NameError",
        "NilClass",
        "NoMethodError",
        "NotImplementedError",
        "Numeric",
        "Object",
        "Process",
        "Proc",
        "RUBY_VERSION",
        "Rails",
        "Range",
        "Regexp",
        "RuntimeError",
        "STDERR",
        "STDIN",
        "STDOUT",
        "Set",
        "StandardError",
        "String",
        "Struct",
        "Symbol",
        "Thread",
        "Time",
        "TrueClass",
        "URI",
    }
)
"""Constants of the language and its library."""
_REQUIRES: dict[str, ImportKind] = {
    "require": "module",
    "require_relative": "include",
    "load": "include",
    "autoload": "lazy",
}
_READERS = frozenset({"attr_reader", "attr_accessor", "attr_writer"})
_VISIBLE = frozenset({"public", "private", "protected", "private_class_method", "private_constant"})

_CALLS = routes.CALLS | web.CALLS | data.CALLS | work.CALLS


def grammar() -> object:
    """The tree-sitter grammar of Ruby, as `tree_sitter.Language` takes it."""
    return tree_sitter_ruby.language()


def read(source: Source) -> FileFacts:
    """The facts of a Ruby file: declarations, imports, calls, and what uses known frameworks."""
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    facts = FileFacts(lines=source.lines)
    bodies = [*found.get("holder", ()), *found.get("own", ())]
    members = _Members(source, bodies)
    declared = [_holder(source, node, comments) for node in found.get("holder", ())]
    declared += [_method(source, node, comments, members) for node in found.get("method", ())]
    for left in found.get("constant", ()):
        node = left.parent or left
        told = source.text(left)
        is_public = told not in members.hidden_names
        doc = docs.sentence(comments.before(node))
        declared.append(Declared(node, told, "constant", None, is_public, doc))
    declared += _readers(source, found, members)
    facts.symbols, scopes = declarations(source, declared)
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
    _wire(unit(source, facts, (), wired, lambda _: [], Proof(())), found.get("index", []))
    return facts


def _wire(wiring: Unit, indexed: list[Node]) -> None:
    """Add to the facts of a file what frameworks make of it."""
    facts = wiring.facts
    drawn, mounted = routes.wired(wiring)
    facts.routes = tuple(
        sorted([*drawn, *web.routes(wiring)], key=lambda each: (each.line, each.path, each.method))
    )
    facts.mounts = tuple(mounted)
    facts.settings = tuple(data.settings(wiring, indexed))
    facts.entities = tuple(data.entities(wiring))
    facts.jobs = tuple(work.jobs(wiring))
    facts.tests = tuple(work.tests(wiring))
    facts.commands = tuple(work.commands(wiring))
    facts.entries = tuple(work.entries(wiring))


class _Members:
    """What stands in the bodies of classes and modules: who of them is hidden, and by name."""

    def __init__(self, source: Source, holders: Iterable[Node]) -> None:
        self.places: set[int] = set()
        self.hidden: set[int] = set()
        self.hidden_names: set[str] = set()
        for holder in holders:
            body = holder.child_by_field_name("body")
            state = "public"
            for each in body.named_children if body is not None else ():
                self.places.add(each.start_byte)
                if each.type == "identifier" and (told := source.text(each)) in _VISIBLE:
                    state = told
                elif each.type == "call":
                    self._call(source, each)
                elif state != "public" and each.type == "method":
                    self.hidden.add(each.start_byte)

    def _call(self, source: Source, call: Node) -> None:
        """`private def …`, `private :name`."""
        if source.text(call.child_by_field_name("method")) not in _VISIBLE - {"public"}:
            return
        given = call.child_by_field_name("arguments")
        for each in given.named_children if given is not None else ():
            self.places.add(each.start_byte)
            if each.type in ("method", "singleton_method"):
                self.hidden.add(each.start_byte)
            else:
                self.hidden_names.add(source.text(each).strip(":'\""))


def _holder(source: Source, node: Node, comments: Comments) -> Declared:
    kind: SymbolKind = "class" if node.type == "class" else "module"
    within, _, name = source.text(node.child_by_field_name("name")).rpartition("::")
    above = node.child_by_field_name("superclass")
    bases = tuple(source.text(each) for each in above.named_children) if above is not None else ()
    comment = comments.before(node)
    return Declared(
        node,
        name,
        kind,
        node.child_by_field_name("body"),
        ":nodoc:" not in comment,
        docs.sentence(comment),
        bases,
        within=within.strip(":").replace("::", "."),
    )


def _method(source: Source, node: Node, comments: Comments, members: _Members) -> Declared:
    name = source.text(node.child_by_field_name("name"))
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
        if source.text(node.child_by_field_name("method")) in _READERS:
            given = node.child_by_field_name("arguments")
            for each in given.named_children if given is not None else ():
                name = source.text(each)
                if each.type == "simple_symbol" and node.start_byte in members.places:
                    hidden = name[1:] in members.hidden_names
                    yield Declared(each, name[1:], "property", None, not hidden)


def _required(source: Source, call: Node, word: str, caller: str) -> Iterator[Import]:
    given = call.child_by_field_name("arguments")
    last = given.named_children[-1] if given is not None and given.named_children else None
    name = literal(source, last)
    if name:
        kind = _REQUIRES[word]
        yield Import(name, line_of(call), "lazy" if caller and kind == "module" else kind)
