"""HTTP routes with their whole paths: what files tell of their routers, put together.

A router is a name in a file. It is put on others below a prefix, and may have one of its own; a
route's path is that of all routers above it.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from stationmaster.reading.code.languages.ecmascript.trpc import FRAMEWORK as TRPC
from stationmaster.reading.code.languages.go.untyped import is_adapter
from stationmaster.reading.code.languages.jvm.web import JAX_RS
from stationmaster.reading.code.model import Route
from stationmaster.wiki.facts.code.bindings import declaration, file_of_module, meant
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of, made_type, types
from stationmaster.wiki.facts.code.steps.twins import built_if
from stationmaster.wiki.facts.guarding import by_name
from stationmaster.wiki.facts.guarding.answering import answered
from stationmaster.wiki.facts.guarding.around import before
from stationmaster.wiki.facts.guarding.deciding import Handled, decided, passed_through
from stationmaster.wiki.facts.guarding.guards import Guard, where_asked
from stationmaster.wiki.facts.guarding.wrapped import unwrapped
from stationmaster.wiki.facts.interfaces import laravel, rails
from stationmaster.wiki.facts.interfaces.file_routes import file_routes
from stationmaster.wiki.facts.interfaces.handed import Put, filled
from stationmaster.wiki.facts.interfaces.jax_rs import jax_rs_routes
from stationmaster.wiki.facts.interfaces.viewsets import of_packages, routes_of
from stationmaster.wiki.facts.interfaces.wiring import (
    ancestors,
    constants,
    files_of_routers,
    home,
    joined_path,
    shown_path,
    told_elsewhere,
    wired,
)
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import Sheet, by_area
from stationmaster.wiki.facts.texts import described

ROUTES_MAX = 5_000
DEPTH_MAX = 8
WAYS_MAX = 12
"""Paths that one route is shown with, where its router is put on several."""
_OVERRIDING = frozenset({"Flask", "Quart"})
"""Frameworks where the prefix of a mount stands instead of the router's own."""
_AUTOLOAD = frozenset({"@fastify/autoload", "fastify-autoload"})
_ROUTES = re.compile(r"(?:^|/)routes((?:/[^/]+)+)/[^/]+$")
"""The folders of a file that are its prefix where Fastify loads routes by itself."""
_SLASHLESS = frozenset({"ASP.NET", "Express", "Fastify"})
"""Frameworks to which a slash at the end is nothing."""
_PREFIX_OF = re.compile(r"\{([\w.]+)\.(?:url_)?prefix\}")
"""A prefix that is put together from that of another router."""
_HOLES = re.compile(r"\{\$[\w.…]*(?:\(\))?\}")
_ALONE = re.compile(r"/?\{\$(\w+\.\w+(?:\(\))?)\}/?")
"""A constant or a function of another package that is the whole path."""
_UNKNOWN = re.compile(r"\{\$(?=[\w…])")
"""What a constant or a variable holds that nothing here tells."""
_ALL = "*"
"""For all routers of a file that nothing there puts on another."""
_DJANGO, _HUMA = "urlpatterns", "Huma"


class Endpoint(msgspec.Struct, frozen=True):
    """`methods` share path and handler. `path` and `line` below are where the route is declared;
    `handler_path` is '' where nobody knows the file of the handler. `guards` decide whether a
    request reaches it; what `is_public` is let pass by some of those that are before it; it goes
    `through` what is no known guard."""

    methods: tuple[str, ...]
    route: str
    path: str
    line: int
    handler: str
    handler_path: str
    handler_line: int
    handler_end: int
    guards: tuple[Guard, ...]
    framework: str
    condition: str = ""
    is_public: bool = False
    unread: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    through: tuple[str, ...] = ()


class _Router(NamedTuple):
    """What the file `path` calls `name`."""

    path: str
    name: str


