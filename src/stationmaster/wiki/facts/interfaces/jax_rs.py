"""Routes of JAX-RS: a class that has a path answers with its own methods, and with those of the
classes that it builds on; a class without a path answers nothing by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.jvm.web import APPLICATION, JAX_RS
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.model import Facts

_SCANNED = re.compile(
    r"\bpackages\(\s*+((?:\"[\w.]{1,200}\"[\s,]*+){1,20})\)"
    r"|\b(?:packages\(|PROVIDER_PACKAGES,)\s*+getClass\(\)\.getPackage"
)
"""Packages that a configuration of Jersey scans, or that it scans its own."""
_TEXTS = re.compile(r"[\w.]+")
Place = tuple[str, str]
"""A file, and the qualified name of a class in it."""


class _Own(NamedTuple):
    """What classes say of themselves."""

    paths: Mapping[Place, str]
    routes: Mapping[Place, list[Route]]


def jax_rs_routes(facts: Facts) -> Iterator[tuple[str, Route]]:
    """The routes of each class that has a path, with the files that declare them. For questions."""
    own = _own(facts)
    if not own.routes:
        return
    applications = [*_applications(facts)]
    for holder, path in own.paths.items():
        application = _prefix(applications, facts.code[holder[0]].package)
        prefix = joined(application, path) if application else joined("", path)
        answered: set[tuple[str, str]] = set()
        methods: set[str] = set()
        for place in types(facts).around(holder):
            routes = own.routes.get(place, ()) if place == holder or place not in own.paths else ()
            added = [
                each
                for each in routes
                if (each.method, each.path) not in answered
                and _shape(facts, place, each) not in methods
            ]
            for route in added:
                yield place[0], replace(route, path=joined(prefix, route.path), owner="")
            answered |= {(each.method, each.path) for each in added}
            methods |= {_shape(facts, place, each) for each in added}


def _own(facts: Facts) -> _Own:
    paths: dict[Place, str] = {}
    routes: dict[Place, list[Route]] = {}
    for file in interfaces(facts):
        for route in file.routes:
            if route.framework == JAX_RS:
                routes.setdefault((file.path, route.owner), []).append(route)
        for mount in file.mounts:
            if mount.owner == "" and file.path.endswith((".java", ".kt")):
                paths[file.path, mount.child] = mount.prefix
    return _Own(paths, routes)


def _applications(facts: Facts) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The paths of applications, with the packages that each is stated to have."""
    for file in interfaces(facts):
        for mount in file.mounts:
            if mount.owner == APPLICATION:
                place = declaration(facts, file.path, mount.child) or _named(facts, mount.child)
                packages = _packages(facts, *place) if place else mount.child.split(", ")
                yield mount.prefix, tuple(packages)


def _named(facts: Facts, words: str) -> tuple[str, Symbol] | None:
    """The class of a whole name."""
    package, _, name = words.rpartition(".")
    classes = (
        (path, symbol)
        for path, file in (facts.code.items() if package else ())
        for symbol in (file.symbols if file.package == package else ())
        if symbol.qualified == name
    )
    return next(classes, None)


def _packages(facts: Facts, path: str, holder: Symbol) -> Iterator[str]:
    """The packages that an application names, or its own."""
    text = "\n".join(lines_of(facts, path)[holder.line - 1 : holder.end])
    for match in _SCANNED.finditer(text):
        yield from _TEXTS.findall(match[1]) if match[1] else [facts.code[path].package]


def _prefix(applications: list[tuple[str, tuple[str, ...]]], package: str) -> str:
    """The path of the application that has a package, or else that of all, where they have the
    same."""
    having = {
        prefix
        for prefix, packages in applications
        if any(f"{package}.".startswith(f"{it}.") for it in packages)
    }
    stated = having or {prefix for prefix, _ in applications}
    return stated.pop() if len(stated) == 1 else ""


def _shape(facts: Facts, place: Place, route: Route) -> str:
    """The name of a method, and how many parameters it has: a method of another class that has the
    same stands instead of it."""
    symbols = facts.code[place[0]].symbols
    below = (it for it in symbols if it.line >= route.line and it.qualified == route.handler)
    symbol = min(below, key=lambda each: each.line, default=None)
    listed = symbol.signature.partition("(")[2] if symbol else ""
    return f"{route.handler.rpartition('.')[2]} {_count(listed)}"


def _count(listed: str) -> int:
    """The parameters before the bracket that closes their list; -1 where the list is cut."""
    depth, commas, is_empty = 0, 0, True
    for sign in listed:
        if sign == ")" and not depth:
            return 0 if is_empty else commas + 1
        depth += (sign in "(<[{") - (sign in ")>]}")
        commas += sign == "," and not depth
        is_empty = is_empty and sign.isspace()
    return -1
