"""Which of several functions of one name a call may mean, by what it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stationmaster.reading.code.model import Symbol

ANY_NUMBER = "…"
"""Stands behind the type of the last parameter where a function takes any number of them."""
_OPEN = re.compile(r"[A-Z]\d?(?:\[\])*")
"""A parameter of a type: it may stand for any other one."""
_WIDE = frozenset({"Object", "CharSequence", "Comparable", "Serializable", "Type", "Boolean"})
"""Types of Java that stand for literals of others."""
_RECORD = re.compile(r"\brecord\s+\w+\s*(?:<[^()]{0,300}>\s*)?\((.*)", re.DOTALL)
_COMPONENT = re.compile(r"\b(\w++)\s*+[,)]")


def fits(symbol: Symbol, arguments: tuple[str, ...] | None) -> bool:
    """May a call with these arguments mean a function? `given` see `Call`."""
    if not symbol.takes or arguments is None:
        return True
    types = _types(symbol.takes)
    if types and types[-1].endswith(ANY_NUMBER):
        last = types.pop().removesuffix(ANY_NUMBER)
        if (
            len(arguments) != len(types) + 1 or arguments[-1]
        ):  # One alone may be a list of all of them.
            types += [last] * (len(arguments) - len(types))
        else:
            arguments = arguments[:-1]
    return len(arguments) == len(types) and all(map(_accepts, types, arguments))


def _accepts(type_: str, argument: str) -> bool:
    return argument in ("", type_) or type_ in _WIDE or bool(_OPEN.fullmatch(type_))


def is_same(one: Symbol, other: Symbol) -> bool:
    """May a function stand for another one of its name, by what both take?"""
    if one.takes == other.takes or not (one.takes and other.takes):
        return True
    pairs = _types(one.takes), _types(other.takes)
    if len(pairs[0]) != len(pairs[1]):
        return False
    return all(
        left == right or _OPEN.fullmatch(left) or _OPEN.fullmatch(right)
        for left, right in zip(*pairs, strict=True)
    )


def apart(symbols: Iterable[Symbol]) -> list[Symbol]:
    """One of all those that stand for each other, the first one."""
    kept: list[Symbol] = []
    for symbol in symbols:
        if not any(is_same(symbol, other) for other in kept):
            kept.append(symbol)
    return kept


def components(symbol: Symbol) -> frozenset[str]:
    """What a record consists of: each is read by a method of its name that nobody writes."""
    listed = _RECORD.search(symbol.signature)
    return frozenset(_COMPONENT.findall(listed[1])) if listed else frozenset()


def _types(takes: str) -> list[str]:
    return takes[1:-1].split(", ") if len(takes) > 2 else []
