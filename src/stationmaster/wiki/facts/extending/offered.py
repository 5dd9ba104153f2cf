"""What a library offers to those who import it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.catalogue import lists
from stationmaster.reading.projects.applications.units import is_tooling
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import App
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import is_benchmark
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.comments import block_of, lines_of, symbol_of
from stationmaster.wiki.facts.code.stations import calls_of
from stationmaster.wiki.facts.code.symbols import TYPES, public_of
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.tooling.programs.declared import source_of

_INNER_MAX = 3
"""Functions within one that hand on to each other."""
_SCRIPTS = (".ts", ".js", ".mjs", ".cjs", ".mts")
_CONDITIONS = ("import", "default", "require", "node", "types")
"""Of the exports of a package, those that lead to what is imported."""
_SIDE = lists.words("side-folder")
_GIVES = re.compile(r"\s*return\s+\(?(\w+)(?: as [\w<>,][\w<>, ]{0,80}+)?\)?;?\s*$")
_HANDS_ON = re.compile(r".{0,500}(?:=>|\breturn)\s+(\w+)\(")
"""A function of one expression, which calls another."""


@query
def _libraries(facts: Facts) -> Mapping[str, App]:
    """The applications that others import, by their folder: those too of which nothing but examples
    is started."""
    begun = [
        path
        for path, said in facts.code.items()
        if said.entries and facts.records[path].file_class == "source"
    ]
    is_example = bool(begun) and all(map(is_aside, begun))
    return {
        app.path: app
        for app in facts.tree.project.apps
        if "library" in app.kinds or (app.path == "." and is_example)
    }


def is_of_part(facts: Facts, path: str) -> bool:
    """Does a file belong to a part of a library that is built by itself?"""
    apps = {app.path for app in facts.tree.project.apps}
    near = next((it for it in parents(folder_of(path)) if it in apps), ".")
    return near != "." and "." in _libraries(facts)


def is_aside(path: str) -> bool:
    """Does a file lie among examples, tools or tests?"""
    steps = {step.strip("_.") for step in path.split("/")[:-1]}
    return is_tooling(folder_of(path)) or not _SIDE.isdisjoint(steps) or is_benchmark(path)


@query
def public(facts: Facts) -> Mapping[str, tuple[Spot, ...]]:
    """The types and functions that the files of libraries offer, by their last name."""
    folders = _libraries(facts)
    every = {app.path for app in facts.tree.project.apps}
    found: dict[str, list[Spot]] = defaultdict(list)
    for path in facts.code if folders else ():
        near = next((it for it in parents(folder_of(path)) if it in every), "")
        is_offered = near in folders and not is_aside(path) and not _is_front(folders[near], path)
        if facts.records[path].file_class == "source" and is_offered:
            for symbol in public_of(facts, path):
                if symbol.kind == "function" or symbol.kind in TYPES:
                    found[symbol.name].append(Spot(path, symbol.qualified))
    return {name: tuple(spots) for name, spots in found.items()}


def _is_front(app: App, path: str) -> bool:
    """Is a file of the private front end of a library that is published in another language?"""
    private = {it.ecosystem == "npm" and it.is_private for it in app.manifests}
    return path.endswith((*_SCRIPTS, ".tsx", ".jsx", ".vue")) and private == {True, False}


@query
def packages(facts: Facts) -> Mapping[str, str]:
    """The names under which the code of libraries is imported, with the file that they stand for
    where a manifest names one."""
    found: dict[str, str] = {}
    for app in _libraries(facts).values():
        for manifest in app.manifests:
            if manifest.name and manifest.path.endswith("package.json"):
                files = (source_of(facts, manifest, it) for it in _entries(manifest.data))
                found[manifest.name] = next((it for it in files if it in facts.code), "")
            elif manifest.name:
                word = manifest.name.replace("-", "_")
                found |= {word: "", word.rpartition("/")[2]: ""}
    for spots in public(facts).values():
        for spot in spots:
            if spot.path.endswith(".go") and "/" not in spot.path:
                found[facts.code[spot.path].package] = ""
            elif spot.path.endswith(".py") and "/" in spot.path:
                found[spot.path.removeprefix("src/").partition("/")[0]] = ""
    return found


def _entries(data: Mapping[str, Any]) -> Iterator[str]:
    """The files that a package of JavaScript gives to those who import it."""
    exports = data.get("exports")
    exports = mapping(exports).get(".", exports)
    for _ in range(_INNER_MAX):
        if isinstance(exports, Mapping):
            exports = next((exports[it] for it in _CONDITIONS if it in exports), None)
    named = (exports, data.get("module"), data.get("main"), data.get("types"), "index.js")
    yield from (it for it in named if isinstance(it, str))


def by_default(facts: Facts, path: str) -> Spot | None:
    """What a file of JavaScript exports by default: a type or function, or what one makes."""
    said = facts.code.get(path)
    ends = meant(facts, path, said.default or "default") if said else ()
    symbol = symbol_of(facts, ends[0].path, ends[0].name) if ends else None
    if symbol is not None and (symbol.kind == "function" or symbol.kind in TYPES):
        return Spot(*ends[0])
    return made_as(facts, path, said.default) if said and said.default else None


def made_as(facts: Facts, path: str, name: str) -> Spot | None:
    """The function that makes and gives back what a file of JavaScript calls by a name."""
    ends = [
        Spot(end.path, facts.code[end.path].default if end.name == "default" else end.name)
        for place in meant(facts, path, name)
        if place.path in facts.code
        for it in facts.code[place.path].calls
        if it.caller == place.name and not it.of
        for end in meant(facts, place.path, it.name)
        if end.path in facts.code
    ]
    return ends[0] if ends and made_inside(facts, ends[0])[0] else None


def made_inside(facts: Facts, spot: Spot) -> tuple[int, int]:
    """The lines of the function that a function of JavaScript makes and gives back, or of the one
    that this hands on to; (0, 0) for a function that does not."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or symbol.kind != "function" or not spot.path.endswith(_SCRIPTS):
        return 0, 0
    lines = lines_of(facts, spot.path)[: symbol.end]
    gives = (it for text in reversed(lines[symbol.line :]) if (it := _GIVES.match(text[:300])))
    match, within = next(gives, None), (0, 0)
    name = match[1] if match else ""
    for _ in range(_INNER_MAX):
        own = re.escape(name)
        start = re.compile(rf"\s*(?:const {own}\b[^=]{{0,80}}= \(|(?:async )?function {own}\()")
        places = (at for at in range(symbol.line, symbol.end) if start.match(lines[at][:300]))
        line = next(places, 0) + 1 if name else 1
        if line == 1:
            break
        within = block_of(facts, spot.path, line)
        if calls_of(facts, spot, within) and within[1] > within[0] + 1:
            break
        hands = _HANDS_ON.match(" ".join(lines[within[0] - 1 : within[1]])[:600])
        name = hands[1] if hands else ""
    return within
