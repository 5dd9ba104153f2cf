"""Annotations and attributes, and what imports prove of the names in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import (
    Arguments,
    Source,
    arguments,
    line_of,
    literal,
    one_line,
)
from stationmaster.reading.code.model import FileFacts, Import, SymbolKind

_ANNOTATIONS = code.names("shared.grammar.annotations")
_BASES = code.names("shared.grammar.bases")
_LISTS = code.names("shared.grammar.lists")
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


class Note:
    """An annotation or attribute. `name` is as written, `given` the list of its arguments."""

    def __init__(self, source: Source, name: str, node: Node, given: Node | None) -> None:
        self._source = source
        self.written = name
        self.node = node
        self.line = line_of(node)
        self._given = given

    @property
    def given(self) -> str:
        """The arguments as written, in one line, with their brackets; '' without any."""
        return self._source.line(self._given)

    @cached_property
    def arguments(self) -> Arguments:
        """The arguments by place and by name; empty without a list of them."""
        return arguments(self._source, self._given)

    def texts(self, *keys: int | str) -> list[str]:
        """The texts that are given by a place or name: one, or a list of them."""
        return texts(self._source, self.arguments.get(*keys))

    def text(self, *keys: int | str) -> str:
        """The first text at the first of these places or names that is there; '' without one."""
        return next(iter(self.texts(*keys)), "")

    def words(self, *keys: int | str) -> list[str]:
        """The last words of the names that are given: `GET` of `RequestMethod.GET`, `Paid` of
        `shop.Paid.class`."""
        items = map(self._source.text, items_of(self.arguments.get(*keys)))
        named = (text.removesuffix(".class").removesuffix("::class") for text in items)
        return [text.rpartition(".")[2].rpartition("::")[2] for text in named]

    def written_at(self, *keys: int | str) -> str:
        """The source of the value at the first of these places or names; '' without one."""
        return self._source.text(self.arguments.get(*keys))


class Noted(NamedTuple):
    """A declaration with annotations, by their simple names."""

    node: Node
    name: str
    kind: SymbolKind
    qualified: str
    notes: Mapping[str, Note]

    @property
    def holder(self) -> str:
        """The dotted name of what holds the declaration, '' at top level."""
        return self.qualified.rpartition(".")[0]


class Proof:
    """Whose a name is, as far as imports tell."""

    def __init__(self, imports: Iterable[Import], sign: str = ".") -> None:
        self._sign = sign
        self._full: dict[str, str] = {}
        self._wide: list[str] = []
        self._all: list[str] = []
        for each in imports:
            if each.kind == "reference":
                continue
            if each.names == ("*",):
                self._wide.append(each.name)
            elif each.bound:
                member = f"{sign}{each.names[0]}" if each.names else ""
                self._full[each.bound[0]] = each.name + member
        self._all = [*self._full.values(), *(each + sign for each in self._wide)]

    def knows(self, name: str) -> bool:
        """Whether an import says what a plain name is."""
        return name in self._full

    def of(self, written: str, packages: Iterable[str]) -> bool:
        """Whether a name, as written, is one of a package or of what lies below it."""
        written = written.lstrip(self._sign)
        first, sign, rest = written.partition(self._sign)
        full = self._full.get(first)
        if full is not None:
            return self._below(f"{full}{sign}{rest}", packages)
        if sign:
            return self._below(written, packages)
        return any(self._below(wide + self._sign, packages) for wide in self._wide)

    def any_of(self, packages: Iterable[str]) -> bool:
        """Whether anything at all is imported from a package or from below it."""
        packages = tuple(packages)
        return any(self._below(each, packages) for each in self._all)

    def _below(self, full: str, packages: Iterable[str]) -> bool:
        sign, size = self._sign, len(full)
        for package in packages:
            if full.startswith(package) and (
                size == len(package) or full.startswith(sign, len(package))
            ):
                return True
        return False


def texts(source: Source, node: Node | None) -> list[str]:
    """The texts of a literal, of a list of them, or of literals that are joined."""
    return [text for item in items_of(node) if (text := _text(source, item)) is not None]


def _text(source: Source, node: Node) -> str | None:
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        ends = literal(source, left), literal(source, right)
        return None if None in ends else f"{ends[0]}{ends[1]}"
    return literal(source, node)


def items_of(node: Node | None) -> Iterator[Node]:
    """What a list holds, also one in a list; or the only value."""
    if node is None:
        return
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type in _LISTS:
            waiting += reversed(each.named_children)
        else:
            yield each


def joined(prefix: str, path: str) -> str:
    """A path below a prefix, with one slash between and one before."""
    parts = [each.strip("/") for each in (prefix, path)]
    return "/" + "/".join(filter(None, parts))


def references(
    source: Source,
    skipped: Iterable[Node],
    facts: FileFacts,
    known: frozenset[str],
    pattern: re.Pattern[bytes] = NAMED_TYPE,
) -> tuple[Import, ...]:
    """The types that a file names without importing or declaring them itself, where it does so
    first. `skipped` are comments and the like, by place; `known` are names of the language; the
    first group of `pattern` is a name."""
    seen = {*known, *(symbol.name for symbol in facts.symbols)}
    seen.update(bound for import_ in facts.imports for bound in import_.bound)
    found = []
    line, counted = 1, 0
    for start, part in _between(source.data, skipped):
        for match in pattern.finditer(part):
            name = (match[1] or b"").decode(errors="replace")
            if name and name not in seen:
                seen.add(name)
                line += source.data.count(b"\n", counted, start + match.start())
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
