"""Classes and methods that calls in files of PHP name by texts: routes, rights on methods, and
objects whose methods others call by their names.

A call is believed where the same one stands several times and nearly all lead to methods of the
project.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.catalogue.middleware import middleware
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.comments import asked_at, numbered
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces import laravel
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

FRAMEWORK = "a router of its own"
_ALIKE_MIN, _SHARE_MIN = 4, 0.8
"""Calls of one name in a function, and how many of them lead somewhere."""
_TEXT = r"'([^'\n]{0,200}+)'"
_NEXT = r"\s{0,99}+,\s{0,99}+"
_ROUTE = re.compile(
    rf"->(\w{{1,60}}+)\(\s{{0,99}}+{_TEXT}{_NEXT}'([A-Z]\w{{1,99}}+)'{_NEXT}'(\w{{1,99}}+)'"
)
_RIGHT = re.compile(
    rf"->(\w{{1,60}}+)\(\s{{0,99}}+'([A-Z]\w{{1,99}}+)'{_NEXT}"
    rf"((?:array\(|\[)[^()\[\]]{{0,900}}+[)\]]|'[\w*]{{1,99}}+'){_NEXT}(\w{{1,99}}::\w{{1,99}}+)\s{{0,9}}+\)"
)
_DEFAULT = re.compile(r"->(\w{0,40}[dD]efault\w{0,40})\(\s{0,9}+(\w{1,99}::\w{1,99}+)\s{0,9}+\)")
_OBJECT = re.compile(r"->(\w{1,60}+)\(\s{0,9}+new\s{1,9}+([A-Z]\w{1,99}+)\b")
_WORD = re.compile(r"'([\w*]+)'")
_NOT = dict.fromkeys(("unless", "else", "where"), "not ")
_PUBLIC = re.compile(r"(?i)public|anonymous|guest")
"""How a right is called that everybody has."""
_ROWS_MAX = 2_000


class Right(NamedTuple):
    """What is needed for `methods` of a class, `*` for all, as a call in a function says; the class
    is '' for what holds where no other right is told there."""

    holder: str
    methods: tuple[str, ...]
    needs: str
    function: Spot
    place: Place


class Procedure(NamedTuple):
    """A public method that others call by its name, in the file `path`."""

    path: str
    symbol: Symbol


@query
def routes(facts: Facts) -> tuple[tuple[str, Route], ...]:
    """Routes that calls make of a path, a class and its method, by file and line."""
    found: list[tuple[str, Route]] = []
    for path, line, match in _alike(facts, _ROUTE, 3, 4):
        held = asked_at(facts, path, around(facts, path, line), line)
        asked = [f"{_NOT.get(it.word, '')}{' or '.join(it.texts)}" for it in held]
        route = Route("ANY", f"/{match[2].lstrip('/')}", line, f"{match[3]}.{match[4]}")
        route = replace(route, framework=FRAMEWORK, condition=" and ".join(asked))
        found.append((path, route))
    return tuple(found)


@query
def rights(facts: Facts) -> tuple[Right, ...]:
    """By file, function and line, what holds for all others behind the rest."""
    found: dict[Spot, list[Right]] = defaultdict(list)
    for path, line, match in _alike(facts, _RIGHT, 2, 0):
        function, place = Spot(path, around(facts, path, line)), Place(path, line)
        methods = tuple(_WORD.findall(match[3]))
        found[function].append(Right(match[2], methods, match[4], function, place))
    for path in dict.fromkeys(spot.path for spot in found):
        for line, match in numbered(_DEFAULT, facts.tree.text(path)):
            function = Spot(path, around(facts, path, line))
            if function in found:
                found[function].append(Right("", (), match[2], function, Place(path, line)))
    return tuple(right for held in found.values() for right in held)


def guards(facts: Facts, holder: str, method: str) -> tuple[Guard, ...]:
    """The rights that are needed for a method, by the class and the method that tell it."""
    return tuple(
        Guard(right.needs, right.function)
        for right in rights(facts)
        if right.holder == holder and ("*" in right.methods or method in right.methods)
    )


def is_public(guards: Sequence[Guard]) -> bool:
    """Do rights say that everybody may?"""
    return bool(guards) and all(_PUBLIC.search(guard.name) for guard in guards)


@query
def procedures(facts: Facts) -> tuple[Procedure, ...]:
    """The public methods of objects that are given to a server of remote procedures."""
    table = middleware().procedures
    found: list[Procedure] = []
    for path, said in facts.code.items():
        if any(it.name.startswith(table.packages) for it in said.imports):
            for line, match in numbered(_OBJECT, facts.tree.text(path)):
                if match[1] in table.names:
                    found += _public(facts, path, match[2], line)
    return tuple(found[:_ROWS_MAX])


def _public(facts: Facts, path: str, name: str, line: int) -> Iterator[Procedure]:
    spot = laravel.controller(facts, path, name, line)
    for symbol in facts.code[spot.path].symbols if spot else ():
        is_own = spot is not None and symbol.container == spot.name and symbol.kind == "method"
        if spot is not None and is_own and symbol.is_public and not symbol.name.startswith("__"):
            yield Procedure(spot.path, symbol)


def _alike(
    facts: Facts, form: re.Pattern[str], holder: int, method: int
) -> Iterator[tuple[str, int, re.Match[str]]]:
    """The calls of a form, where there are several of a name in one function, with their files and
    lines; `holder` and `method` are the groups of what must lead to a class or a method."""
    for path in facts.code:
        if not path.endswith(".php") or facts.records[path].file_class != "source":
            continue
        alike: dict[tuple[str, str], list[tuple[int, re.Match[str]]]] = defaultdict(list)
        for line, match in numbered(form, facts.tree.text(path)):
            alike[around(facts, path, line), match[1]].append((line, match))
        for calls in alike.values():
            known = [it for it in calls if _is_known(facts, path, it, holder, method)]
            if len(known) >= max(_ALIKE_MIN, _SHARE_MIN * len(calls)):
                yield from ((path, line, match) for line, match in known[:_ROWS_MAX])


def _is_known(
    facts: Facts, path: str, call: tuple[int, re.Match[str]], holder: int, method: int
) -> bool:
    line, match = call
    if method:
        return laravel.handler(facts, path, f"{match[holder]}.{match[method]}", line) is not None
    return laravel.controller(facts, path, match[holder], line) is not None


def of_function(listed: Sequence[Right]) -> dict[Spot, list[Right]]:
    """Rights by the function that tells them."""
    found: dict[Spot, list[Right]] = defaultdict(list)
    for right in listed:
        found[right.function].append(right)
    return found
