"""Calls within what macros of Rust are given, such as the arms of `select!`: a syntax tree has only
tokens there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Call

_NAME = re.compile(r"[a-z_]\w*")
_LINKS = frozenset({".", "::", "?"})
_RECEIVER_MAX = 80
"""Letters of what a call is made on."""


def calls(unit: Unit, macros: Iterable[Node]) -> Iterator[Call]:
    """The calls of functions and methods in the tokens of macros."""
    waiting = [tree for node in macros for tree in node.children if tree.type == "token_tree"]
    while waiting:
        tokens = waiting.pop().children
        for at, token in enumerate(tokens):
            if token.type == "token_tree":
                waiting.append(token)
                if at and unit.data[token.start_byte : token.start_byte + 1] == b"(":
                    yield from _call(unit, tokens, at - 1)


def _call(unit: Unit, tokens: list[Node], at: int) -> Iterator[Call]:
    """The call of the name at a place, unless it is a declaration or makes a variant."""
    node, before = tokens[at], tokens[at - 1].type if at else ""
    name = unit.text(node) if node.type == "identifier" else ""
    if not _NAME.fullmatch(name) or before == "fn":
        return
    first = at
    while first > 1 and tokens[first - 1].type in _LINKS:
        first -= 2
        while first and tokens[first].type in ("token_tree", "?"):
            first -= 1
    end = tokens[at - 1].start_byte
    written = unit.data[tokens[first].start_byte : end].decode(errors="replace")
    of = one_line(written, _RECEIVER_MAX) if first < at else ""
    yield Call(name, line_of(node), of, unit.scopes.at(node.start_byte))
