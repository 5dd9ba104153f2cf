"""What files and modules offer by name, and which of it matters."""

from __future__ import annotations

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import module
from stationmaster.wiki.facts.names import outer, users_of

KEY_MAX = 15
"""Symbols of a module that are told with what they are."""
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "object", "type"})
_PLAIN = frozenset({"variable", "constant", "property", "macro", "type"})
"""What says nothing by being there."""


class Known(msgspec.Struct, frozen=True, array_like=True):
    """A symbol in its file; `users` are the source files outside that name it."""

    path: str
    symbol: Symbol
    users: int = 0


@query
def public_of(facts: Facts, path: str) -> tuple[Symbol, ...]:
    """What a file offers to others: what its own list of exports names, or what is public and held
    by nothing but modules; by line."""
    if path not in facts.code:
        return ()
    said = facts.code[path]
    listed = None if said.exports is None else frozenset(said.exports)
    found: dict[str, Symbol] = {}
    for each in outer(said):
        if each.name in listed if listed is not None else each.is_public:
            found.setdefault(each.qualified, each)
    return tuple(sorted(found.values(), key=lambda each: (each.line, each.name)))


@query
def key_symbols(facts: Facts, key: str) -> tuple[Known, ...]:
    """Of a module: those that most files outside of their own use, then types, then what has a
    comment; at most KEY_MAX."""
    found = []
    for path in module(facts, key).files:
        users = users_of(facts, path)
        found += [
            Known(path, each, users.get(each.qualified, 0)) for each in public_of(facts, path)
            if each.kind != "module"
            and (each.doc or each.kind not in _PLAIN or each.qualified in users)
        ]  # fmt: skip
    found.sort(key=_precedence)
    return tuple(found[:KEY_MAX])


@query
def public_count(facts: Facts, key: str) -> int:
    return sum(len(public_of(facts, path)) for path in module(facts, key).files)


def _precedence(known: Known) -> tuple[int, bool, bool, int, str, int]:
    symbol = known.symbol
    size = symbol.end - symbol.line
    return (
        -known.users, symbol.kind not in _TYPES, not symbol.doc, -size, known.path, symbol.line,
    )  # fmt: skip
