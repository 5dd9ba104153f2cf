"""What the rules for frameworks are given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.notes import (
    NAMED_TYPE,
    Head,
    Note,
    Noted,
    Proof,
    head_of,
    references,
    texts,
)
from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import (
    Arguments,
    Comments,
    Declared,
    Source,
    arguments,
    declarations,
    line_of,
    one_line,
    remarks,
)
from stationmaster.reading.code.model import Call, Fact, FileFacts, Import, Mark, Symbol, SymbolKind

_LITERALS = {
    "class_literal": "Class",
    "string_literal": "String",
    "true": "boolean",
    "false": "boolean",
}
"""The types of literals of Java, which tells methods of one name apart by what they take."""


class Called(NamedTuple):
    """A call. `given` is the list of its arguments, `node` all of it with the blocks it is given;
    `caller` the symbol around it."""

    name: str
    of: str
    node: Node
    given: Node | None
    caller: str

    @property
    def line(self) -> int:
        """The line of its arguments, or of the call where it has no list of them."""
        return line_of(self.given or self.node)


class Calls(NamedTuple):
    """All calls by line; those of names that rules ask for; and those that make an object."""

    every: tuple[Call, ...]
    called: list[Called]
    made: list[Called]


def calls(source: Source, scopes: Scopes, asked: frozenset[str] | None = frozenset()) -> Calls:
    """The calls of a file; `asked` are names whose arguments matter, all of them for None."""
    # PHP calls methods whatever the case of their names.
    spelled = {name.lower(): name for name in asked or ()} if source.language == "PHP" else {}
    every: list[tuple[tuple[int, int], Call]] = []
    called: list[Called] = []
    made: list[Called] = []
    for node, found in _tagged(source):
        name, of, is_made = found["name"][0], _first(found, "of"), "made" in found
        text = source.text(name)
        text = text.partition("<")[0] if is_made else text
        at = line_of(_first(found, "at") or (node if is_made else name))
        caller, on = scopes.at(node.start_byte), receiver(source, of)
        if source.language == "PHP":  # Its variables have a sign before their name.
            on = on.lstrip("$")
        order = (at, node.end_byte)  # What a call is given is called before it.
        given = _types(_first(found, "given")) if source.language == "Java" else None
        every.append((order, Call(text, at, on, caller, given)))
        if is_made or asked is None or text in asked or text.lower() in spelled:
            group = made if is_made else called
            group.append(
                Called(spelled.get(text.lower(), text), on, node, _first(found, "given"), caller)
            )
    every.sort(key=lambda each: each[0])
    return Calls(tuple(call for _, call in every), called, made)


def _tagged(source: Source) -> list[tuple[Node, dict[str, list[Node]]]]:
    """Each call with its captures, by place, the outer first. One that matches with and without
    what is optional is taken with it."""
    best: dict[tuple[int, int], tuple[Node, dict[str, list[Node]]]] = {}
    for found in source.matches("tags"):
        node = (found.get("call") or found["made"])[0]
        place = (node.start_byte, -node.end_byte)
        if place not in best or len(found) > len(best[place][1]):
            best[place] = (node, found)
    return [best[place] for place in sorted(best)]


def _types(given: Node | None) -> tuple[str, ...] | None:
    """Of each argument in a list its type, where it is a literal."""
    if given is None:
        return None
    kinds = [each.type for each in given.named_children]
    return tuple(_LITERALS.get(kind, "") for kind in kinds if not kind.endswith("comment"))


def _first(found: dict[str, list[Node]], name: str) -> Node | None:
    return next(iter(found.get(name, ())), None)


_LAST = re.compile(r"\.|\\|::")


def last_of(name: str) -> str:
    """`Job` of `org.quartz.Job<Order>`."""
    return _LAST.split(name.partition("<")[0])[-1]


class Field(NamedTuple):
    """A field of a class, or a parameter that makes one. `node` declares it."""

    name: str
    type: str
    line: int
    notes: Mapping[str, Note]
    node: Node


class Unit(NamedTuple):
    """One file. `made` are the calls that make an object, `nodes` what the query of the file
    captures."""

    source: Source
    facts: FileFacts
    scopes: Scopes
    called: Sequence[Called]
    proof: Proof
    nodes: Mapping[str, Sequence[Node]]
    noted: Sequence[Noted] = ()
    made: Sequence[Called] = ()
    form: Form | None = None

    def fields(self, node: Node) -> list[Field]:
        """The fields of a class."""
        return self.form.fields(self.source, node) if self.form is not None else []

    def by_name(self, name: str) -> Iterator[tuple[Noted, Note]]:
        """Declarations that have an annotation of this simple name."""
        return ((each, each.notes[name]) for each in self.noted if name in each.notes)

    def marked(self, packages: Mapping[str, Sequence[str]]) -> Iterator[tuple[Noted, Note, str]]:
        """Declarations that have one of these annotations, each of one of its packages."""
        found = [
            (each, note, name)
            for name in packages
            for each, note in self.by_name(name)
            if self.proof.of(note.written, packages[name])
        ]
        found.sort(key=lambda each: each[0].node.start_byte)
        yield from found

    def arguments(self, call: Called) -> Arguments:
        """The arguments of a call, by place and by name."""
        return arguments(self.source, call.given)

    def text(self, call: Called, *keys: int | str) -> str:
        """The text that a call is given; '' without one."""
        return next(iter(texts(self.source, self.arguments(call).get(*keys))), "")

    def classes(self, *bases: str) -> Iterator[tuple[Symbol, str]]:
        """Classes that say one of these as what they extend, and what they say."""
        for symbol in self.facts.symbols:
            for base in symbol.bases:
                if last_of(base) in bases:
                    yield symbol, base

    def marks(self, name: str) -> tuple[Mark, ...]:
        """The file's remarks, and what an annotation says is old."""
        old = [Mark("deprecated", note.line, each.qualified) for each, note in self.by_name(name)]
        return tuple(sorted((*self.facts.marks, *old), key=lambda each: each.line))


