"""Literals, and the constants that stand for them."""

from __future__ import annotations

import re

from stationmaster.reading.code.languages.go.kept import duration
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.bindings import constant_value, declaration
from stationmaster.wiki.facts.model import Facts

_FIXED = r"(?m)^(?=[^=;\n]*\bstatic\b)(?=[^=;\n]*\bfinal\b)[^=;\n]*\b%s\s*+=\s*+([^;\n]{1,200});"
_LITERAL = re.compile(r"\"([^\"\\\n]*)\"|'([^'\n]*)'|(-?\d[\d_.]*|(?i:true|false))")


_ZERO = re.compile(r"(?:var )?\w{1,100} (bool|u?int\d{0,2}|float\d\d|string)")
_ZEROS = {"bool": "false", "string": ""}


def literal(written: str) -> str | None:
    """What a literal says, of a time of Go `2m`; None for anything else."""
    match = _LITERAL.fullmatch(written)
    return match[match.lastindex or 0] if match else duration(written)


def initial(facts: Facts, path: str, symbol: Symbol) -> str | None:
    """What a variable of a package of Go holds before anything sets it; None where that is no
    literal, or nothing."""
    if symbol.kind != "variable" or symbol.container:
        return None
    if (value := literal(constant_value(facts, path, symbol))) is not None:
        return value or None
    declared = _ZERO.fullmatch(symbol.signature.partition("//")[0].strip())
    return (_ZEROS.get(declared[1], "0") if declared else None) or None


def default_value(facts: Facts, path: str, default: str | None) -> str | None:
    """A default, also that of a constant that is written for it, and of a variable of a package of
    Go: `{$shop.Port}`, which stays where the value is not certain; None for what may be changed."""
    if default is None or not (default.startswith("{$") and default.endswith("}")):
        return default
    end = declaration(facts, path, default[2:-1])
    if end is None and path.endswith(".rb"):  # A constant of a class around it.
        own = [it for it in facts.code[path].symbols if it.name == default[2:-1]]
        end = (path, own[0]) if len(own) == 1 else None
    if end is None and path.endswith(".java"):
        return _of_class(facts, path, default[2:-1]) or default
    if end and end[1].kind != "constant":
        return initial(facts, *end) if path.endswith(".go") else None
    value = literal(constant_value(facts, *end)) if end else None
    return default if value is None else value


def _of_class(facts: Facts, path: str, name: str) -> str | None:
    """The value of a constant of a class of a file of Java, also of a private one; None where it is
    not certain."""
    values = re.findall(_FIXED % re.escape(name), facts.tree.text(path))
    return literal(values[0].strip()) if len(values) == 1 else None
