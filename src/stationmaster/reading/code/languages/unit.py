"""The frame of every language: a parsed file, and what its readers use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.names import Proof, constants
from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import (
    Arguments,
    Comments,
    Declared,
    Source,
    child,
    declarations,
    inside,
    line_of,
)
from stationmaster.reading.code.model import Call, Fact, FileFacts, Import, Symbol, SymbolKind

_LISTS = code.names("shared.grammar.lists")
_TABLES = frozenset({"array_creation_expression", "dictionary", "hash"})
_CONSTANT = re.compile(r"(?:(\w{1,80})(?:\.|::))?([A-Z]\w{0,80})")
_LAST = re.compile(r"\.|\\|::")


def last_of(name: str) -> str:
    """`Job` of `org.quartz.Job<Order>`."""
    return _LAST.split(name.partition("<")[0])[-1]


def items_of(node: Node | None) -> Iterator[Node]:
    """The items of a list, also of one in a list; or the only value."""
    waiting = [node] if node is not None else []
    while waiting:
        item = waiting.pop()
        if item.type in _LISTS:
            waiting += reversed(item.named_children)
        else:
            yield item


class Called:
    """A call, a decorator or an annotation of `name`, on the receiver `of` if there is one. `node`
    is all of it with its blocks, `listed` the list of its arguments, `at` the node of its line;
    `is_made` where it makes an object."""

    def __init__(
        self,
        unit: Unit,
        name: str,
        node: Node,
        of: Node | None = None,
        listed: Node | None = None,
        at: Node | None = None,
        *,
        is_made: bool = False,
    ) -> None:
        self.unit = unit
        self.name = name
        self.node = node
        self.of = of
        self.listed = listed
        self.at = at or node
        self.line = line_of(self.at)
        self.is_made = is_made

    @property
    def caller(self) -> str:
        """The qualified name of the declaration around it, '' at top level."""
        return self.unit.scopes.at(self.node.start_byte)

    @cached_property
    def on(self) -> str:
        """The receiver, as written and cut."""
        return self.unit.receiver(self.of)

    @property
    def function(self) -> Node:
        """The name that is called."""
        return child(self.node, "function") or self.node

    @property
    def origin(self) -> str:
        """The imported name that is called, '' for one that is not imported."""
        return self.unit.origin(self.function)

    @cached_property
    def given(self) -> Arguments:
        """The arguments, by place and by name."""
        return self.unit.given_to(self)

    @property
    def written(self) -> str:
        """The arguments as written, in one line, with the brackets; '' without any."""
        return self.unit.line(self.listed)

    def value(self, *keys: int | str) -> str:
        """The text at the first of these places or names that is there, '' for anything else."""
        return self.unit.value(self.given.get(*keys)) or ""

    def texts(self, *keys: int | str) -> list[str]:
        """The texts of an argument by place or name: one, or a list of them."""
        return self.unit.texts(self.given.get(*keys))

    def words(self, *keys: int | str) -> list[str]:
        """The last words of the names in an argument: `GET` of `RequestMethod.GET`, `Paid` of
        `shop.Paid.class`."""
        items = map(self.unit.text, items_of(self.given.get(*keys)))
        named = (text.removesuffix(".class").removesuffix("::class") for text in items)
        return [text.rpartition(".")[2].rpartition("::")[2] for text in named]

    def written_at(self, *keys: int | str) -> str:
        """The source of the value at the first of these places or names; '' without one."""
        return self.unit.text(self.given.get(*keys))


class Noted(NamedTuple):
    """A declaration with annotations, by their simple names."""

    node: Node
    name: str
    kind: SymbolKind
    qualified: str
    notes: Mapping[str, Called]

    @property
    def holder(self) -> str:
        """The dotted name of the container of the declaration, '' at top level."""
        return self.qualified.rpartition(".")[0]


class Field(NamedTuple):
    """A field of a class, or a parameter that makes one. `node` declares it."""

    name: str
    type: str
    line: int
    notes: Mapping[str, Called]
    node: Node


class Unit(Source):
    """A file of a language; subclasses read its declarations, imports and calls. `SIGN` is between
    the parts of a name; `CALLS` are the names of calls that readers use, None for all. Comments
    that begin with `DOCUMENTING` say what a declaration is, in HTML or XML where that
    `HAS_MARKUP`."""

    SIGN: ClassVar[str] = "."
    DOCUMENTING: ClassVar[tuple[str, ...]] = ("",)
    HAS_MARKUP: ClassVar[bool] = True
    CALLS: ClassVar[frozenset[str] | None] = frozenset()

    # What each language reads in its own way.

    @staticmethod
    def parseable(data: bytes) -> bytes:
        """A file as its grammar understands it, with each byte at its place."""
        return data

    @property
    def package(self) -> str:
        """The declared package, namespace or module of the file."""
        return self.text(next(iter(self.nodes["package"]), None))

    @property
    def doc(self) -> str:
        """The comment of the file itself."""
        return ""

    @property
    def is_whole(self) -> bool:
        """Is all of it understood?"""
        return not self.root.has_error

    @property
    def exported(self) -> tuple[str, ...] | None:
        """The names in its list of exports; None without one."""
        return None

    @property
    def noted(self) -> Sequence[Noted]:
        """The declarations with annotations."""
        return ()

    @property
    def default(self) -> str:
        """The name here of what a module exports by default."""
        return ""

    def declared(self) -> Iterable[Declared]:
        """The declarations as symbols are made of them."""
        return ()

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports by place."""
        return ()

    @cached_property
    def references(self) -> tuple[Import, ...]:
        """The names that the file uses without importing or declaring them itself."""
        return ()

    def origin(self, node: Node | None) -> str:
        """The full name of something imported, '' for anything else."""
        raise NotImplementedError

    def value(self, node: Node | None) -> str | None:
        """The text of an expression; None for one that is not a text."""
        return next(iter(self.texts(node)), None)

    def receiver(self, node: Node | None) -> str:
        """The receiver of a call, as written and cut."""
        return receiver(self, node)

    def given_to(self, call: Called) -> Arguments:
        """The arguments of a call."""
        return self.arguments(call.listed)

    def taken(self, call: Called) -> tuple[str, ...] | None:  # noqa: ARG002 - Java asks for it.
        """The types of the arguments of a call, for languages with overloads."""
        return None

    def noted_types(self) -> Iterable[tuple[str, str, str]]:
        """Holders, names and types that comments declare; none in most languages."""
        return ()

    def fields(self, node: Node) -> list[Field]:  # noqa: ARG002 - What has classes answers.
        """The fields of a class."""
        return []

    # What is the same in all.

    def sentence(self, node: Node) -> str:
        """The first sentence of the comment above a declaration."""
        comment = self.comments.before(node, self.DOCUMENTING)
        return docs.sentence(comment, has_markup=self.HAS_MARKUP)

    def sentences(self, node: Node) -> str:
        """The first sentences of the comment above the declaration of a setting."""
        return docs.sentences(self.comments.before(node, self.DOCUMENTING))

    @cached_property
    def nodes(self) -> defaultdict[str, list[Node]]:
        """The captures of the query of the file."""
        return self.captures("file")

    @cached_property
    def comments(self) -> Comments:
        """The comments of the file."""
        return Comments(self, self.nodes["comment"])

    @cached_property
    def _declared(self) -> tuple[tuple[Symbol, ...], Scopes]:
        return declarations(self, self.declared())

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The declarations with their containers, by place."""
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        """The declarations around bytes of the file."""
        return self._declared[1]

    @cached_property
    def proof(self) -> Proof:
        """The packages of the names that the file uses."""
        return Proof(self.imports, self.SIGN)

    @cached_property
    def every(self) -> list[Called]:
        """The calls by place, the outer first. One that matches with and without what is optional
        is taken with it."""
        best: dict[tuple[int, int], tuple[Node, dict[str, list[Node]]]] = {}
        for match in self.matches("tags"):
            node = (match.get("call") or match["made"])[0]
            place = (node.start_byte, -node.end_byte)
            if place not in best or len(match) > len(best[place][1]):
                best[place] = (node, match)
        return [self._call(*best[place]) for place in sorted(best)]

    def _call(self, node: Node, captures: Mapping[str, Sequence[Node]]) -> Called:
        nodes = {key: found[0] for key, found in captures.items()}
        name, is_made = nodes["name"], "made" in nodes
        text = self.text(name).partition("<")[0] if is_made else self.text(name)
        at = nodes.get("at") or (node if is_made else name)
        return Called(self, text, node, nodes.get("of"), nodes.get("given"), at, is_made=is_made)

    @property
    def running(self) -> Iterable[Called]:
        """The calls that are reported."""
        return self.every

    @cached_property
    def reported(self) -> tuple[Call, ...]:
        """The reported calls by line; on one line the arguments of a call go before it."""
        calls = sorted(
            self.running, key=lambda it: (it.line, it.node.end_byte, -it.node.start_byte)
        )
        of, at, literal_types = self.receiver, self.scopes.at, self.taken
        return tuple(
            Call(it.name, it.line, of(it.of), at(it.node.start_byte), literal_types(it))
            for it in calls
        )

    @cached_property
    def called(self) -> list[Called]:
        """The calls that readers use, by place."""
        kinds = self.CALLS
        return [it for it in self.every if not it.is_made and (kinds is None or it.name in kinds)]

    @cached_property
    def objects(self) -> list[Called]:
        """The calls that make an object, by place."""
        return [it for it in self.every if it.is_made]

    def texts(self, node: Node | None) -> list[str]:
        """The texts of a literal or constant, of a list of them, or of some that are joined."""
        return [text for item in items_of(node) if (text := self._joined(item)) is not None]

    def _joined(self, node: Node) -> str | None:
        if node.type == "binary_expression":
            ends = [self._plain(it) for it in (child(node, "left"), child(node, "right")) if it]
            return None if None in ends else "".join(filter(None, ends))
        return self._plain(node)

    def _plain(self, node: Node) -> str | None:
        """The text of a literal, or of a constant of the file."""
        text = self.literal(node)
        match = _CONSTANT.fullmatch(self.line(node)) if text is None else None
        if match is None or (match[1] and match[1] not in self._holders):
            return text
        return self.constant_texts.get(match[2])

    @cached_property
    def _holders(self) -> frozenset[str]:
        return frozenset({"self", "static", "this", *(it.name for it in self.symbols)})

    @cached_property
    def constant_texts(self) -> dict[str, str]:
        """The texts that constants of the file are, by their names."""
        return constants(self.data)

    def pairs(self, node: Node | None) -> dict[str, Node]:
        """The values of a dictionary, a hash or an array whose keys are literal texts."""
        found: dict[str, Node] = {}
        for item in inside(node) if node is not None and node.type in _TABLES else ():
            parts = item.named_children
            key = self.literal(parts[0]) if len(parts) == 2 else None
            if key is not None:
                found.setdefault(key, parts[1])
        return found

    def by_name(self, name: str) -> Iterator[tuple[Noted, Called]]:
        """The declarations with an annotation of this simple name."""
        return ((noted, noted.notes[name]) for noted in self.noted if name in noted.notes)

    def marked(self, packages: Mapping[str, Sequence[str]]) -> Iterator[tuple[Noted, Called, str]]:
        """The declarations with one of these annotations, each of one of its packages."""
        rows = [
            (noted, note, name)
            for name in packages
            for noted, note in self.by_name(name)
            if self.proof.of(note.name, packages[name])
        ]
        yield from sorted(rows, key=lambda noted: noted[0].node.start_byte)

    def classes(self, *bases: str) -> Iterator[tuple[Symbol, str]]:
        """The classes that extend one of these, with the base as written."""
        for symbol in self.symbols:
            for base in symbol.bases:
                if last_of(base) in bases:
                    yield symbol, base

    def facts(self, readers: Iterable[Callable[[Any], Iterable[Fact]]]) -> FileFacts:
        """The facts of the file: those of every language, then those of readers of frameworks."""
        facts = FileFacts(lines=self.lines, package=self.package, doc=self.doc)
        facts.symbols, facts.imports = self.symbols, self.imports + self.references
        facts.exports, facts.default = self.exported, self.default
        facts.calls = self.reported
        facts.add(fact for reader in readers for fact in reader(self))
        return facts