class Form(NamedTuple):
    """How a language with annotations is read: what its query captures is given to these.

    `declared` makes symbols of a declaration, `imports` imports of a statement; `note` gives the
    name of an annotation as written and its arguments, `fields` those of a class, `call` a call
    with the block behind it. `kinds` are those of declarations by the types of their nodes,
    `known` names of the language itself, `calls` those whose arguments matter; `deprecated` is the
    annotation of what is old. Comments that begin with `documenting` say what a declaration is, in
    HTML or XML where that `has_markup`. `readers` report what frameworks make of a file.
    """

    declared: Callable[[Source, Node, Head], Iterable[Declared]]
    imports: Callable[[Source, Node], Iterable[Import]]
    note: Callable[[Source, Node], tuple[str, Node | None]]
    fields: Callable[[Source, Node], list[Field]]
    kinds: Mapping[str, SymbolKind]
    known: frozenset[str]
    calls: frozenset[str]
    readers: Sequence[Callable[[Unit], Iterable[Fact]]]
    sign: str = "."
    deprecated: str = "Deprecated"
    named: re.Pattern[bytes] = NAMED_TYPE
    call: Callable[[Called], Called] = lambda call: call
    documenting: tuple[str, ...] = ("/**",)
    has_markup: bool = True

    def field(
        self, source: Source, node: Node, name: Node | None, type_: str, *, sign: str = ""
    ) -> Field:
        """A field that a node declares, without a sign before its name."""
        notes = self.notes(source, head_of(source, node).notes)
        line, text = line_of(name or node), source.text(name).lstrip(sign)
        return Field(text, one_line(type_, 80), line, notes, node)

    def notes(self, source: Source, nodes: Iterable[Node]) -> dict[str, Note]:
        """Annotations by their simple names."""
        notes = {}
        for node in nodes:
            written, given = self.note(source, node)
            notes[_LAST.split(written)[-1]] = Note(source, written, node, given)
        return notes


def read(source: Source, form: Form) -> FileFacts:
    """The facts of a file: declarations, imports, calls, and what uses known frameworks."""
    nodes = source.captures("file")
    hidden = Scopes([(node.start_byte, node.end_byte, node.type) for node in nodes["anonymous"]])
    nodes["declared"] = [it for it in nodes["declared"] if not hidden.at(it.start_byte)]
    comments = Comments(source, nodes["comment"])
    package = source.text(next(iter(nodes["package"]), None))
    facts = FileFacts(lines=source.lines, package=package)
    facts.imports = tuple(each for node in nodes["import"] for each in form.imports(source, node))
    declared = list(_declared(source, form, nodes, comments))
    facts.symbols, scopes = declarations(source, declared)
    skipped = [*nodes["comment"], *nodes["import"], *nodes["package"]]
    skipped.sort(key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, form.known, form.named)
    facts.calls, called, made = calls(source, scopes, form.calls)
    facts.marks = remarks(source, nodes["comment"])
    unit = Unit(
        source,
        facts,
        scopes,
        [form.call(call) for call in called],
        Proof(facts.imports, form.sign),
        nodes,
        [*_noted(source, form, declared, scopes)],
        made,
        form,
    )
    for reader in form.readers:
        facts.add(reader(unit))
    facts.marks = unit.marks(form.deprecated)
    return facts


def _declared(
    source: Source, form: Form, nodes: Mapping[str, Sequence[Node]], comments: Comments
) -> Iterator[Declared]:
    for node in nodes["declared"]:
        head = head_of(source, node, comments.before(node, form.documenting))
        for each in form.declared(source, node, head):
            yield each._replace(
                doc=docs.sentence(head.comment, has_markup=form.has_markup),
                bases=head.bases,
                marks=tuple(form.note(source, note)[0] for note in head.notes),
                head=head.first,
                notes=head.notes,
            )


def _noted(
    source: Source, form: Form, declared: Iterable[Declared], scopes: Scopes
) -> Iterator[Noted]:
    """The declarations with annotations, each node once."""
    annotated = {each.node.id: each for each in declared if each.notes}
    for each in annotated.values():
        qualified = scopes.at(each.node.start_byte)
        kind = form.kinds.get(each.node.type, "property")
        if kind == "function" and "." in qualified:
            kind = "method"
        notes = form.notes(source, each.notes)
        yield Noted(
            each.node, qualified.rpartition(".")[2].partition("(")[0], kind, qualified, notes
        )