@query
def endpoints(facts: Facts) -> tuple[Endpoint, ...]:
    """By path, then method; of product code alone."""
    by_place: dict[tuple[object, ...], list[Endpoint]] = defaultdict(list)
    for _, made in _declared(facts):
        line = 0 if made.handler else made.line
        is_by_name = not made.handler_path or made.framework == "Devise"
        handler = made.handler if is_by_name else (made.handler_path, made.handler_line)
        before = (made.guards, made.is_public, made.condition, made.through)
        key = (made.route, handler, *before, made.path, line)
        by_place[key].append(made)
    joined = [
        replace(same[0], methods=tuple(sorted({m for e in same for m in e.methods})))
        for same in by_place.values()
    ]
    for it in file_routes(facts):
        place = (it.path, it.line, it.handler, it.path, it.line, it.end)
        if it.methods:
            joined.append(Endpoint(it.methods, it.route, *place, it.guards, it.framework))
    return tuple(sorted(joined, key=lambda it: (it.route, it.methods, it.path, it.line)))


@query
def endpoints_in(facts: Facts, path: str) -> tuple[Endpoint, ...]:
    """Those of a file."""
    return tuple(it for it in endpoints(facts) if it.path == path)


@query
def whole_paths(facts: Facts) -> Mapping[tuple[str, int, str, str], str]:
    """The paths of routes as clients send them, by the file, line, method and handler that declare
    each; of several ways to it the first by name."""
    found: dict[tuple[str, int, str, str], str] = {}
    for route, made in _declared(facts):
        key = (made.path, made.line, route.method, route.handler)
        found[key] = min(made.route, found.get(key, made.route))
    return found


@query
def _routers(facts: Facts) -> _Routers:
    return _Routers(facts)


@query
def _declared(facts: Facts) -> tuple[tuple[Route, Endpoint], ...]:
    """Routes as files declare them, with what they are once they are put together."""
    routers = _routers(facts)
    texts = constants(facts)
    is_autoloaded = any(
        dependency.name in _AUTOLOAD
        for manifest in facts.tree.project.manifests
        for dependency in manifest.dependencies
    )
    found: list[tuple[Route, Endpoint]] = []
    for path, route in rails.answered(facts, itertools.islice(routes(facts), ROUTES_MAX)):
        for way in routers.ways(routers.home(path, route.owner), route.framework, route.line):
            whole = joined_path(way.prefix, told_elsewhere(facts, path, route.path))
            if is_autoloaded and route.framework == "Fastify" and (below := _ROUTES.search(path)):
                whole = joined_path(below[1], whole)
            above = before(facts, path, route, whole)
            shown = shown_path(joined_path(above.prefix, whole), texts)
            shown = shown.rstrip(".") if route.framework == TRPC else shown
            if route.framework in _SLASHLESS:
                shown = shown.replace("[action]", route.handler.rpartition(".")[2])
                shown = shown.rstrip("/") or "/"
            if not _HOLES.sub("", shown).strip("/") and shown.strip("/"):
                alone = _ALONE.fullmatch(shown) if route.framework else None
                if alone is None:
                    continue  # Nothing of the path is known.
                shown = f"{{the value of {alone[1]}}}"
            shown = _UNKNOWN.sub("{", shown)
            conditions = filter(None, (way.condition, route.condition, built_if(facts, path)))
            own = replace(route, condition=" and ".join(conditions))
            found.append((route, _endpoint(facts, path, own, shown, (*above.guards, *way.guards))))
    return tuple(found)


@query
def route_sheets(facts: Facts) -> tuple[Sheet[Endpoint], ...]:
    """Routes by the first step of their paths that tells something."""
    return by_area(endpoints(facts), "Routes")


@query
def route_sheet(facts: Facts, name: str) -> Sheet[Endpoint]:
    return next(sheet for sheet in route_sheets(facts) if sheet.slug == name)


def routes(facts: Facts) -> Iterator[tuple[str, Route]]:
    """All routes as the file that declares them tells them, with that file. For questions."""
    for file in interfaces(facts):
        for route in file.routes:
            if route.framework != JAX_RS:
                route = unwrapped(facts, file.path, route)
                for made in routes_of(facts, file.path, route):
                    yield file.path, rails.named(facts, file.path, made)
    yield from (*of_packages(facts), *jax_rs_routes(facts))
    yield from wired(facts).routes
    yield from by_name.routes(facts)
    yield from ((path, unwrapped(facts, path, route)) for path, route in filled(facts).routes)


