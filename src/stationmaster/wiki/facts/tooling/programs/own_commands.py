"""Commands that are classes: those of libraries, many of which call a command after its file, and
those of a base that the project makes itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from posixpath import join, normpath
from typing import NamedTuple

import msgspec

from stationmaster.catalogue import code
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.model import CliCommand, Option, Symbol
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.model import Facts, query

_BASES_MAX = 4
_CALLED = "Command"
"""What the name of a class of commands ends with."""
_RUNNING = ("handle", "run", "execute", "__call__")


class _Library(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of `shared.toml`, where each member is described."""

    packages: tuple[str, ...] = ()
    path: str = ""
    alone: str = ""
    separator: str = " "
    separated: tuple[str, ...] = ()
    program: str = ""


_LIBRARIES = code.table("shared.commands.classes", dict[str, _Library])
_OF_PROJECT = _Library()
_Classes = tuple[tuple[str, Symbol], ...]
"""With their files."""


class Own(NamedTuple):
    """A command of a class. `handler` is the method that runs, or the class itself; what many
    commands extend has only its options, and no name. `framework` is the one whose own
    `program` starts it."""

    name: str
    path: str
    line: int
    help: str
    handler: str
    handler_line: int
    options: tuple[Option, ...]
    framework: str
    program: str


@query
def own_commands(facts: Facts) -> tuple[Own, ...]:
    """By file and line, with the options of the classes that they extend."""
    commands: dict[tuple[str, str], Own] = {}
    for file in interfaces(facts):
        for part in file.commands:
            symbol = symbol_of(facts, file.path, part.holder) if part.is_part else None
            if symbol is None or symbol.kind != "class":
                continue
            above = _above(facts, file.path, symbol)
            framework, library = _library(facts, file.path, symbol, above)
            if library is None or "abstract" in symbol.signature.split():
                continue
            if name := "".join(part.words) or _name(facts, file.path, symbol, library):
                runner = (framework, library.program) if library.program else ("", "")
                own = _made(facts, file.path, symbol, part, name, runner)
                commands[file.path, symbol.qualified] = own
                for path, base in above:
                    inner = _part(facts, path, base)
                    if inner is not None and inner.options:
                        own = _made(facts, path, base, inner, "", runner)
                        commands.setdefault((path, base.qualified), own)
    return tuple(commands.values())


def _library(
    facts: Facts, path: str, symbol: Symbol, above: _Classes
) -> tuple[str, _Library | None]:
    """The library that runs a class as a command, and its name; in Python it may be the project
    itself."""
    packages = {it for spot in ((path, symbol), *above) for it in _packages(facts, *spot)}
    for name, library in _LIBRARIES.items():
        is_there = compiled(library.path).fullmatch(path) and symbol.name == library.alone
        is_theirs = any(_is_of(it, package) for it in packages for package in library.packages)
        if is_theirs or (library.alone and is_there):
            return name, library
    return "", _OF_PROJECT if above and path.endswith(".py") else None


def _packages(facts: Facts, path: str, symbol: Symbol) -> Iterator[str]:
    """What the bases of a class are imported from."""
    heads = {re.split(r"\W", base, maxsplit=1)[0] for base in symbol.bases}
    for import_ in facts.code[path].imports:
        if heads.intersection(import_.bound):
            yield import_.name


def _is_of(name: str, package: str) -> bool:
    return name == package or name.startswith((f"{package}.", f"{package}/"))


def _name(facts: Facts, path: str, symbol: Symbol, library: _Library) -> str:
    """The name of a command whose class states none; '' where the file has none either."""
    if library is _OF_PROJECT:
        stem = path.rpartition("/")[2].rpartition(".")[0]
        return stem if symbol.name == _CALLED else ""
    match = compiled(library.path).fullmatch(path)
    if match is None or symbol.name not in (library.alone, facts.code[path].default):
        return ""
    return match[1].replace("/", _separator(facts, path, library))


def _separator(facts: Facts, path: str, library: _Library) -> str:
    """The separator between the words of a command, as the nearest manifest sets it."""
    for folder in parents(folder_of(path)) if library.separated else ():
        manifest = normpath(join(folder, "package.json"))
        *keys, last = library.separated
        if manifest in facts.records:
            section: Mapping[str, object] = mapping(facts.tree.json(manifest))
            for key in keys:
                section = mapping(section.get(key))
            if section:
                return str(section.get(last, library.separator))
    return library.separator


def _made(
    facts: Facts, path: str, symbol: Symbol, part: CliCommand, name: str, runner: tuple[str, str]
) -> Own:
    methods = (f"{symbol.qualified}.{method}" for method in _RUNNING)
    runs = next((it for method in methods if (it := symbol_of(facts, path, method))), symbol)
    handled = runs.qualified, runs.line
    return Own(name, path, part.line, part.help or symbol.doc, *handled, part.options, *runner)


def _part(facts: Facts, path: str, symbol: Symbol) -> CliCommand | None:
    parts = (it for it in facts.code[path].commands if it.is_part)
    return next((it for it in parts if it.holder == symbol.qualified), None)


def _above(facts: Facts, path: str, symbol: Symbol) -> _Classes:
    """The classes of the project that a class of commands extends."""
    places = islice(types(facts).around((path, symbol.qualified)), 1, 1 + _BASES_MAX)
    bases = ((it[0], symbol_of(facts, *it)) for it in places if it[1].endswith(_CALLED))
    return tuple((where, base) for where, base in bases if base is not None)
