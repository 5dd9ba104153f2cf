"""Routes and mounts that functions of the project make of what calls give them, and the events of
sockets that they are given.

A function that is given a router and a path says templates; each call of it, through functions that
hand their own arguments on, fills them. A route is at the line of the call that tells its path.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from stationmaster.reading.code.languages.ecmascript.sockets import FRAMEWORK
from stationmaster.reading.code.languages.source import path_below
from stationmaster.reading.code.model import Handed, Job, Mount, Route, Template
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import around, handler_of
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

CALLS_MAX = 5_000
"""Of functions that make routes, with those through others."""
_DEPTH_MAX = 6
_HOLE = re.compile(r"\{\$(\d+)(\*?)\}")
_ALL = re.compile(r"\{\$\d+\*\}")
_PATTERN = re.compile(r"([A-Z]{3,10})[ \t]+(/\S*)")


class Put(msgspec.Struct, frozen=True):
    """A mount whose `child` the file `path` names, on a router of the file `above`."""

    path: str
    above: str
    mount: Mount


class Filled(msgspec.Struct, frozen=True):
    """Routes by the file of the call that makes them, and mounts."""

    routes: tuple[tuple[str, Route], ...]
    mounts: tuple[Put, ...]


class _Made(NamedTuple):
    """A template with the file of the router that it is put on."""

    template: Template
    above: str


@query
def filled(facts: Facts) -> Filled:
    """What calls make of templates, by their files and lines."""
    templates: dict[tuple[str, str], list[_Made]] = defaultdict(list)
    files = interfaces(facts)
    for file in files:
        for template in file.wiring.templates:
            templates[file.path, template.function].append(_Made(template, file.path))
    calls = _calls(facts, {name for _, name in templates})
    routes: dict[tuple[str, Route], None] = {}
    mounts: dict[tuple[str, str, Mount], None] = {}
    waiting = [(key, made, 0) for key, all_ in templates.items() for made in all_]
    for at, (key, made, depth) in enumerate(waiting):
        for path, handed in calls.get(key, ()) if at < CALLS_MAX else ():
            for new in _given(facts, path, handed, made):
                route, mount = new.template.route, new.template.mount
                if _is_open(new.template):
                    if depth < _DEPTH_MAX:
                        function = around(facts, path, handed.line)
                        inner = new._replace(template=replace(new.template, function=function))
                        waiting.append(((path, function), inner, depth + 1))
                elif route is not None and new.above == path:
                    routes[path, route] = None
                elif route is not None and "." in route.owner:
                    # A router that an object keeps: its name does not say where that is mounted.
                    routes[path, replace(route, owner="")] = None
                elif mount is not None:
                    mounts[path, new.above, mount] = None
    return Filled(tuple(routes), tuple(Put(*each) for each in mounts))


def _calls(facts: Facts, names: set[str]) -> Mapping[tuple[str, str], list[tuple[str, Handed]]]:
    """Calls of functions that templates are of, with their files, by the functions."""
    calls: dict[tuple[str, str], list[tuple[str, Handed]]] = defaultdict(list)
    files = interfaces(facts)
    names |= {
        around(facts, file.path, handed.line)
        for file in files
        for handed in file.wiring.handed
        if any(map(_HOLE.search, handed.given))
    }
    words = {name.rpartition(".")[2] for name in names}
    for file in files:
        for handed in file.wiring.handed:
            if handed.function.rpartition(".")[2] in words:
                spot = handler_of(facts, file.path, handed.function, handed.line)
                if spot is not None:
                    calls[spot.path, spot.name].append((file.path, handed))
    return calls


def _is_open(template: Template) -> bool:
    route, mount = template.route, template.mount
    text = route.path + route.handler if route else ""
    return bool(_HOLE.search(text + (mount.prefix + mount.child if mount else "")))


def _given(facts: Facts, path: str, handed: Handed, made: _Made) -> Iterator[_Made]:
    """What a call makes of a template, once for each of the arguments that are left."""
    template = made.template
    put = template.route or template.mount
    if put is None:
        return
    router = (put.owner, made.above)
    if put.owner == template.function:
        router = (handed.owner, path)
        if not handed.owner:
            return
    text = put.path + put.handler if isinstance(put, Route) else put.prefix
    for place in _places(text, handed):
        one = _One(facts, path, handed, place)
        condition = one.of(template.condition)
        if condition == "false":
            continue
        filled = one.route(put) if isinstance(put, Route) else one.mount(put)
        if filled is not None:
            filled = replace(filled, owner=router[0])
            new = Template("", condition=condition if condition.startswith("{$") else "")
            is_route = isinstance(filled, Route)
            new = replace(new, route=filled) if is_route else replace(new, mount=filled)
            yield _Made(new, router[1])


def _places(text: str, handed: Handed) -> Sequence[int]:
    """The arguments that stand one after the other for what holds all that are left."""
    rest = next((int(hole[1]) for hole in _HOLE.finditer(text) if hole[2]), None)
    if rest is None:
        return (0,)
    is_handed_on = any(map(_ALL.fullmatch, handed.given[rest : rest + 1]))
    return (rest,) if is_handed_on else range(rest, len(handed.given))


class _One(NamedTuple):
    """A call, and the place of the argument that stands for all that are left."""

    facts: Facts
    file: str
    handed: Handed
    place: int

    def route(self, route: Route) -> Route | None:
        """A route with what the call gives; None where it gives no text for its path."""
        path = self._text(route.path)
        if path is None:
            return None
        pattern = _PATTERN.fullmatch(path)
        method, path = (pattern[1], pattern[2]) if pattern else (route.method, path)
        guards = (*self.handed.guards, *filter(None, (route.guard,)), *route.further)
        return replace(
            route,
            method=method,
            path=path_below(self.handed.prefix, path),
            line=self.handed.line,
            handler=self._name(route.handler),
            guard="".join(guards[:1]),
            further=guards[1:],
        )

    def mount(self, mount: Mount) -> Mount | None:
        """A mount with what the call gives; None where it gives no path or nothing to mount."""
        prefix, child = self._text(mount.prefix), self._name(mount.child)
        if prefix is None or not child:
            return None
        guards = (*self.handed.guards, *mount.guards)
        prefix = path_below(self.handed.prefix, prefix)
        return Mount("", child, prefix, self.handed.line, guards)

    def of(self, text: str) -> str:
        """What the call gives for a text that is a hole."""
        hole = _HOLE.fullmatch(text)
        place = (self.place if hole[2] else int(hole[1])) if hole else len(self.handed.given)
        return self.handed.given[place] if place < len(self.handed.given) else ""

    def _text(self, text: str) -> str | None:
        parts, end = [], 0
        for hole in _HOLE.finditer(text):
            value = self.of(hole[0])
            if not value or value.endswith("()"):
                return None
            is_text = value.startswith(('"', "{$"))
            value = value.removeprefix('"') if is_text else f"{{${value}}}"
            parts += [text[end : hole.start()], value]
            end = hole.end()
        return told_elsewhere(self.facts, self.file, "".join((*parts, text[end:])))

    def _name(self, text: str) -> str:
        value = self.of(text) if _HOLE.fullmatch(text) else text
        return "" if value.startswith('"') else value.removesuffix("()")


@query
def socket_events(facts: Facts) -> tuple[tuple[str, Job], ...]:
    """By file and line: of functions that are given a socket where one connects, through others
    that hand it on."""
    events: dict[tuple[str, str], list[Job]] = defaultdict(list)
    calls: dict[tuple[str, str], list[Handed]] = defaultdict(list)
    waiting: list[tuple[str, str]] = []
    for file in interfaces(facts):
        for function, job in file.wiring.events:
            events[file.path, function].append(job)
        for handed in file.wiring.handed:
            calls[file.path, handed.owner].append(handed)
            if handed.owner == FRAMEWORK and (file.path, FRAMEWORK) not in waiting[-1:]:
                waiting.append((file.path, FRAMEWORK))
    reached = dict.fromkeys(waiting)
    for path, owner in waiting:
        for handed in calls[path, owner]:
            place = handler_of(facts, path, handed.function, handed.line)
            if place is not None and place not in reached:
                reached[place] = None
                waiting.append(place)
    handled = [(place[0], job) for place in reached for job in events.get(place, ())]
    return tuple(sorted(handled, key=lambda each: (each[0], each[1].line)))
