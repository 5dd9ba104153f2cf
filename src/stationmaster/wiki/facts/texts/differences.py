"""Differences between a description of the HTTP interface and the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from stationmaster.wiki.facts.interfaces.bodies import bodies
from stationmaster.wiki.facts.interfaces.contracts import Operation, operations
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.described import form

_SHARE = 0.5
"""The share of what is described that the code must have before the rest means anything."""

_SUBTREES = ("net/http", "")
"""Routers of Go to which a path that ends with a slash may stand for all below it."""
_SINGLE = ("query", "formData")


class Differences(msgspec.Struct, frozen=True):
    """`prefix` precedes the paths only in the code. `described` are missing in code, `coded` not
    described; both are () where too little is in both for a comparison. `instead` is what the code
    has for the paths of `described`: other methods, or the route for all paths below one."""

    prefix: str
    matched: int
    described: tuple[Operation, ...]
    coded: tuple[Endpoint, ...]
    instead: Mapping[Operation, tuple[str, ...]] = {}


class Read(NamedTuple):
    """What the code reads of requests to a described operation: `more` are names that are not
    described, `absent` described ones that the file of the handler does not have."""

    more: tuple[str, ...]
    absent: frozenset[str]


@query
def read(facts: Facts) -> Mapping[Operation, Read]:
    """By the operations whose handlers read names that are not described."""
    by_key: dict[tuple[str, str], tuple[set[str], str]] = {}
    for body in bodies(facts):
        names = {*body.values, *(name for _, listed in body.queries for name in listed)}
        for method in body.methods:
            by_key[method, form(body.route)] = names, body.handler.path
    prefix, found = differences(facts).prefix if by_key else "", dict[Operation, Read]()
    for each in operations(facts) if by_key else ():
        names, path = by_key.get((each.method, f"{prefix}{form(each.route)}"), (set[str](), ""))
        described = {it.name for it in each.takes}
        if names - described and not any(it.place == "body" for it in each.takes):
            text = facts.tree.text(path)
            absent = {it.name for it in each.takes if it.place in _SINGLE and it.name not in text}
            found[each] = Read((*sorted(names - described),), frozenset(absent))
    return found


@query
def differences(facts: Facts) -> Differences:
    documented = {
        (operation.method, form(operation.route)): operation for operation in operations(facts)
    }
    coded = {
        (method, form(endpoint.route)): endpoint
        for endpoint in endpoints(facts)
        for method in endpoint.methods
    }
    prefix = _prefix([route for _, route in documented], [route for _, route in coded])
    keys = {key for key in documented if _is_in(key, prefix, coded)}
    if not documented or len(keys) < _SHARE * len(documented):
        return Differences(prefix, len(keys), (), ())
    routes = {f"{prefix}{route}" for _, route in documented}
    instead: dict[Operation, tuple[str, ...]] = {}
    for key in documented.keys() - keys:
        own = sorted(method for method, route in coded if route == f"{prefix}{key[1]}")
        if own := own or _above(facts, key[0], f"{prefix}{documented[key].route}"):
            instead[documented[key]] = (*own,)
    return Differences(
        prefix, len(keys), tuple(documented[key] for key in sorted(documented.keys() - keys)),
        tuple(coded[key] for key in sorted(coded)
              if key[1].startswith(prefix)
              and (key[0], key[1].removeprefix(prefix)) not in documented
              and not (key[0] == "ANY" and key[1] in routes)),
        instead,
    )  # fmt: skip


def _above(facts: Facts, method: str, path: str) -> list[str]:
    """The nearest route of Go's own library that answers all paths below its own, of which a path
    is one."""
    around = {
        f"{method} {it.route}"
        for it in endpoints(facts)
        if it.path.endswith(".go")
        and it.framework in _SUBTREES
        and it.route.endswith("/")
        and len(it.route) > 1
        if {method, "ANY"} & {*it.methods} and path.startswith(it.route)
    }
    return sorted(around, key=len)[-1:]


def _is_in(key: tuple[str, str], prefix: str, coded: Mapping[tuple[str, str], Endpoint]) -> bool:
    route = f"{prefix}{key[1]}"
    return (key[0], route) in coded or ("ANY", route) in coded


def _prefix(documented: list[str], coded: list[str]) -> str:
    """The prefix of most described paths in code: descriptions may leave the base out."""
    ends: Counter[str] = Counter()
    wanted = set(documented)
    for route in set(coded):
        for at in range(len(route)):
            if route[at] == "/" and route[at:] in wanted:
                ends[route[:at]] += 1
    return min(ends, key=lambda end: (-ends[end], len(end), end), default="")
