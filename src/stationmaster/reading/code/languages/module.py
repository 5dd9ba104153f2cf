"""A file of a language whose names are told by imports, once it is parsed: what its readers ask.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.meanings import told
from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.scopes import Made, Scopes, innermost
from stationmaster.reading.code.languages.source import (
    Arguments,
    Declared,
    Source,
    arguments,
    declarations,
    line_of,
    literal,
    one_line,
)
from stationmaster.reading.code.model import Call, CliCommand, Import, Option, Symbol, SymbolKind

_LISTED = frozenset({"list", "tuple", "set"})


class Called:
    """A call, or a decorator: of `name`, on `of` where there is something before it."""

    def __init__(self, module: Module, node: Node, name: str, of: Node | None) -> None:
        self._module = module
        self.node = node
        self.name = name
        self.of = of

    @property
    def line(self) -> int:
        """The line where it begins."""
        return line_of(self.node)

    @property
    def caller(self) -> str:
        """The qualified name of the declaration around it, '' at top level."""
        return self._module.scopes.at(self.node.start_byte)

    @property
    def function(self) -> Node:
        """What is called."""
        return self.node.child_by_field_name("function") or self.node

    @property
    def origin(self) -> str:
        """Where what is called comes from, '' for what is not imported."""
        return self._module.origin(self.function)

    @cached_property
    def given(self) -> Arguments:
        """What it is given, by place and by name."""
        return self._module.arguments(self.node)

    def value(self, *keys: int | str) -> str:
        """The text at the first of these places or names that is there, '' for anything else."""
        return self._module.value(self.given.get(*keys)) or ""

    def option(self, names: Iterable[str]) -> Option:
        """The option of a command line that it declares, with its `help` and `default`."""
        default = self._module.plain(self.given.get("default"))
        is_many = self.value("action") in ("append", "extend") or self._is_set("multiple")
        help_ = one_line(self.value("help") or self.value("short_help"))
        help_ = help_ or told(self._module.source, self.given.get("help"))
        choices = self.given.get("choices")
        texts = [self._module.value(it) for it in (choices.named_children if choices else ())]
        if texts and all(texts) and choices is not None and choices.type in _LISTED:
            help_ = f"{help_} One of: {', '.join(filter(None, texts))}.".lstrip()
        # What switches something off is not on by default itself.
        is_off = self.value("action") == "store_false"
        default = None if default == "None" or is_off else default
        return Option(tuple(names), self.line, help_, default, is_many=is_many)

    def _is_set(self, key: str) -> bool:
        return self._module.plain(self.given.get(key)) == "True"

    def as_fact(self) -> Call:
        """What is reported of it."""
        of = receiver(self._module.source, self.of)
        return Call(self.name, self.line, of, self.caller)


def in_order(calls: Iterable[Called]) -> tuple[Call, ...]:
    """What is reported of calls, by line; on one line what a call is given comes before it."""
    ordered = sorted(calls, key=lambda call: (call.line, call.node.end_byte))
    return tuple(call.as_fact() for call in ordered)


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


class Module(ABC):
    """A file by the matches of its query; what is called as its first capture is one kind of
    match. `PLAIN` are the types of literals that are no texts, `PACKAGE_END` ends the
    name of a package in an origin."""

    PLAIN: frozenset[str]
    PACKAGE_END: re.Pattern[str]

    def __init__(self, source: Source) -> None:
        self.source = source
        self.matched: dict[str, list[dict[str, Node]]] = defaultdict(list)
        for match in source.matches("file"):
            nodes = {name: found[0] for name, found in match.items()}
            self.matched[next(iter(nodes))].append(nodes)
        self.calls = self.called("call")
        self.comments = self.nodes("comment")

    def nodes(self, *kinds: str) -> list[Node]:
        """The nodes that are the first captures of these kinds of match."""
        return [match[kind] for kind in kinds for match in self.matched[kind]]

    def pairs_of(self, first: str, second: str) -> list[tuple[Node, Node]]:
        """Two captures of a kind of match."""
        return [(match[first], match[second]) for match in self.matched[first]]

    def called(self, kind: str) -> list[Called]:
        """Calls of a kind of match."""
        text = self.source.text
        return [
            Called(self, match[kind], text(match["callee"]), match.get("of"))
            for match in self.matched[kind]
        ]

    @cached_property
    @abstractmethod
    def imports(self) -> tuple[Import, ...]:
        """The imports by place."""

    @cached_property
    @abstractmethod
    def names(self) -> dict[str, str]:
        """The origins of what imports bind here, by the names that they have here."""

    @cached_property
    @abstractmethod
    def definitions(self) -> list[Definition]:
        """The declarations, with the decorators of each."""

    @abstractmethod
    def declared(self) -> Iterator[Declared]:
        """The declarations as symbols are made of them."""

    @abstractmethod
    def origin(self, node: Node | None) -> str:
        """Where something imported comes from, '' for anything else."""

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

    def arguments(self, call: Node | None) -> Arguments:
        """What a call is given."""
        given = call.child_by_field_name("arguments") if call is not None else None
        return arguments(self.source, given)

    def value(self, node: Node | None) -> str | None:
        """A literal text, also in brackets, or that of a constant of this file."""
        if node is not None and node.type == "parenthesized_expression":
            node = next(iter(node.named_children), None)
        if node is not None and node.type == "identifier":
            node = self.values_of.get(self.text(node))
        return self.literal(node)

    def text(self, node: Node | None) -> str:
        """The source of a node, '' for None."""
        return self.source.text(node)

    def part(self, node: Node | None, field: str) -> str:
        """The source of a field of a node; '' where one of both is missing."""
        return self.source.part(node, field)

    def literal(self, node: Node | None) -> str | None:
        """The content of a string without holes; None for anything else."""
        return literal(self.source, node)

    def plain(self, node: Node | None) -> str | None:
        """A literal as it is written, without quotes; None for anything else."""
        if node is not None and node.type in self.PLAIN:
            return self.text(node)
        text = self.literal(node)
        return None if text is None else one_line(text, 80)

    def marked(self) -> Iterator[tuple[Definition, Called]]:
        """Each declaration with each of its decorators."""
        for definition in self.definitions:
            for decorator in definition.decorators:
                yield definition, decorator

    @cached_property
    def _reached(self) -> dict[str, list[tuple[Called, str]]]:
        found: dict[str, list[tuple[Called, str]]] = defaultdict(list)
        for call in (*self.calls, *self.called("new")):
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

    @cached_property
    def _declared(self) -> tuple[tuple[Symbol, ...], Scopes]:
        return declarations(self.source, self.declared())

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The declarations with their containers, by place."""
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        """Which declaration holds a byte of the file."""
        return self._declared[1]
