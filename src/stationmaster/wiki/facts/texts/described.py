"""Prefixes from OpenAPI of routes whose routers the code does not show."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from stationmaster.reading.code.model import Route
from stationmaster.wiki.facts.interfaces.contracts import operations
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts

_VARIABLE = re.compile(
    r"\{[^{}/]*\}|<[^<>/]*>|\[[^\[\]/]*\]|(?<=/):\w+\??|(?<=/)\*\w*|(?<=/)\([^()]{1,80}\)"
)
_ROUTES_MIN = 2
"""Routes of one function that a prefix must fit before it is used."""


def prefixes(facts: Facts, routes: Iterable[tuple[str, Route]]) -> Mapping[tuple[str, str], str]:
    """By file and function the prefix of the paths of all routes that it puts on a router of an
    unknown type, where at least half of them are described so and none without it."""
    described: dict[tuple[str, str], set[str]] = defaultdict(set)
    for operation in operations(facts):
        whole = form(operation.route)
        for at in (at for at, letter in enumerate(whole) if letter == "/"):
            described[operation.method, whole[at:]].add(whole[:at])
    before: dict[tuple[str, str], list[set[str]]] = defaultdict(list)
    routes_of: Counter[tuple[str, str]] = Counter()
    for path, route in routes if described else ():
        if not route.framework and route.owner:
            routes_of[path, route.owner] += 1
            key = route.method, form(told_elsewhere(facts, path, route.path))
            if key in described:
                before[path, route.owner].append(described[key])
    prefixes_of = {}
    for owner, sets in before.items():
        shared = set.intersection(*sets)
        is_enough = len(sets) >= max(_ROUTES_MIN, routes_of[owner] / 2)
        if is_enough and len(shared) == 1 and not any("" in it for it in sets):
            prefixes_of[owner] = shared.pop()
    return prefixes_of


def form(route: str) -> str:
    """A path as all ways of writing variables share it."""
    return _VARIABLE.sub("{}", route).rstrip("/") or "/"
