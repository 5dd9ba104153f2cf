"""Functions in Go that return the only text that they are given with others around it, such as a
prefix that is configured: `router.Handle(server.path("/items"), items)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.source import Source, inside, line_of

_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_GIVEN = "\0"
"""Stands for what the function is given."""
_VERB = re.compile(r"%[sv]")
_SIZE_MAX = 2_000
"""Bytes of such a function."""


class Prefixed(NamedTuple):
    """What stands before and behind the text. `line` is 0 where that is all; else the line of the
    function, which may put more before it than is known."""

    before: str
    behind: str
    line: int


class Prefixing:
    """The functions of a file that do so."""

    def __init__(self, file: File) -> None:
        self._source = file
        self._packages = file.packages
        self._known: dict[str, Prefixed | None] = {}

    def of(self, call: Node) -> Prefixed | None:
        """What a function of this file puts around the text that a call gives it."""
        on, _, name = self._source.part(call, "function").rpartition(".")
        is_one = name in self._declared and on not in self._packages
        if not is_one or len(inside(call, "arguments")) != 1:
            return None
        if name not in self._known:
            self._known[name] = _prefixed(self._source, *self._declared[name])
        return self._known[name]

    @cached_property
    def _declared(self) -> dict[str, tuple[Node, str]]:
        """Those that are given one text and return one, with their parameters, by name."""
        declared: dict[str, tuple[Node, str]] = {}
        for node in self._source.root.named_children:
            given = inside(node, "parameters") if node.type in _FUNCTIONS else []
            types = [self._source.part(parameter, "type") for parameter in given]
            is_short = node.end_byte - node.start_byte < _SIZE_MAX
            if is_short and types == ["string"] and self._source.part(node, "result") == "string":
                parameter = self._source.part(given[0], "name")
                declared[self._source.part(node, "name")] = node, parameter
        return declared


def _prefixed(source: Source, function: Node, parameter: str) -> Prefixed | None:
    """None where the text is changed, or something unknown stands anywhere but before it all."""
    names = constants(source) | {parameter: _GIVEN}
    around, is_open = set[tuple[str, str]](), False
    for node in _returned(function):
        parts = [*_parts(source, node, names)]
        before, is_given, behind = "".join(filter(None, parts)).partition(_GIVEN)
        is_changed = not is_given and re.search(rf"\b{re.escape(parameter)}\b", source.text(node))
        if is_changed or None in parts[1:] or _GIVEN in behind:
            return None
        is_open |= None in parts
        if is_given:
            around.add((before, behind))
    if len({(before.strip("/"), behind) for before, behind in around}) != 1:
        return None
    return Prefixed(
        *max(around, key=lambda texts: len(texts[0])), line_of(function) if is_open else 0
    )


def _returned(function: Node) -> Iterator[Node]:
    waiting = [function]
    while waiting:
        node = waiting.pop()
        if node.type == "return_statement" and node.named_children:
            yield node.named_children[0].named_children[0]
        elif node.type != "func_literal":
            waiting += node.named_children


def _parts(source: Source, node: Node, names: Mapping[str, str]) -> Iterator[str | None]:
    """The texts that an expression is put together from, None for one that is not known."""
    called = source.part(node, "function")
    given = inside(node, "arguments") if node.type == "call_expression" else []
    text = source.literal(node)
    if node.type == "binary_expression" and source.part(node, "operator") == "+":
        for side in node.named_children:
            yield from _parts(source, side, names)
    elif called == "path.Join":
        for step in given:
            yield from _parts(source, step, names)
            yield "/" if step != given[-1] else ""
    elif called == "fmt.Sprintf" and given:
        told = _VERB.split(source.literal(given[0]) or "%d")
        if len(told) != len(given) or "%" in "".join(told):
            yield from ("", None)
            return
        for before, value in zip(told, [*given[1:], None], strict=True):
            yield before
            yield from _parts(source, value, names) if value else ()
    else:
        yield text if text is not None else names.get(source.text(node))
