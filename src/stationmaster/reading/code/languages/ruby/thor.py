"""Commands of Thor: public methods of a class below a `desc`, and classes below others."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Option, Symbol

_OF_ALL = frozenset({"class_option", "argument"})
_OF_ONE = frozenset({"option", "method_option"})
_PLACE = re.compile(r"(?<=[ \[<])[A-Z][A-Z_]{1,40}(?![\w:-])")
"""What an argument is called behind the name of a command."""
_LITERALS = frozenset({"true", "false", "integer", "float"})
_BELOW = "subcommand"
CALLS = _OF_ALL | _OF_ONE | {"desc", _BELOW}


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of the classes of a file. What a class extends may be a class of Thor in another
    file: it is one itself by what it calls."""
    for symbol in unit.symbols:
        base = symbol.bases[0].removeprefix("::") if symbol.bases else ""
        own = [it for it in unit.called if it.caller == symbol.qualified] if base else []
        rows = list(_methods(unit, symbol, own))
        shared = tuple(_option(unit, it) for it in own if it.name in _OF_ALL)
        is_below = base not in ("", "Thor") and bool(rows or shared)
        parts = (base.replace("::", "."),) if is_below else ()
        if shared or parts:
            yield CliCommand((), symbol.line, "", "", shared, symbol.qualified, parts=parts)
        yield from rows


def _methods(unit: Unit, symbol: Symbol, own: list[Called]) -> Iterator[CliCommand]:
    """Public methods with a description above them, and classes of subcommands."""
    methods = [it for it in unit.symbols if it.container == symbol.qualified]
    methods = [it for it in methods if it.kind == "method" and it.is_public]
    described = ""
    for call in own:
        if call.name == "desc":
            described = call.value(1)
        elif call.name == _BELOW and described:
            yield _below(unit, call, described, symbol.qualified)
            described = ""
    places = [it.line for it in own]
    ends = sorted([*(it.end for it in methods), *(it.line for it in own if it.name == _BELOW)])
    for method in methods:
        before = bisect_left(ends, method.line)
        above = ends[before - 1] if before else symbol.line
        calls = own[bisect_right(places, above) : bisect_right(places, method.line)]
        text = next((each for each in calls if each.name == "desc"), None)
        if text is None:
            continue
        options = [Option((it,), text.line) for it in dict.fromkeys(_PLACE.findall(text.value(0)))]
        options += [_option(unit, each) for each in calls if each.name in _OF_ONE]
        words, help_ = (method.name.replace("_", "-"),), one_line(text.value(1))
        row = words, method.line, help_, method.qualified, tuple(options), symbol.qualified
        yield CliCommand(*row)


def _below(unit: Unit, call: Called, help_: str, holder: str) -> CliCommand:
    """The command of a class, with its options and what is below it."""
    inner = unit.text(call.given.get(1)).replace("::", ".").removeprefix(".")
    row = (call.value(0),), call.line, one_line(help_), "", (), holder
    return CliCommand(*row, children=(inner,), parts=(inner,))


def _option(unit: Unit, call: Called) -> Option:
    name, default = call.value(0), call.given.get("default")
    names = dashed(*call.texts("aliases"), f"--{name.replace('_', '-')}")
    is_plain = default is not None and default.type in _LITERALS
    value = unit.text(default) if is_plain else call.value("default")
    names = (name.upper(),) if call.name == "argument" else names
    return Option(names, call.line, one_line(call.value("desc")), value or None)
