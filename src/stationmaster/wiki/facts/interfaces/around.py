"""What an application puts before all routes of its framework: NestJS's global prefix and guards.

An application is a program that makes one, with the files that it imports; a file that no program
imports belongs to that of the nearest folder around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Around, Route
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.interfaces.guards import Guard, named_guard
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

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
    prefix, guards = "", list[Guard]()
    placed = [it for it in _all(facts) if it.said.framework == route.framework]
    own = _nearest(list(dict.fromkeys(it.program for it in placed)), path)
    for it in placed if route.method != _OF_SOCKETS else ():
        if it.program == own:
            if below.strip("/") not in it.said.excepted:
                prefix += told_elsewhere(facts, it.path, it.said.prefix)
            for name in it.said.guards:
                guards += named_guard(facts, it.path, name, it.said.line)
    return Before(prefix, tuple(guards))


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
    around = importing or [it for it in programs if path.startswith(it.folder)]
    is_within = [it for it in around if path.startswith(it.folder)] or around
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
