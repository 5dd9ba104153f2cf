"""Routes that lie in the names of files: a framework makes a path of each.

A convention holds below the folder of a manifest that asks for its framework.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from stationmaster.reading.projects.paths import is_below
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query

_CODE = r"\.[cm]?[jt]sx?"
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_GROUP = re.compile(r"\(.*\)|@.*")
"""Folders that order files and are no step of a path."""
_VARIABLE = re.compile(r"\[{1,2}(\.\.\.)?([\w-]+)(?:=\w+)?\]{1,2}")
_INDEX = frozenset({"index", "page", "route"})


class _Convention(NamedTuple):
    """`form` matches paths below the manifest's folder; its group `path` is made a path. A handler
    exports functions by the names of methods, a screen is what people see."""

    framework: str
    dependency: str
    kind: str
    form: re.Pattern[str]
    prefix: str = ""


_APP, _PAGES, _SERVER = "(?:src/)?app/", "(?:src/)?pages/", "(?:src/|app/)?server/"
_CONVENTIONS = tuple(
    _Convention(framework, dependency, kind, re.compile(form.replace("CODE", _CODE)), prefix)
    for framework, dependency, kind, form, prefix in (
        ("Next.js", "next", "handler", _APP + "(?P<path>(?:.*/)?)routeCODE", ""),
        ("Next.js", "next", "any", _PAGES + "(?P<path>api/.*)CODE", ""),
        ("Next.js", "next", "screen", _APP + "(?P<path>(?:.*/)?)pageCODE", ""),
        ("Next.js", "next", "screen", _PAGES + "(?P<path>(?!api/)(?:.*/)?[^/_][^/]*)CODE", ""),
        ("SvelteKit", "@sveltejs/kit", "handler",
         r"src/routes/(?P<path>(?:.*/)?)\+serverCODE", ""),
        ("SvelteKit", "@sveltejs/kit", "screen",
         r"src/routes/(?P<path>(?:.*/)?)\+page\.svelte", ""),
        ("Nuxt", "nuxt", "any", _SERVER + "api/(?P<path>.*)CODE", "/api"),
        ("Nuxt", "nuxt", "any", _SERVER + "routes/(?P<path>.*)CODE", ""),
        ("Nuxt", "nuxt", "screen", r"(?:src/|app/)?pages/(?P<path>.*)\.vue", ""),
        ("Astro", "astro", "handler", r"src/pages/(?P<path>.*)\.[jt]s", ""),
        ("Astro", "astro", "screen", r"src/pages/(?P<path>.*)\.(?:astro|mdx?)", ""),
        ("Remix", "@remix-run/react", "screen", "app/routes/(?P<path>.*)CODE", ""),
        ("React Router", "@react-router/fs-routes", "screen", "app/routes/(?P<path>.*)CODE", ""),
        ("TanStack Router", "@tanstack/react-router", "screen",
         "src/routes/(?P<path>(?:.*/)?(?!_)[^/]*)CODE", ""),
    )
)  # fmt: skip


_FLAT = frozenset({"Remix", "React Router", "TanStack Router"})
"""Frameworks where points in names are steps of a path."""


class FileRoute(msgspec.Struct, frozen=True):
    """`methods` are () for a screen."""

    route: str
    methods: tuple[str, ...]
    path: str
    line: int
    end: int
    handler: str
    framework: str


@query
def file_routes(facts: Facts) -> tuple[FileRoute, ...]:
    """By path of the route, handlers and screens together."""
    folders = [each for folder, dependency in _folders(facts) for each in
             _below(facts, folder, dependency)]  # fmt: skip
    return tuple(sorted(set(folders), key=lambda each: (each.route, each.path, each.line)))


def _folders(facts: Facts) -> list[tuple[str, str]]:
    """Folders of manifests, and the frameworks that they ask for."""
    wanted = {convention.dependency for convention in _CONVENTIONS}
    return sorted({
        (manifest.folder, dependency.name)
        for manifest in facts.tree.project.manifests
        for dependency in manifest.dependencies
        if dependency.name in wanted
    })  # fmt: skip


def _below(facts: Facts, folder: str, dependency: str) -> Iterator[FileRoute]:
    conventions = [convention for convention in _CONVENTIONS if convention.dependency == dependency]
    prefix = "" if folder == "." else f"{folder}/"
    for path in facts.tree.paths:
        if not is_below(path, folder) or is_test(path):
            continue
        for each in conventions:
            found = each.form.fullmatch(path.removeprefix(prefix))
            if found:
                yield from _made(facts, each, path, found["path"])
                break


def _made(facts: Facts, each: _Convention, path: str, told: str) -> Iterator[FileRoute]:
    if each.kind == "screen":
        remix = each.framework in _FLAT
        route = _flat(told) if remix else each.prefix + _route(told)
        yield FileRoute(route, (), path, 1, 1, "", each.framework)
    elif each.kind == "any":
        told, method = _method(told)
        yield FileRoute(each.prefix + _route(told), (method,), path, 1, 1, "", each.framework)
    else:
        said = facts.code.get(path)
        for symbol in said.symbols if said else ():
            if symbol.name in METHODS and not symbol.container:
                yield FileRoute(
                    _route(told), (symbol.name,), path, symbol.line, symbol.end, symbol.name,
                    each.framework,
                )  # fmt: skip


def _method(told: str) -> tuple[str, str]:
    """Nuxt may name a file by its method: `users.get`."""
    stem, _, ending = told.rpartition(".")
    return (stem, ending.upper()) if stem and ending.upper() in METHODS else (told, "ANY")


def _route(told: str) -> str:
    steps = [part for part in told.split("/") if part and not _GROUP.fullmatch(part)]
    if steps and steps[-1] in _INDEX:
        steps.pop()
    return "/" + "/".join(_VARIABLE.sub(_named, step) for step in steps)


def _named(found: re.Match[str]) -> str:
    return f"{{{found[2]}{'...' if found[1] else ''}}}"


def _flat(told: str) -> str:
    """Remix' names: `users.$id.edit`, `_layout.page`, `_index`."""
    steps = [
        f"{{{each[1:] or 'rest...'}}}" if each.startswith("$") else each.rstrip("_")
        for each in told.removesuffix("/route").replace("/", ".").split(".")
        if each and not each.startswith("_") and each != "index"
    ]
    return "/" + "/".join(steps)
