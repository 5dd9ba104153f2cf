"""Command lines of Java and Kotlin: those of annotated classes, and Clikt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.annotated import Library, annotated
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import CliCommand, Option

_LIBRARIES = code.table("jvm.commands.annotated", dict[str, Library])
_CLIKT = ("com.github.ajalt.clikt",)
_NAMED = re.compile(r"CliktCommand\(\s{0,40}(?:name\s{0,4}=\s{0,4})?\"([\w.-]{1,60})\"")
_HEAD_LINES = 8
"""Lines of a class, with what it gives the one it extends."""
CALLS = frozenset({"option", "argument", "subcommands"})


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of annotated classes, then of Clikt where it is imported."""
    yield from annotated(unit, _LIBRARIES.values())
    if unit.proof.any_of(_CLIKT):
        yield from _clikt(unit)


def _clikt(unit: Unit) -> Iterator[CliCommand]:
    """Classes that extend CliktCommand, with the properties that options and arguments make."""
    calls = [call for call in unit.called if call.name in ("option", "argument") and not call.on]
    roots = {call.on.partition("(")[0] for call in unit.called if call.name == "subcommands"}
    lines = unit.data.decode(errors="replace").split("\n")
    for symbol, _ in unit.classes("CliktCommand", "SuspendingCliktCommand"):
        if "abstract" in symbol.signature.split():
            continue
        head = "\n".join(lines[symbol.line - 1 : symbol.line + _HEAD_LINES])
        named = _NAMED.search(head)
        own = {symbol.qualified}
        own |= {s.qualified for s in unit.symbols if s.container == symbol.qualified}
        options = []
        for call in calls:
            if call.caller in own:
                arguments = call.given
                texts = [call.value(place) for place in range(len(arguments.at))]
                property_ = call.caller.rpartition(".")[2]
                names = tuple(filter(None, texts)) or _default(call.name, property_)
                options.append(Option(names, call.line, one_line(call.value("help"))))
        name = named[1] if named else hyphened(symbol.name.removesuffix("Command")).lower()
        words = () if symbol.name in roots else (name,)
        yield CliCommand(words, symbol.line, symbol.doc, symbol.qualified, tuple(options))


def _default(kind: str, name: str) -> tuple[str, ...]:
    """The default name of Clikt for an option or argument, from its property."""
    hyphened_name = hyphened(name)
    return (
        (f"--{hyphened_name.lower()}",)
        if kind == "option"
        else (hyphened_name.upper().replace("-", "_"),)
    )