class _Way(NamedTuple):
    """How a request comes to the routes of a router, if a condition holds: to those in a function
    alone where it has lines."""

    prefix: str
    guards: tuple[Guard, ...] = ()
    condition: str = ""
    lines: tuple[int, int] = (0, 0)


class _Routers:
    """Which router is put on which, in all files."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._own: dict[_Router, str] = {}
        self._parents: dict[_Router, list[tuple[_Router, _Way]]] = defaultdict(list)
        self._names: dict[str, set[str]] = defaultdict(set)
        self._ways: dict[tuple[_Router, bool, int], tuple[_Way, ...]] = {}
        self._guards = {_Router(path, name): guards for path, name, guards in wired(facts).guards}
        mounts = [(file.path, mount) for file in interfaces(facts) for mount in file.mounts]
        mounts += wired(facts).mounts
        puts = (*(Put(path, path, mount) for path, mount in mounts), *filled(facts).mounts)
        for path, route in routes(facts):
            self._names[path].add(route.owner)
            maker = self.home(path, route.owner)  # Which may have no route of its own.
            self._names[maker.path].add(maker.name)
        for path, mount in mounts:
            self._names[path].add(mount.owner or mount.child)
        for path, name, prefix in wired(facts).prefixes:
            self._names[path].add(name)
            self._own[_Router(path, name)] = told_elsewhere(facts, path, prefix)
        open_: list[Put] = []
        for put in puts:
            path, mount = put.path, put.mount
            if path.endswith(".php"):
                if file := laravel.route_file(self._facts, path, mount.child):
                    self._put(put, [_Router(file, "")])
            elif not mount.owner:
                prefix = told_elsewhere(facts, path, mount.prefix)
                own = self.home(path, mount.child)
                self._own[own] = prefix or self._own.get(own, "")
                guards = passed_through(facts, path, mount.guards, mount.line)
                asked = where_asked(facts, path, mount.line, guards)
                self._guards[own] = (*self._guards.get(own, ()), *asked)
            elif is_adapter(facts.code[path].imports, mount.child):
                self._put(put, [_Router("", _HUMA)])
            elif children := self._children(path, mount.child):
                self._put(put, children)
            else:
                open_.append(put)
        for put, children in [(put, self._of_type(put)) for put in open_]:
            self._put(put, children)
        for (path, name), prefix in described.prefixes(facts, routes(facts)).items():
            if not self._parents.get(_Router(path, name)):
                self._own.setdefault(_Router(path, name), prefix)
        for router, prefix in self._own.items():
            above = _PREFIX_OF.match(prefix)
            if above and (first := self._own.get(self.home(router.path, above[1]))):
                self._own[router] = first + prefix[above.end() :]

    def _put(self, put: Put, children: Sequence[_Router]) -> None:
        """Note that routers are put on another one."""
        mount = put.mount
        prefix = told_elsewhere(self._facts, put.above, mount.prefix)
        guards = passed_through(self._facts, put.path, mount.guards, mount.line)
        above = self.home(put.above, mount.owner)
        for child in children:
            lines = self._lines(put.path, mount.child) if child.name == _ALL else (0, 0)
            self._parents[child].append((above, _Way(prefix, guards, mount.condition, lines)))

    def _lines(self, path: str, name: str) -> tuple[int, int]:
        """Those of a function that is given a router."""
        end = declaration(self._facts, path, name)
        return (end[1].line, end[1].end) if end and end[1].kind == "function" else (0, 0)

    def _of_type(self, put: Put) -> list[_Router]:
        """In Go the router that a method makes which is called, or those that the methods of what
        is mounted make, and put on no other."""
        if not put.path.endswith(".go"):
            return []
        spot = handler_of(self._facts, put.path, put.mount.child, put.mount.line)
        if spot is not None and spot.name in self._names.get(spot.path, ()):
            return [_Router(spot.path, spot.name)]
        place = made_type(self._facts, put.path, put.mount.child, put.mount.line)
        return [
            router
            for method in (types(self._facts).methods(place) if place else ())
            if (router := _Router(*method)).name in self._names.get(router.path, ())
            and router not in self._parents
        ]

    def home(self, path: str, owner: str) -> _Router:
        """The router that a file calls `owner`, in the file that declares it."""
        at = home(self._facts, path, owner) if owner else None
        return _Router(*at) if at is not None and at.name else _Router(path, owner)

    def ways(self, router: _Router, framework: str, line: int = 0) -> tuple[_Way, ...]:
        """What stands before the routes of a router at a line, once for each way to it."""
        if framework == _HUMA:
            self._put_on_adapter(router)
        ways = self._ways_to(router, framework in _OVERRIDING, DEPTH_MAX, line)
        if framework != TRPC:
            return ways
        served = tuple(it for it in ways if it.prefix.startswith(("/", "{")))
        return served or tuple(it._replace(prefix=f"{{$…}}/{it.prefix}") for it in ways)

    def _put_on_adapter(self, router: _Router) -> None:
        """Put what nothing is known to be around on the adapter of Huma, if there is one alone."""
        parents = {it: [above for above, _ in ways] for it, ways in self._parents.items()}
        around, adapter = ancestors(router, parents), _Router("", _HUMA)
        is_one = len({*parents.get(adapter, ())}) == 1
        for top in around if is_one and parents[adapter][0] not in around else ():
            self._parents[top] = self._parents.get(top) or [(adapter, _Way(""))]

    def _ways_to(
        self, router: _Router, is_overriding: bool, depth: int, line: int = 0
    ) -> tuple[_Way, ...]:
        parents = self._parents.get(router, []) or self._parents.get(_Router(router.path, _ALL), [])
        if is_parted := bool(line and any(way.lines[1] for _, way in parents)):
            within = [it for it in parents if it[1].lines[0] <= line <= (it[1].lines[1] or line)]
            parents = within or parents
        key = (router, is_overriding, line if is_parted else 0)
        if key in self._ways:
            return self._ways[key]
        own = _Way(self._own.get(router, ""), self._guards.get(router, ()))
        full: dict[tuple[str, tuple[Guard, ...]], list[str]] = defaultdict(list)
        self._ways[key] = (own,)  # For routers that are put on themselves.
        for parent, mount in parents if depth else ():
            below = "" if is_overriding and mount.prefix else own.prefix
            inner = joined_path(mount.prefix, below)
            if parent != router:
                for above in self._ways_to(parent, is_overriding, depth - 1):
                    guards = (*above.guards, *mount.guards, *own.guards)
                    condition = " and ".join(filter(None, (above.condition, mount.condition)))
                    full[joined_path(above.prefix, inner), guards].append(condition)
        ways = full.items()  # Nothing must hold where one of several ways needs nothing.
        made = [_Way(*way, " or ".join(dict.fromkeys(it)) if all(it) else "") for way, it in ways]
        self._ways[key] = tuple(made[:WAYS_MAX]) or (own,)
        return self._ways[key]

    def _children(self, path: str, words: str) -> list[_Router]:
        """The routers that an expression may mean: in one file, or none."""
        routers = [
            _Router(origin.path, origin.name)
            for origin in meant(self._facts, path, words)
            if origin.name in self._names.get(origin.path, ())
        ]
        maker, _, method = words.rpartition(".")
        for source in meant(self._facts, path, maker) if maker and not routers else ():
            if symbol_of(self._facts, *source):  # A package of Go has other files, too.
                own = (it for it in self._names.get(source.path, ()) if it.endswith(f".{method}"))
                routers += [_Router(source.path, name) for name in sorted(own)]
        if routers:
            return routers
        files = files_of_routers(self._facts, path, words, self._names)
        if not files and (module := file_of_module(self._facts, words)):
            return [_Router(module, _DJANGO)]
        with_routes = sorted(files & self._names.keys())
        return [_Router(with_routes[0], _ALL)] if len(with_routes) == 1 else []


def _endpoint(
    facts: Facts, path: str, route: Route, whole: str, above: tuple[Guard, ...]
) -> Endpoint:
    route, where, symbol, shown = answered(facts, path, route)
    guards, is_public, passed = decided(facts, Handled(path, route, whole, where, symbol), above)
    place = (path, route.line, route.handler, *shown)
    through = laravel.others(facts, route.further) if route.framework == "Laravel" else ()
    more = (route.framework, route.condition, is_public, route.unread, passed, through)
    return Endpoint((route.method,), whole, *place, guards, *more)
