"""Commands below commands of other files: a file tells what it keeps a command in, another one what
it puts below its own, and functions of others what options they add."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import structs

from stationmaster.reading.code.model import CliCommand, Option, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.model import Facts, query

_DEPTH_MAX = 8
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*+")
_VALUE = re.compile(
    r"=\s*(\"[^\"]{0,200}\"|'[^']{0,200}'|-?\d[\w.]*|true|false|True|False)\s*+(?:[;,]\s*+)?$"
)


class _Kept(NamedTuple):
    path: str
    holder: str


class Placed(NamedTuple):
    """A command with the words of all commands that it is below. `program` is what the outermost
    calls itself."""

    words: tuple[str, ...]
    program: str


def placed(facts: Facts, path: str, command: CliCommand, depth: int = _DEPTH_MAX) -> Placed:
    """Where a command of a file is."""
    first = next(
        (own for own in facts.code[path].commands if own.words == command.words[:1]), command
    )
    above = _parents(facts).get(_Kept(path, first.holder)) if first.holder and first.words else None
    if above is None or not depth:
        return Placed(command.words, command.program)
    outer = placed(facts, *above, depth - 1)
    return Placed((*outer.words, *command.words), outer.program)


def options_of(
    facts: Facts, path: str, command: CliCommand, depth: int = _DEPTH_MAX
) -> tuple[Option, ...]:
    """The options of a command of a file, with those that functions add to it."""
    options = dict.fromkeys(command.options)
    for function in command.parts if depth else ():
        for kept in _places(facts, path, function):
            options |= dict.fromkeys(options_of(facts, kept.path, _kept(facts)[kept], depth - 1))
    return tuple(_valued(facts, path, option) for option in options)


def _valued(facts: Facts, path: str, option: Option) -> Option:
    """An option with the text or number of the constant that is its default."""
    name = option.default or ""
    if not _CONSTANT.fullmatch(name):
        return option
    own = [(path, symbol) for symbol in facts.code[path].symbols if symbol.name == name]
    for where, symbol in own or _constants(facts).get(name, ()):
        if match := _VALUE.search(lines_of(facts, where)[symbol.line - 1]):
            text = match[1].strip("\"'")
            return structs.replace(option, default=text if text.strip() else match[1])
    return option


@query
def _constants(facts: Facts) -> Mapping[str, tuple[tuple[str, Symbol], ...]]:
    """Those of source files, by name."""
    found: dict[str, tuple[tuple[str, Symbol], ...]] = defaultdict(tuple)
    for path, said in facts.code.items():
        for symbol in said.symbols if facts.records[path].file_class == "source" else ():
            if symbol.kind == "constant" and _CONSTANT.fullmatch(symbol.name):
                found[symbol.name] += ((path, symbol),)
    return {name: places for name, places in found.items() if len(places) == 1}


@query
def _kept(facts: Facts) -> Mapping[_Kept, CliCommand]:
    """Commands by what keeps them; those of one place the first."""
    kept: dict[_Kept, CliCommand] = {}
    for file in interfaces(facts):
        for command in file.commands:
            if command.holder:
                kept.setdefault(_Kept(file.path, command.holder), command)
    return kept


@query
def _in_folders(facts: Facts) -> Mapping[tuple[str, str], tuple[_Kept, ...]]:
    """The places of commands, by folder and what keeps them."""
    found: dict[tuple[str, str], tuple[_Kept, ...]] = defaultdict(tuple)
    for kept in _kept(facts):
        found[folder_of(kept.path), kept.holder] += (kept,)
    return found


@query
def _parents(facts: Facts) -> Mapping[_Kept, tuple[str, CliCommand]]:
    """The file and the command that one kept elsewhere is put below, where it is one alone."""
    above: dict[_Kept, list[tuple[str, CliCommand]]] = defaultdict(list)
    for file in interfaces(facts):
        for command in file.commands:
            for child in command.children:
                for place in _places(facts, file.path, child):
                    above[place].append((file.path, command))
            for place in _places(facts, file.path, command.parent) if command.parent else ():
                own = _Kept(file.path, command.holder)
                above[own].append((place.path, _kept(facts)[place]))
    return {kept: places[0] for kept, places in above.items() if len(places) == 1}


def _places(facts: Facts, path: str, name: str) -> list[_Kept]:
    """Where a name leads: through an import, or to another file of the same package."""
    found = {
        kept
        for origin in meant(facts, path, name)
        if (kept := _Kept(origin.path, origin.name)) in _kept(facts)
    }
    found |= {*_in_folders(facts).get((folder_of(path), name), ())}
    return sorted(found) if len(found) == 1 else []
