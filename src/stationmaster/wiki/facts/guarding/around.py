"""What an application puts before routes of its framework: NestJS's global prefix and guards, the
paths that ASP.NET gives to controllers by their names, and what it asks of all that is mapped.

An application is a program that makes one, with the files that it imports; a file that no program
imports belongs to that of the nearest folder around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from stationmaster.reading.code.model import Around, Route
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.code.names import around, types
from stationmaster.wiki.facts.guarding.guards import Guard, named, where_asked
from stationmaster.wiki.facts.interfaces import symfony, wiring
from stationmaster.wiki.facts.model import Facts, query

_ASPNET = "ASP.NET"
_BY_NAME = frozenset({"MapControllerRoute", "MapDefaultControllerRoute", "UseMvcWithDefaultRoute"})
_PATTERN = '"{controller'
_ASKED = re.compile(r"[^;{}]{0,200}?\)\s{0,99}\.(RequireAuthorization)\(")
_STATEMENT_LINES = 6
_PARAMETER = re.compile(r":\w+|\{\*?\w+\}")
_MADE = "NestFactory.create"
_OF_SOCKETS = "WEBSOCKET"


class Before(NamedTuple):
    prefix: str
    guards: tuple[Guard, ...]


class _Program(NamedTuple):
    """A folder in which an application is made, with all files that are its own."""

    folder: str
    files: frozenset[str]


class _Placed(NamedTuple):
    """Something that a file puts before what is in one program."""

    program: _Program
    path: str
    said: Around


def before(facts: Facts, path: str, route: Route, below: str) -> Before:
    """What stands before a route of a file whose path is `below` without it."""
    if route.framework == _ASPNET:
        is_asked = not route.guard and _is_asked(facts, around(facts, path, route.line))
        asked = (Guard("RequireAuthorization", None),) if is_asked else ()
        return Before("" if below.strip("/") else _by_name(facts, path, route), asked)
    if route.framework == symfony.FRAMEWORK:
        return Before(symfony.prefix_of(facts, path), ())
    prefix, guards = "", list[Guard]()
    placed = [it for it in _all(facts) if it.said.framework == route.framework]
    own = _nearest(list(dict.fromkeys(it.program for it in placed)), path)
    for it in placed if route.method != _OF_SOCKETS else ():
        if it.program == own:
            if below.strip("/") not in it.said.excepted:
                prefix += wiring.told_elsewhere(facts, it.path, it.said.prefix)
            is_meant = not it.said.only or any(_is_meant(row, route, below) for row in it.said.only)
            is_excepted = any(_is_meant(row, route, below) for row in it.said.excepted)
            if is_meant and not is_excepted:
                line = it.said.line
                guards += where_asked(
                    facts, it.path, line, named(facts, it.path, it.said.guards, line)
                )
    return Before(prefix, tuple(guards))


def _is_meant(row: str, route: Route, below: str) -> bool:
    """Is a route one of those that `GET path` stands for, or the class of a controller?"""
    method, sign, path = row.partition(" ")
    if not sign:
        return row == route.owner
    pattern = _PARAMETER.sub(":", path.replace("(.*)", "*"))
    is_path = fnmatchcase(_PARAMETER.sub(":", below.strip("/")), pattern)
    return is_path and method in ("ANY", route.method)


def _by_name(facts: Facts, path: str, route: Route) -> str:
    """The path of an action whose class and method name none: those of both, where the program says
    so and the class is a controller with views."""
    bases = [
        base.rpartition(".")[2]
        for place in types(facts).around((path, route.owner))
        if (symbol := symbol_of(facts, *place))
        for base in symbol.bases
    ]
    if "Controller" not in bases or not _has_paths_by_name(facts):
        return ""
    holder, _, action = route.handler.rpartition(".")
    name = holder.rpartition(".")[2].removesuffix("Controller")
    return f"/{name}" if action == "Index" else f"/{name}/{action}"


@query
def _has_paths_by_name(facts: Facts) -> bool:
    return any(
        call.name != "MapControllerRoute" or _PATTERN in _statement(facts, path, call.line)
        for path, said in facts.code.items()
        for call in (said.calls if path.endswith(".cs") else ())
        if call.name in _BY_NAME
    )


@query
def _is_asked(facts: Facts, function: str) -> bool:
    """Does the program ask for a sign-in behind each call of a function that maps routes?"""
    name = function.rpartition(".")[2]
    calls = [
        _statement(facts, path, call.line).partition(f"{name}(")[2]
        for path, said in facts.code.items()
        for call in (said.calls if name and path.endswith(".cs") else ())
        if call.name == name
    ]
    return bool(calls) and all(map(_ASKED.match, calls))


def _statement(facts: Facts, path: str, line: int) -> str:
    return "\n".join(lines_of(facts, path)[line - 1 : line - 1 + _STATEMENT_LINES])


@query
def _all(facts: Facts) -> Sequence[_Placed]:
    files = [file for file in interfaces(facts) if file.wiring.around]
    makers = interfaces(facts) if files else ()
    programs = [
        _Program(_inside(file.path), _imported(facts, file.path))
        for file in makers
        if any(entry.name.endswith(_MADE) for entry in file.entries)
    ]
    found = []
    for file in files:
        nearest = _nearest(programs, file.path) or _Program(_inside(file.path), frozenset())
        own = [it for it in programs if file.path in it.files] or [nearest]
        found += [_Placed(it, file.path, said) for it in own for said in file.wiring.around]
    return tuple(found)


def _nearest(programs: Sequence[_Program], path: str) -> _Program | None:
    """The program of a file: of those that import it, or else of all around it, the innermost."""
    importing = [it for it in programs if path in it.files]
    nearby = importing or [it for it in programs if path.startswith(it.folder)]
    is_within = [it for it in nearby if path.startswith(it.folder)] or nearby
    return max(is_within, key=lambda it: len(it.folder), default=None)


def _imported(facts: Facts, start: str) -> frozenset[str]:
    """A file, and all that it imports."""
    waiting, found = [start], {start}
    while waiting:
        for link in links_from(facts, waiting.pop()):
            if link.end not in found:
                found.add(link.end)
                waiting.append(link.end)
    return frozenset(found)


def _inside(path: str) -> str:
    """What the paths of all files in the folder of a file begin with."""
    return path[: path.rfind("/") + 1]
