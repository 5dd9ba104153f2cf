"""Languages whose declarations have annotations or attributes."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import Declared, Source, line_of, one_line
from stationmaster.reading.code.languages.unit import Called, Field, Noted, Unit, last_of
from stationmaster.reading.code.model import Import, SymbolKind

_ANNOTATIONS = code.names("shared.grammar.annotations")
_BASES = code.names("shared.grammar.bases")
NAMED_TYPE = re.compile(
    rb'"(?:[^"\\\n]|\\.)*+"|\\.'
    rb"|(?<![\w.])(?:([A-Z]\w*)"
    rb"|(?:bool|byte|char|decimal|double|float|int|long|object|short|string)\b\??(?:\[\])?\s+\w+)"
)
"""The names of types, which begin with a capital, but not what a text or a declared name says."""


class Head(NamedTuple):
    """What stands before and behind the name of a declaration: `words` are those of the language,
    `bases` what it extends or implements, as written; `first` is where its signature begins, behind
    the annotations `notes`. `comment` is that above it."""

    words: frozenset[str]
    notes: tuple[Node, ...]
    bases: tuple[str, ...]
    first: Node
    comment: str


def head_of(source: Source, node: Node, comment: str = "") -> Head:
    """The head of a declaration."""
    words: set[str] = set()
    notes: list[Node] = []
    bases: list[str] = []
    first = None
    for part in _parts(node):
        if part.type in _ANNOTATIONS:
            notes.append(part)
            continue
        first = first or part
        if part.type in _BASES:
            bases += _types(source, part)
        elif not part.is_named or part.type.endswith("modifier"):
            words.add(source.text(part))
    return Head(frozenset(words), tuple(notes), tuple(bases), first or node, comment)


def _parts(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "modifiers":
            yield from child.children
        elif child.type == "attribute_list":
            listed = (each for group in child.named_children for each in (group, *group.children))
            yield from (each for each in listed if each.type in _ANNOTATIONS)
        elif child.type not in _ANNOTATIONS:  # One here is of a parameter or a base.
            yield child


def _types(source: Source, clause: Node) -> Iterator[str]:
    """The types that a clause names, without what their constructors are given."""
    for base in clause.named_children:
        if base.type == "type_list":
            yield from _types(source, base)
        elif base.type != "argument_list":
            yield one_line(source.text(base).partition("(")[0])


class Annotated(Unit):
    """A file of such a language. `KINDS` are those of declarations by the types of their nodes,
    `KNOWN` names of the language itself; `NAMED` finds the names of types."""

    KINDS: ClassVar[Mapping[str, SymbolKind]]
    KNOWN: ClassVar[frozenset[str]]
    NAMED: ClassVar[re.Pattern[bytes]] = NAMED_TYPE
    DOCUMENTING: ClassVar[tuple[str, ...]] = ("/**",)

    @abstractmethod
    def declaring(self, node: Node, head: Head) -> Iterable[Declared]:
        """The symbols of a declaration."""

    @abstractmethod
    def importing(self, node: Node) -> Iterable[Import]:
        """The imports of a statement."""

    @abstractmethod
    def note(self, node: Node) -> tuple[str, Node | None]:
        """The name of an annotation as written, and its arguments."""

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports by place."""
        return tuple(it for node in self.nodes["import"] for it in self.importing(node))

    @cached_property
    def nodes(self) -> defaultdict[str, list[Node]]:
        """What the query of the file captures, without declarations in classes without a name."""
        nodes = self.captures("file")
        spans = [(node.start_byte, node.end_byte, node.type) for node in nodes["anonymous"]]
        hidden = Scopes(spans)
        nodes["declared"] = [it for it in nodes["declared"] if not hidden.at(it.start_byte)]
        return nodes

    @cached_property
    def _all(self) -> list[Declared]:
        return [it for node in self.nodes["declared"] for it in self._with_head(node)]

    def declared(self) -> Iterable[Declared]:
        """The declarations with what stands before their names."""
        return self._all

    def _with_head(self, node: Node) -> Iterator[Declared]:
        head = head_of(self, node, self.comments.before(node, self.DOCUMENTING))
        for declared in self.declaring(node, head):
            yield declared._replace(
                doc=docs.sentence(head.comment, has_markup=self.HAS_MARKUP),
                bases=head.bases,
                marks=tuple(self.note(note)[0] for note in head.notes),
                head=head.first,
                notes=head.notes,
            )

    @cached_property
    def noted(self) -> Sequence[Noted]:
        """The declarations with annotations, each node once."""
        annotated = {it.node.id: it for it in self._all if it.notes}
        return [self._noted(it) for it in annotated.values()]

    def _noted(self, declared: Declared) -> Noted:
        qualified = self.scopes.at(declared.node.start_byte)
        kind = self.KINDS.get(declared.node.type, "property")
        kind = "method" if kind == "function" and "." in qualified else kind
        name = qualified.rpartition(".")[2].partition("(")[0]
        return Noted(declared.node, name, kind, qualified, self.notes(declared.notes))

    def notes(self, nodes: Iterable[Node]) -> dict[str, Called]:
        """Annotations by their simple names."""
        notes = {}
        for node in nodes:
            name, listed = self.note(node)
            notes[last_of(name)] = Called(self, name, node, listed=listed)
        return notes

    def field(self, node: Node, name: Node | None, type_: str, *, sign: str = "") -> Field:
        """A field that a node declares, without a sign before its name."""
        notes = self.notes(head_of(self, node).notes)
        line, text = line_of(name or node), self.text(name).lstrip(sign)
        return Field(text, one_line(type_, 80), line, notes, node)

    @cached_property
    def references(self) -> tuple[Import, ...]:
        """The types that the file names without importing or declaring them itself."""
        skipped = [*self.nodes["comment"], *self.nodes["import"], *self.nodes["package"]]
        skipped.sort(key=lambda node: node.start_byte)
        return referred(self, skipped, self.KNOWN, self.NAMED)


def joined(prefix: str, path: str) -> str:
    """A path below a prefix, with one slash between and one before."""
    parts = [each.strip("/") for each in (prefix, path)]
    return "/" + "/".join(filter(None, parts))


def referred(
    unit: Unit, skipped: Iterable[Node], known: frozenset[str], pattern: re.Pattern[bytes]
) -> tuple[Import, ...]:
    """The types that a file names without importing or declaring them itself, where it does so
    first. `skipped` are comments and the like, by place; `known` are names of the language; the
    first group of `pattern` is a name."""
    seen = {*known, *(symbol.name for symbol in unit.symbols)}
    seen.update(bound for import_ in unit.imports for bound in import_.bound)
    found = []
    line, counted = 1, 0
    for start, part in _between(unit.data, skipped):
        for match in pattern.finditer(part):
            name = (match[1] or b"").decode(errors="replace")
            if name and name not in seen:
                seen.add(name)
                line += unit.data.count(b"\n", counted, start + match.start())
                counted = start + match.start()
                found.append(Import(name, line, "reference", bound=(name,)))
    return tuple(found)


def _between(data: bytes, skipped: Iterable[Node]) -> Iterator[tuple[int, bytes]]:
    """The parts of a file between some nodes, and where they begin."""
    at = 0
    for node in skipped:
        yield at, data[at : node.start_byte]
        at = max(at, node.end_byte)
    yield at, data[at:]
