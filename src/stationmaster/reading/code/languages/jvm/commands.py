"""Command lines of Java and Kotlin: picocli, JCommander, Clikt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.languages.unit import Field, Unit
from stationmaster.reading.code.model import CliCommand, Option

_PICOCLI = {"Command": ("picocli.CommandLine",)}
_JCOMMANDER = ("com.beust.jcommander",)
_CLIKT = ("com.github.ajalt.clikt",)
_NAMED = re.compile(r"CliktCommand\(\s{0,40}(?:name\s{0,4}=\s{0,4})?\"([\w.-]{1,60})\"")
_HEAD_LINES = 8
"""Lines of a class, with what it gives the one it extends."""
CALLS = frozenset({"option", "argument", "subcommands"})


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of picocli, then of JCommander, then of Clikt where it is imported."""
    yield from _picocli(unit)
    yield from _jcommander(unit)
    if unit.proof.any_of(_CLIKT):
        yield from _clikt(unit)


def _picocli(unit: Unit) -> Iterator[CliCommand]:
    """A class whose `main` is here is the program, others are commands below it."""
    mains = {symbol.container for symbol in unit.symbols if symbol.name == "main"}
    words: dict[str, tuple[str, ...]] = {}
    for noted, note, _ in unit.marked(_PICOCLI):
        name = note.value("name") or noted.name
        above = words.get(noted.holder, ())
        is_program = noted.qualified in mains or note.given.get("subcommands") is not None
        own = () if is_program and not above else (*above, name)
        words[noted.qualified] = own
        options = tuple(
            made
            for field in (unit.fields(noted.node) if noted.kind == "class" else ())
            if (made := _option(field)) is not None
        )
        about = one_line(" ".join(note.texts("description")))
        yield CliCommand(own, note.line, about, noted.qualified, options)


def _option(field: Field) -> Option | None:
    note = field.notes.get("Option") or field.notes.get("Parameters")
    if note is None:
        return None
    names = tuple(note.texts("names", "name", 0))
    if "Option" not in field.notes:
        names = (note.value("paramLabel").strip("<>") or field.name.upper(),)
    if not names:
        return None
    about = one_line(" ".join(note.texts("description")))
    return Option(names, field.line, about, note.value("defaultValue") or None)


def _jcommander(unit: Unit) -> Iterator[CliCommand]:
    """A class with parameters; `@Parameters(commandNames = …)` makes it a command of its own."""
    options: dict[str, list[Option]] = {}
    for noted, note, _ in unit.marked({"Parameter": _JCOMMANDER}):
        names = tuple(note.texts("names")) or (noted.name.upper(),)
        option = Option(names, note.line, one_line(note.value("description")))
        options.setdefault(noted.holder, []).append(option)
    holders = {noted.qualified: noted for noted in unit.noted}
    for symbol in unit.symbols:
        if symbol.qualified in options:
            holder = holders.get(symbol.qualified)
            head = holder.notes.get("Parameters") if holder is not None else None
            words = tuple(head.texts("commandNames")[:1]) if head else ()
            about = head.value("commandDescription") if head else ""
            yield CliCommand(
                words, symbol.line, about, symbol.qualified, tuple(options[symbol.qualified])
            )


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
