"""What an application puts before all routes of its framework: NestJS's global prefix and guards.

An application is the folder where a program makes it, with all below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Around, Route
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.interfaces.guards import Guard, named_guard
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

_MADE = "NestFactory.create"
_OF_SOCKETS = "WEBSOCKET"


class Before(NamedTuple):
    prefix: str
    guards: tuple[Guard, ...]


class _Placed(NamedTuple):
    """Something that is put before what lies in a folder."""

    folder: str
    path: str
    said: Around


def before(facts: Facts, path: str, route: Route, below: str) -> Before:
    """What stands before a route of a file whose path is `below` without it."""
    prefix, guards = "", list[Guard]()
    for placed in _all(facts) if route.method != _OF_SOCKETS else ():
        said = placed.said
        if said.framework == route.framework and path.startswith(placed.folder):
            if below.strip("/") not in said.excepted:
                prefix += told_elsewhere(facts, placed.path, said.prefix)
            for name in said.guards:
                guards += named_guard(facts, placed.path, name, said.line)
    return Before(prefix, tuple(guards))


@query
def _all(facts: Facts) -> Sequence[_Placed]:
    files = [file for file in interfaces(facts) if file.wiring.around]
    makers = interfaces(facts) if files else ()
    applications = [
        _inside(file.path) for file in makers if any(entry.name == _MADE for entry in file.entries)
    ]
    found = []
    for file in files:
        own = _inside(file.path)
        above = max((it for it in applications if own.startswith(it)), key=len, default=own)
        found += [_Placed(above, file.path, said) for said in file.wiring.around]
    return tuple(found)


def _inside(path: str) -> str:
    """What the paths of all files in the folder of a file begin with."""
    return path[: path.rfind("/") + 1]
