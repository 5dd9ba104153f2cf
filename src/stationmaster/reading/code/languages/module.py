"""A file of a language whose names come from imports, once it is parsed: what its readers ask.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.command_lines.options import one_of
from stationmaster.reading.code.languages.meanings import message
from stationmaster.reading.code.languages.scopes import Made, innermost
from stationmaster.reading.code.languages.source import Arguments, Grammar, child, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Option, SymbolKind

_LISTED = frozenset({"list", "tuple", "set"})


class Command(NamedTuple):
    """A command that calls add to: the first help and the first handler count."""

    words: tuple[str, ...]
    line: int
    help: list[str]
    options: list[Option]
    handlers: list[str]
    program: str = ""

    def as_fact(self) -> CliCommand:
        """What is reported of it."""
        help_, handler = "".join(self.help[:1]), "".join(self.handlers[:1])
        options = tuple(self.options)
        program = self.program
        return CliCommand(self.words, self.line, help_, handler, options, program=program)


class Definition(NamedTuple):
    """A declaration. `place` is the byte where its name begins."""

    node: Node
    name: str
    body: Node | None
    kind: SymbolKind
    place: int
    decorators: tuple[Called, ...] = ()

    @property
    def is_class(self) -> bool:
        return self.kind == "class"


class Module(Unit):
    """A file by the matches of its query; what is called as its first capture is one kind of
    match. `PLAIN` are the types of literals that are no texts, `PACKAGE_END` ends the
    name of a package in an origin."""

    PLAIN: frozenset[str]
    PACKAGE_END: re.Pattern[str]

    def __init__(self, data: bytes, root: Node, grammar: Grammar) -> None:
        super().__init__(data, root, grammar)
        self.matched: dict[str, list[dict[str, Node]]] = defaultdict(list)
        for match in self.matches("file"):
            nodes = {name: found[0] for name, found in match.items()}
            self.matched[next(iter(nodes))].append(nodes)
        self.calls = self.calls_as("call")

    @cached_property
    def nodes(self) -> defaultdict[str, list[Node]]:
        """The nodes that are the first captures of each kind of match."""
        kinds = self.matched.items()
        return defaultdict(list, {kind: [it[kind] for it in found] for kind, found in kinds})

    def nodes_of(self, *kinds: str) -> list[Node]:
        """The nodes of several kinds, by place."""
        nodes = (node for kind in kinds for node in self.nodes[kind])
        return sorted(nodes, key=lambda node: node.start_byte)

    def pairs_of(self, first: str, second: str) -> list[tuple[Node, Node]]:
        """Two captures of a kind of match."""
        return [(match[first], match[second]) for match in self.matched[first]]

    def calls_as(self, kind: str) -> list[Called]:
        """Calls of a kind of match."""
        return [
            self.call_at(match[kind], self.text(match["callee"]), match.get("of"))
            for match in self.matched[kind]
        ]

    def call_at(self, node: Node, name: str = "", of: Node | None = None) -> Called:
        """The call or decorator that a node is."""
        return Called(self, name, node, of)

    def given_to(self, call: Called) -> Arguments:
        """What a call is given."""
        return self.given(call.node)

    @cached_property
    def every(self) -> list[Called]:
        """The calls."""
        return self.calls

    @cached_property
    @abstractmethod
    def names(self) -> dict[str, str]:
        """The origins of what imports bind here, by the names that they have here."""

    @cached_property
    @abstractmethod
    def definitions(self) -> list[Definition]:
        """The declarations, with the decorators of each."""

    @abstractmethod
    def reach(self, holder: Node | None, name: str) -> str:
        """The origin of what is called: something imported, or a method of what it made."""

    @abstractmethod
    def held(self) -> Iterable[tuple[Node, str, Node | None]]:
        """Variables, what makes what they hold, and the call; None for a parameter."""

    @cached_property
    @abstractmethod
    def values_of(self) -> dict[str, Node]:
        """What constants of this file are made of, by their names."""

    def given(self, call: Node | None) -> Arguments:
        """What a call is given."""
        return self.arguments(child(call, "arguments"))

    def value(self, node: Node | None) -> str | None:
        """A literal text, also in brackets, or that of a constant of this file."""
        if node is not None and node.type == "parenthesized_expression":
            node = next(iter(node.named_children), None)
        if node is not None and node.type == "identifier":
            node = self.values_of.get(self.text(node))
        return self.literal(node)

    def plain(self, node: Node | None) -> str | None:
        """A literal as it is written, without quotes; None for anything else."""
        if node is not None and node.type in self.PLAIN:
            return self.text(node)
        text = self.literal(node)
        return None if text is None else one_line(text, 80)

    def decorated(self) -> Iterator[tuple[Definition, Called]]:
        """Each declaration with each of its decorators."""
        for definition in self.definitions:
            for decorator in definition.decorators:
                yield definition, decorator

    @cached_property
    def _reached(self) -> dict[str, list[tuple[Called, str]]]:
        found: dict[str, list[tuple[Called, str]]] = defaultdict(list)
        for call in (*self.calls, *self.calls_as("new")):
            if origin := self.reach(call.of, call.name):
                found[self.PACKAGE_END.split(origin, maxsplit=1)[0]].append((call, origin))
        return found

    def calls_of(self, *packages: str) -> Iterator[tuple[Called, str]]:
        """Calls of what packages provide, with the origin of each."""
        for package in packages:
            yield from self._reached.get(package, ())

    @cached_property
    def _made(self) -> dict[str, list[Made]]:
        made: dict[str, list[Made]] = defaultdict(list)
        for variable, origin, call in self.held():
            if origin:
                made[self.text(variable)].append(Made(origin, call, variable.start_byte - 1))
        return made

    def made_as(self, variable: Node, *names: str) -> Made | None:
        """What a variable holds under the first of these names that is known: made in the same
        function, or else around it."""
        known = next((self._made[name] for name in names if name in self._made), None)
        return innermost(known, variable, self.scopes) if known else None

    def option(self, called: Called, names: Iterable[str]) -> Option:
        """The option of a command line that a call declares, with its `help` and `default`; an
        argument is in capitals."""
        given = called.given
        default, choices = self.plain(given.get("default")), given.get("choices")
        is_set = self.plain(given.get("multiple")) == "True"
        is_many = called.value("action") in ("append", "extend") or is_set
        help_ = one_line(called.value("help") or called.value("short_help"))
        help_ = help_ or message(self, given.get("help"))
        listed = choices.named_children if choices and choices.type in _LISTED else ()
        texts = [self.value(it) or "" for it in listed]
        help_ = one_of(help_, texts if all(texts) else ())
        # What switches something off is not on by default itself.
        is_off = called.value("action") == "store_false"
        default = None if default == "None" or is_off else default
        names = tuple(name if name.startswith("-") else name.upper() for name in names)
        return Option(names, called.line, help_, default, is_many=is_many)
