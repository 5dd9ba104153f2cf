"""Which of several functions of one name a call runs, by its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments_from

ANY_NUMBER = "…"
"""Follows the type of the last parameter of a function with a variable number of arguments."""
_OPEN = re.compile(r"[A-Z]\d?(?:\[\])*")
"""A type parameter, which matches any type."""
_WIDE = frozenset({"Object", "CharSequence", "Comparable", "Serializable", "Type", "Boolean"})
"""Types of Java that literals of other types are converted to."""
_RECORD = re.compile(r"\brecord\s+\w+\s*(?:<[^()]{0,300}>\s*)?\((.*)", re.DOTALL)
_MANY = 100
"""Arguments of a function with a variable number of them."""
_COMPONENT = re.compile(r"\b(\w++)\s*+[,)]")


def fits(symbol: Symbol, arguments: tuple[str, ...] | None) -> bool:
    """May a call with these arguments run a function? See `given` of `Call`."""
    if not symbol.takes or arguments is None:
        return True
    types = _types(symbol.takes)
    if types and types[-1].endswith(ANY_NUMBER):
        last = types.pop().removesuffix(ANY_NUMBER)
        if (
            len(arguments) != len(types) + 1 or arguments[-1]
        ):  # A single one may be an array of all of them.
            types += [last] * (len(arguments) - len(types))
        else:
            arguments = arguments[:-1]
    return len(arguments) == len(types) and all(map(_accepts, types, arguments))


def counted(symbols: Iterable[Symbol], lines: str) -> Iterator[Symbol]:
    """Those of several functions of one name that the call which begins in the first of some lines
    may run, by the number of its arguments; all where that is not certain."""
    for symbol in symbols:
        form = re.compile(rf"\b{re.escape(symbol.name)}\s?(?:<[^()\n]{{0,200}}>)?\(")
        calls = [*form.finditer(lines, 0, lines.find("\n") if "\n" in lines else len(lines))]
        head = form.search(symbol.signature)
        if len(calls) != 1 or head is None:
            yield symbol
            continue
        takes = arguments_from(symbol.signature, head.end())
        least = sum("=" not in it for it in takes)
        is_open = any("params " in it or "vararg " in it or "..." in it for it in takes)
        if (
            least - is_open
            <= len(arguments_from(lines, calls[0].end()))
            <= (len(takes) + is_open * _MANY)
        ):
            yield symbol


def _accepts(type_: str, argument: str) -> bool:
    return argument in ("", type_) or type_ in _WIDE or bool(_OPEN.fullmatch(type_))


def is_same(one: Symbol, other: Symbol) -> bool:
    """May a function override another one of its name, by the parameters of both?"""
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
    """The first of all functions that override each other."""
    kept: list[Symbol] = []
    for symbol in symbols:
        if not any(is_same(symbol, other) for other in kept):
            kept.append(symbol)
    return kept


def components(symbol: Symbol) -> frozenset[str]:
    """The components of a record; each has an implicit accessor of its name."""
    listed = _RECORD.search(symbol.signature)
    return frozenset(_COMPONENT.findall(listed[1])) if listed else frozenset()


def _types(takes: str) -> list[str]:
    return takes[1:-1].split(", ") if len(takes) > 2 else []


def is_of_class(signature: str) -> bool:
    """Does a method of Ruby belong to the class and not to its objects?"""
    return signature.startswith("def self.")
