"""What calls and rows have in them: arguments, and literals."""

from __future__ import annotations

import re

from stationmaster.reading.code.languages.go.kept import duration
from stationmaster.wiki.facts.code.bindings import constant_value, declaration
from stationmaster.wiki.facts.model import Facts

_GIVEN_MAX = 2_000
_LITERAL = re.compile(r"\"([^\"\\\n]*)\"|'([^'\n]*)'|(-?\d[\d_.]*|(?i:true|false))")


def arguments(text: str, start: int, most: int = _GIVEN_MAX) -> tuple[str, ...]:
    """What stands between brackets, the first of which is before `start`, in `most` letters."""
    given, depth, quote, begin = [], 0, "", start
    for at in range(start, min(start + most, len(text))):
        sign = text[at]
        if quote:
            quote = "" if sign == quote and text[at - 1] != "\\" else quote
        elif sign in "\"`'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign in "),]}" and not depth:
            given.append(text[begin:at].strip())
            begin = at + 1
            if sign != ",":
                break
    return tuple(it for it in given if it)


def literal(written: str) -> str | None:
    """What a literal says, of a time of Go `2m`; None for anything else."""
    match = _LITERAL.fullmatch(written)
    return match[match.lastindex or 0] if match else duration(written)


def default_value(facts: Facts, path: str, default: str | None) -> str | None:
    """A default, also that of a constant that is written for it: `{$shop.Port}`, which stays where
    the value is not certain; None for what may be changed."""
    if default is None or not (default.startswith("{$") and default.endswith("}")):
        return default
    end = declaration(facts, path, default[2:-1])
    if end is None and path.endswith(".rb"):  # A constant of a class around it.
        own = [it for it in facts.code[path].symbols if it.name == default[2:-1]]
        end = (path, own[0]) if len(own) == 1 else None
    if end and end[1].kind != "constant":
        return None
    value = literal(constant_value(facts, *end)) if end else None
    return default if value is None else value
