"""Commands of Thor: public methods of a class below a `desc`, classes below others, and groups
whose methods run one after the other as a single command."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Option, Symbol

_GROUP = "Thor::Group"
_OF_ALL = frozenset({"class_option", "argument"})
_OF_ONE = frozenset({"option", "method_option"})
_PLACE = re.compile(r"(?<=[ \[<])[A-Z][A-Z_]{1,40}(?![\w:-])")
"""What an argument is called behind the name of a command."""
_LITERALS = frozenset({"true", "false", "integer", "float"})
_BELOW = "subcommand"
CALLS = _OF_ALL | _OF_ONE | {"desc", _BELOW, "register"}


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of the classes of a file, and the groups as parts."""
    rows = [(it, base.removeprefix("::")) for it, base in unit.classes("Thor", "Group")]
    classes = {it.qualified: base for it, base in rows if base in ("Thor", _GROUP)}
    for symbol in unit.symbols:
        if symbol.kind == "class" and (base := classes.get(symbol.qualified)):
            own = [it for it in unit.called if it.caller == symbol.qualified]
            shared = tuple(_option(unit, it) for it in own if it.name in _OF_ALL)
            if shared:
                row = (), symbol.line, "", "", shared, symbol.qualified
                yield CliCommand(*row, is_part=base == _GROUP)
            if base == "Thor":
                yield from _methods(unit, symbol, own)
    if classes:
        yield from _registered(unit)


def _methods(unit: Unit, symbol: Symbol, own: list[Called]) -> Iterator[CliCommand]:
    """Public methods with a description above them, and classes of subcommands."""
    methods = [it for it in unit.symbols if it.container == symbol.qualified]
    functions = _sharing(unit, symbol)
    methods = [it for it in methods if it.kind == "method" and it.is_public]
    lines = unit.data.decode(errors="replace").split("\n")
    described = ""
    for call in own:
        if call.name == "desc":
            described = call.value(1)
        elif call.name == _BELOW and described:
            yield _below(unit, call, 0, 1, described, symbol.qualified)
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
        for line in lines[above : method.line]:
            options += functions.get(line.strip(), ())
        words, help_ = (method.name.replace("_", "-"),), one_line(text.value(1))
        row = words, method.line, help_, method.qualified, tuple(options), symbol.qualified
        yield CliCommand(*row)


def _sharing(unit: Unit, symbol: Symbol) -> dict[str, list[Option]]:
    """The options that functions of a class declare, by the names of the functions."""
    functions: dict[str, list[Option]] = {}
    for call in unit.called:
        holder, _, name = call.caller.rpartition(".")
        if holder == symbol.qualified and call.name in _OF_ONE:
            functions.setdefault(name, []).append(_option(unit, call))
    return functions


def _registered(unit: Unit) -> Iterator[CliCommand]:
    """`Base.register(Build, "build", "build [options]", "Builds the site")`"""
    for call in unit.called:
        if call.name == "register" and len(call.given.at) > 2 and call.value(1):
            yield _below(unit, call, 1, 0, call.value(3), "" if call.on else call.caller)


def _below(unit: Unit, call: Called, name: int, class_: int, help_: str, holder: str) -> CliCommand:
    """The command of a class, with its options and what is below it."""
    text = unit.text(call.given.get(class_))
    inner = call.caller if text == "self" else text.replace("::", ".")
    inner = inner.rpartition(".")[2]
    row = (call.value(name),), call.line, one_line(help_), "", (), holder
    return CliCommand(*row, children=(inner,), parts=(inner,))


def _option(unit: Unit, call: Called) -> Option:
    name, default = call.value(0), call.given.get("default")
    names = dashed(*call.texts("aliases"), f"--{name.replace('_', '-')}")
    is_plain = default is not None and default.type in _LITERALS
    value = unit.text(default) if is_plain else call.value("default")
    names = (name.upper(),) if call.name == "argument" else names
    return Option(names, call.line, one_line(call.value("desc")), value or None)
