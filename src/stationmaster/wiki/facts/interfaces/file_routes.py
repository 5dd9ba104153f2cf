"""Routes that lie in the names of files: a framework makes a path of each.

A convention holds below the folder of a manifest that asks for its framework.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.explaining import block_end
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.guarding.handlers import asking
from stationmaster.wiki.facts.model import Facts, query

_CODE = r"\.[cm]?[jt]sx?"
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_GROUP = re.compile(r"\(.*\)|@.*")
"""Folders that order files and are no step of a path."""
_VARIABLE = re.compile(r"\[{1,2}(\.\.\.)?([\w-]+)(?:=\w+)?\]{1,2}")
_EXPORTED = re.compile(r"^(?:export default|module\.exports =) (.{1,200})", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_COMPARED = re.compile(r"\bmethod\s?[!=]==? ?[\"'`]|^\s*case [\"'`]|\.includes\([^()]*\bmethod\b")
_QUOTED = re.compile(r"[\"'`]([A-Z]{3,7})[\"'`]")
_CLOSING = re.compile(r"[\s})\];]*")
_LINE_MAX = 400
_STAND_INS = re.compile(
    r"_{0,2}(?:mocks?|mocked|mock[-_](?:api|server|data)|msw|stubs?|fakes?)_{0,2}"
)
"""Folders of what stands in for the product where it is tried."""
_ASKS = re.compile(
    r"^\s*(?:\}\s*else\s+)?if\s*\(\s*!\s*(?:\w+\.)?(?:is|use|enable)?_?mock", re.IGNORECASE
)
"""A statement that ends what is no stand-in."""
_CALLS_MAX = 40
_INDEX = frozenset({"index", "page", "route"})


class _Convention(NamedTuple):
    """`form` matches paths below the manifest's folder; its group `path` is made a path. A handler
    exports functions by the names of methods, a screen is what people see, and what is `around` all
    of them is passed before."""

    framework: str
    dependency: str
    kind: str
    form: re.Pattern[str]


_APP, _PAGES, _SERVER = "(?:src/)?app/", "(?:src/)?pages/", "(?:src/|app/)?server/"
_TANSTACK = "src/routes/(?P<path>(?:.*/)?(?!_)[^/]*)CODE"
_CONVENTIONS = tuple(
    _Convention(framework, dependency, kind, re.compile(form.replace("CODE", _CODE)))
    for framework, dependency, kind, form in (
        ("Next.js", "next", "handler", _APP + "(?P<path>(?:.*/)?)routeCODE"),
        ("Next.js", "next", "any", _PAGES + "(?P<path>api/.*)CODE"),
        ("Next.js", "next", "screen", _APP + "(?P<path>(?:.*/)?)pageCODE"),
        ("Next.js", "next", "screen", _PAGES + "(?P<path>(?!api/)(?:.*/)?[^/_][^/]*)CODE"),
        ("Medusa", "@medusajs/framework", "handler", "src/api/(?P<path>(?:.*/)?)routeCODE"),
        ("Next.js", "next", "around", "(?:src/)?(?:middleware|proxy)CODE"),
        ("SvelteKit", "@sveltejs/kit", "around", r"src/hooks\.serverCODE"),
        ("Nuxt", "nuxt", "around", _SERVER + "middleware/.*CODE"),
        ("Astro", "astro", "around", "src/middlewareCODE"),
        ("SvelteKit", "@sveltejs/kit", "handler", r"src/routes/(?P<path>(?:.*/)?)\+serverCODE"),
        ("SvelteKit", "@sveltejs/kit", "screen", r"src/routes/(?P<path>(?:.*/)?)\+page\.svelte"),
        ("Nuxt", "nuxt", "any", _SERVER + "(?P<path>api/.*)CODE"),
        ("Nuxt", "nuxt", "any", _SERVER + "routes/(?P<path>.*)CODE"),
        ("Nuxt", "nuxt", "screen", r"(?:src/|app/)?pages/(?P<path>.*)\.vue"),
        ("Astro", "astro", "handler", r"src/pages/(?P<path>.*)\.[jt]s"),
        ("Astro", "astro", "screen", r"src/pages/(?P<path>.*)\.(?:astro|mdx?)"),
        ("Remix", "@remix-run/react", "screen", "app/routes/(?P<path>.*)CODE"),
        ("React Router", "@react-router/fs-routes", "screen", "app/routes/(?P<path>.*)CODE"),
        ("TanStack Router", "@tanstack/react-router", "screen", _TANSTACK),
    )
)


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
    guards: tuple[Guard, ...] = ()


@query
def file_routes(facts: Facts) -> tuple[FileRoute, ...]:
    """By path of the route, handlers and screens together."""
    folders = [
        route
        for folder, dependency in _folders(facts)
        for route in _below(facts, folder, dependency)
    ]
    return tuple(sorted(set(folders), key=lambda route: (route.route, route.path, route.line)))


def _folders(facts: Facts) -> list[tuple[str, str]]:
    """Folders of manifests, and the frameworks that they ask for."""
    wanted = {convention.dependency for convention in _CONVENTIONS}
    return sorted(
        {
            (manifest.folder, dependency.name)
            for manifest in facts.tree.project.manifests
            for dependency in manifest.dependencies
            if dependency.name in wanted
        }
    )


@query
def around(facts: Facts) -> tuple[str, ...]:
    """The files that requests pass through before those of handlers."""
    return tuple(
        path
        for folder, dependency in _folders(facts)
        for rule, path, _ in _matched(facts, folder, dependency)
        if rule.kind == "around" and path in facts.code
    )


def _below(facts: Facts, folder: str, dependency: str) -> Iterator[FileRoute]:
    for rule, path, name in _matched(facts, folder, dependency):
        if rule.kind != "around" and (rule.kind == "screen" or not _is_mock(facts, path)):
            yield from _made(facts, rule, path, name)


def _matched(facts: Facts, folder: str, dependency: str) -> Iterator[tuple[_Convention, str, str]]:
    """Files by the first convention that they follow, with the part that is made a path."""
    conventions = [convention for convention in _CONVENTIONS if convention.dependency == dependency]
    prefix = "" if folder == "." else f"{folder}/"
    for path in facts.tree.paths:
        if not path.startswith(prefix) or is_test(path):
            continue
        for rule in conventions:
            match = rule.form.fullmatch(path.removeprefix(prefix))
            if match:
                yield rule, path, match.groupdict().get("path", "")
                break


def _is_mock(facts: Facts, path: str) -> bool:
    """Does a handler lie among stand-ins, or answer only where those are asked for, by itself or by
    a function that it calls?"""
    if any(_STAND_INS.fullmatch(step) for step in path.split("/")[:-1]):
        return True
    code = facts.code.get(path)
    if code is None:
        return False
    names = list(dict.fromkeys(call.name for call in code.calls if not call.of))[:_CALLS_MAX]
    called = filter(None, (declaration(facts, path, name) for name in names))
    texts = [lines_of(facts, where)[it.line - 1 : it.end] for where, it in called if where != path]
    every = (line for lines in (lines_of(facts, path), *texts) for line in lines)
    return any(_ASKS.search(line[:_LINE_MAX]) for line in every)


def _made(facts: Facts, convention: _Convention, path: str, name: str) -> Iterator[FileRoute]:
    framework, route = convention.framework, _route(name)
    if convention.kind == "screen":
        route = _flat(name) if framework in _FLAT else route
        yield FileRoute(route, (), path, 1, 1, "", framework)
    elif convention.kind == "any":
        name, method = _method(name)
        it = _handler(facts, path)
        methods = (method,) if method != "ANY" or it is None else _answered(facts, path, it)
        place = (path, it.line, it.end, it.name) if it else (path, 1, 1, "")
        guards = asking(facts, path, it) if it else ()
        yield FileRoute(_route(name), methods, *place, framework, guards)
    else:
        code = facts.code.get(path)
        for it in code.symbols if code else ():
            if it.name in METHODS and not it.container:
                place = (path, it.line, it.end, it.name)
                guards = asking(facts, path, it)
                yield FileRoute(route, (it.name,), *place, framework, guards)


def _method(name: str) -> tuple[str, str]:
    """Nuxt may name a file by its method: `users.get`."""
    stem, _, ending = name.rpartition(".")
    return (stem, ending.upper()) if stem and ending.upper() in METHODS else (name, "ANY")


def _handler(facts: Facts, path: str) -> Symbol | None:
    """What a file exports by default: a function, or one that is wrapped in others."""
    exported = _EXPORTED.search(facts.tree.text(path))
    own = {it.name: it for it in facts.code[path].symbols if not it.container and it.end > it.line}
    words = _WORD.findall(exported[1]) if exported else ()
    return next((own[word] for word in words if word in own), None)


def _answered(facts: Facts, path: str, handler: Symbol) -> tuple[str, ...]:
    """The methods that a function compares with the request's, where it answers no others."""
    lines = lines_of(facts, path)
    compared: dict[str, int] = {}
    is_closed = False
    for line in range(handler.line, handler.end + 1):
        text = lines[line - 1][:_LINE_MAX]
        if "405" in text:
            is_closed = True
        if _COMPARED.search(text):
            compared |= dict.fromkeys(METHODS.intersection(_QUOTED.findall(text)), line)
            is_closed = is_closed or "!=" in text
    if not compared:
        return ("ANY",)
    # A request of another method may be answered below the last comparison.
    after = lines[block_end(lines, max(compared.values())) - 1 : handler.end]
    is_closed = is_closed or all(_CLOSING.fullmatch(text) for text in after)
    return tuple(sorted(compared)) if is_closed else ("ANY",)


def _route(name: str) -> str:
    steps = [part for part in name.split("/") if part and not _GROUP.fullmatch(part)]
    if steps and steps[-1] in _INDEX:
        steps.pop()
    return "/" + "/".join(_VARIABLE.sub(_named, step) for step in steps)


def _named(match: re.Match[str]) -> str:
    return f"{{{match[2]}{'...' if match[1] else ''}}}"


def _flat(part: str) -> str:
    """Remix' names: `users.$id.edit`, `_layout.page`, `_index`."""
    steps = [
        f"{{{step[1:] or 'rest...'}}}" if step.startswith("$") else step.rstrip("_")
        for step in part.removesuffix("/route").replace("/", ".").split(".")
        if step and not step.startswith("_") and step != "index"
    ]
    return "/" + "/".join(steps)
