"""Routes and rights of PHP that calls name by texts: a path, a class and its method.

A call is believed where the same one stands several times in a function, and nearly all lead to
methods of the project.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stationmaster.reading.code.model import Route
from stationmaster.wiki.facts.code.comments import asked_at, numbered
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.guarding import sails
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces import laravel
from stationmaster.wiki.facts.model import Facts, Spot, query

FRAMEWORK = "a router of its own"
_PUBLIC = re.compile(r"(?i)public|anonymous|guest")
"""How a right is called that everybody has."""
_ALIKE_MIN, _SHARE_MIN = 4, 0.8
"""Calls of one name in a function, and how many of them lead somewhere."""
_NEXT = r"\s{0,99}+,\s{0,99}+"
_CLASS = r"'(?P<class>[A-Z]\w{1,99}+)'"
_ROUTE = re.compile(
    rf"->(\w{{1,60}}+)\(\s{{0,99}}+'([^'\n]{{0,200}}+)'{_NEXT}{_CLASS}{_NEXT}'(?P<method>\w{{1,99}}+)'"
)
_RIGHT = re.compile(
    rf"->(\w{{1,60}}+)\(\s{{0,99}}+{_CLASS}{_NEXT}"
    rf"((?:array\(|\[)[^()\[\]]{{0,900}}+[)\]]|'[\w*]{{1,99}}+'){_NEXT}(\w{{1,99}}::\w{{1,99}}+)\s{{0,9}}+\)"
)
_WORD = re.compile(r"'([\w*]+)'")
_NOT = dict.fromkeys(("unless", "else", "where"), "not ")
_ROWS_MAX = 2_000


@query
def routes(facts: Facts) -> tuple[tuple[str, Route], ...]:
    """Those that calls make, by file and line."""
    found: list[tuple[str, Route]] = []
    for path, line, match in _alike(facts, _ROUTE):
        held = asked_at(facts, path, around(facts, path, line), line)
        asked = [f"{_NOT.get(it.word, '')}{' or '.join(it.texts)}" for it in held]
        words, address = f"{match['class']}.{match['method']}", f"/{match[2].lstrip('/')}"
        route = Route("ANY", address, line, words, framework=FRAMEWORK)
        found.append((path, replace(route, condition=" and ".join(asked))))
    return tuple(found)


def decided(facts: Facts, path: str, route: Route) -> tuple[tuple[Guard, ...], bool] | None:
    """The rights or policies that are listed for the handler of a route, and whether all requests
    have them; None where it is not by such lists that requests are decided on."""
    if route.framework != FRAMEWORK:
        return sails.decided(facts, path, route)
    holder, method = route.handler.split(".")
    rights = _rights(facts)
    guards = (*rights.get((holder, method), ()), *rights.get((holder, "*"), ()))
    return guards, bool(guards) and all(_PUBLIC.search(guard.name) for guard in guards)


@query
def _rights(facts: Facts) -> Mapping[tuple[str, str], tuple[Guard, ...]]:
    """By class and method, `*` for all of them."""
    found: dict[tuple[str, str], tuple[Guard, ...]] = {}
    for path, line, match in _alike(facts, _RIGHT):
        guard = Guard(match[4], Spot(path, around(facts, path, line)))
        for method in _WORD.findall(match[3]):
            key = match["class"], method
            found[key] = (*found.get(key, ()), guard)
    return found


def _alike(facts: Facts, form: re.Pattern[str]) -> Iterator[tuple[str, int, re.Match[str]]]:
    """The calls of a form, where there are several of a name in one function."""
    for path in facts.code:
        if not path.endswith(".php") or facts.records[path].file_class != "source":
            continue
        alike: dict[tuple[str, str], list[tuple[int, re.Match[str]]]] = defaultdict(list)
        for line, match in numbered(form, facts.tree.text(path)):
            alike[around(facts, path, line), match[1]].append((line, match))
        for calls in alike.values():
            known = [it for it in calls if _is_known(facts, path, *it)]
            if len(known) >= max(_ALIKE_MIN, _SHARE_MIN * len(calls)):
                yield from ((path, line, match) for line, match in known[:_ROWS_MAX])


def _is_known(facts: Facts, path: str, line: int, match: re.Match[str]) -> bool:
    class_, method = match["class"], match.groupdict().get("method")
    if method:
        return laravel.handler(facts, path, f"{class_}.{method}", line) is not None
    return laravel.controller(facts, path, class_, line) is not None
