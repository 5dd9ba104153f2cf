"""Commands that are classes, each in the file that it is called by: those of Django, and those of
a base that the project makes itself."""

from __future__ import annotations

import re
from typing import NamedTuple

from stationmaster.reading.code.model import CliCommand, Option, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.model import Facts, query

_BASES_MAX = 4
_DJANGO = re.compile(r"(?:.*/)?management/commands/([a-z]\w*)\.py")
_CALLED = "Command"
"""What a class is called whose command has the name of its file."""
_RUNNING = ("handle", "run", "execute", "__call__")


class Own(NamedTuple):
    """A command of a class. `handler` is the method that runs, or the class itself; what many
    commands are built on has its options alone, and no name."""

    name: str
    path: str
    line: int
    help: str
    handler: str
    handler_line: int
    options: tuple[Option, ...]
    framework: str


@query
def own_commands(facts: Facts) -> tuple[Own, ...]:
    """By file and line, with what they are built on where that has options of its own."""
    commands: dict[tuple[str, str], Own] = {}
    for file in interfaces(facts):
        django = _DJANGO.fullmatch(file.path)
        for part in file.commands if file.path.endswith(".py") else ():
            symbol = symbol_of(facts, file.path, part.holder) if part.is_part else None
            if symbol is None or symbol.kind != "class":
                continue
            above = _above(facts, file.path, symbol)
            is_called = symbol.name == _CALLED
            stem = file.path.rpartition("/")[2].removesuffix(".py") if is_called else ""
            name = "".join(part.words) or stem
            if name and (above or (django and is_called)):
                framework = "Django" if django else ""
                own = _made(facts, file.path, symbol, part, name, framework)
                commands[file.path, symbol.qualified] = own
                for path, base in above:
                    inner = _part(facts, path, base)
                    if inner is not None and inner.options:
                        own = _made(facts, path, base, inner, "", framework)
                        commands.setdefault((path, base.qualified), own)
    return tuple(commands.values())


def _made(
    facts: Facts, path: str, symbol: Symbol, part: CliCommand, name: str, framework: str
) -> Own:
    methods = (f"{symbol.qualified}.{method}" for method in _RUNNING)
    runs = next((it for method in methods if (it := symbol_of(facts, path, method))), symbol)
    handled = runs.qualified, runs.line
    return Own(name, path, part.line, part.help or symbol.doc, *handled, part.options, framework)


def _part(facts: Facts, path: str, symbol: Symbol) -> CliCommand | None:
    parts = (it for it in facts.code[path].commands if it.is_part)
    return next((it for it in parts if it.holder == symbol.qualified), None)


def _above(facts: Facts, path: str, symbol: Symbol) -> tuple[tuple[str, Symbol], ...]:
    """The classes of the project that a class of commands is built on, with their files."""
    commands: dict[tuple[str, str], Symbol] = {}
    waiting = [(path, symbol)]
    while waiting and len(commands) <= _BASES_MAX:
        where, inner = waiting.pop(0)
        for base in inner.bases:
            end = declaration(facts, where, base) if base.endswith(_CALLED) else None
            if end is not None and (end[0], end[1].qualified) not in commands and end[1] != symbol:
                commands[end[0], end[1].qualified] = end[1]
                waiting.append(end)
    return tuple((where, base) for (where, _), base in commands.items())
