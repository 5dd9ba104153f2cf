"""Actions of Sails, by the files and names that routes call, and the policies before each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.ecmascript.sails import CLOSED, FRAMEWORK, OPEN
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.guarding.guards import Guard, declared, named
from stationmaster.wiki.facts.model import Facts, Spot, query

_ENDINGS = (".js", ".ts")
_REFUSES = re.compile(
    r"\bres\.(?:forbidden|unauthorized|notFound|redirect|(?:sendS|s)tatus\(40[134]\))"
)


def action(facts: Facts, path: str, words: str) -> tuple[str, Symbol] | None:
    """The function that answers an action: one alone in its file, or a controller's."""
    folder = f"{_root(path)}api/controllers/"
    controller, _, name = words.replace("Controller.", ".").replace(".", "/").rpartition("/")
    files = ((f"{folder}{words}", "fn"), (f"{folder}{_class(controller)}Controller", name))
    for stem, function in files:
        if (spot := _spot(facts, stem, function)) and (symbol := symbol_of(facts, *spot)):
            return spot.path, symbol
    return None


def decided(facts: Facts, path: str, route: Route) -> tuple[tuple[Guard, ...], bool] | None:
    """What the policies of an action are, and whether they let all requests pass; None where no
    policy is stated, and for a function of the table of routes itself."""
    table = _policies(facts).get(_root(path), {})
    if route.framework != FRAMEWORK or not route.handler or declared(facts, path, route.handler):
        return None
    stated = next((table[key] for key in _keys(route.handler) if key in table), None)
    if stated is None:
        return None
    where, names = stated
    guards = tuple(guard for name in names for guard in _guards(facts, where, name))
    return guards, names == (OPEN,)


def _guards(facts: Facts, path: str, name: str) -> Iterator[Guard]:
    """A policy that may refuse a request: by what it answers, else by its name."""
    spot = _spot(facts, f"{_root(path)}api/policies/{name}", "")
    if name == CLOSED:
        yield Guard(name, None)
    elif spot is None and name != OPEN:
        yield from named(facts, path, [name], 0) if ":" in name or is_guard(name) else ()
    elif spot is not None and (_REFUSES.search(facts.tree.text(spot.path)) or is_guard(name)):
        yield Guard(name, spot)


def _spot(facts: Facts, stem: str, function: str) -> Spot | None:
    """A function of a file, or what the file exports as a whole."""
    for path in (f"{stem}{ending}" for ending in _ENDINGS):
        if (code := facts.code.get(path)) is not None:
            is_there = any(it.qualified == function for it in code.symbols)
            return Spot(path, function if is_there else code.default)
    return None


@query
def _policies(facts: Facts) -> Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]]:
    """By the folder of the application and the action: the file that states them, and their
    names."""
    tables: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {}
    for file in interfaces(facts):
        if "config/policies." in file.path:
            table = tables.setdefault(_root(file.path), {})
            for name, policies in file.wiring.middleware:
                whole = f"{name}.*" if name.endswith("Controller") else name
                table.setdefault(_key(whole), (file.path, policies))
    return tables


def _keys(action: str) -> Iterator[str]:
    """What policies may be stated for that hold for an action, the nearest first."""
    key = _key(action)
    yield key
    while "/" in key:
        key = key.rpartition("/")[0]
        yield f"{key}/*"
    yield "*"


def _key(action: str) -> str:
    return action.replace("Controller.", "/").replace(".", "/").lower()


def _class(controller: str) -> str:
    """A controller as its file is called: `admin/user` is `admin/User`."""
    folder, sign, name = controller.rpartition("/")
    return f"{folder}{sign}{name[:1].upper()}{name[1:]}"


def _root(path: str) -> str:
    """The folder of the application that a file of its configuration is of."""
    return path.rpartition("config/")[0]
