"""HTTP routes that calls put on routers: what holds a router, groups below it, guards, mounts.

A framework is a row in `catalogue/code`, and `queries/routes` tells what a language keeps routers
in: what it declares with a type (`@name @type`) and what it assigns (`@left @right`), each within
`@node`. A router keeps its prefix and guard within a function; from one function to another it is
given by mounts: routes on a router that a function is given belong to that function's name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages.closures import is_refusing, lines_of
from stationmaster.reading.code.languages.source import (
    Arguments,
    Source,
    above,
    child,
    inside,
    line_of,
    one_line,
    path_below,
)
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Entry, Fact, Mount, Route

CONDITION = "\n"
"""What stands between the name of a guard and when it is asked."""
METHODS = code.ordered("shared.routes.methods")
_PLAIN = code.table("shared.routes.plain", frozenset[str])
_WORD = re.compile(r"(?:\bMethod|\b)([A-Za-z]+)\b")
_BEFORE = re.compile(r"^(?:\*|(?:any|some)\s+)|\?$")
CLOSURE = "func:"
"""Before the lines of a guard that is written where it is put before handlers."""
FUNCTION, UNPROVEN = "?", "~"
"""Before the name of what is a guard if it is a function, and if it refuses requests."""
_CLOSURES = frozenset({"func_literal", "lambda_expression", "lambda_literal"})
_NAMES = frozenset({"identifier", "selector_expression", "simple_identifier"})
_HANDLERS = _NAMES | {"call_expression", "navigation_expression"}
_CALLS = frozenset({"call_expression", "invocation_expression"})
_MEMBERS = frozenset({"member_access_expression", "navigation_expression", "selector_expression"})
_TELLING = re.compile(r"true|false|\"[^\"\n]{1,40}\"|(?:(\w{1,40})\.)?[A-Z]\w{0,40}")
_DEPTH_MAX = 12


class Web(Row, frozen=True):
    """A framework whose routes are put on routers.

    `makers` make a router, `types` are what one is called. Of a router's methods, `methods` stand
    for an HTTP method, with those that are all spelled as `verbs`, such as `Map{title}`; `asked`
    are given the HTTP method first, `groups` make a router below a path, `passing` return the one
    that they are called on (`is_fluent`: all do), `blocks` give a function a router below a path,
    `servers` answer requests.
    """

    name: str
    types: frozenset[str]
    makers: frozenset[str] = frozenset()
    verbs: str = ""
    methods: Mapping[str, str] = {}
    asked: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    is_fluent: bool = False

    def __post_init__(self) -> None:
        """Complete the methods by those that are spelled alike."""
        if self.verbs:
            methods = code.methods(self.verbs) | dict(self.methods)
            msgspec.structs.force_setattr(self, "methods", methods)


class Router(NamedTuple):
    """A router: the name of its function, the path above it, its guards, the outermost first."""

    web: Web
    owner: str
    prefix: str = ""
    guards: tuple[str, ...] = ()
    condition: str = ""  # Of its routes.

    def behind(self, guards: Iterable[str]) -> Router:
        """The router with guards within those that it has."""
        return self._replace(guards=tuple(dict.fromkeys((*self.guards, *guards))))


class Held(NamedTuple):
    """A router, and from where to where a name stands for it."""

    start: int
    end: int
    router: Router


class Member(NamedTuple):
    """A call of a method: what it is called on, and the method's name."""

    source: Source
    call: Node
    on: Node
    name: str

    @property
    def given(self) -> Arguments:
        """What it is given, a closure behind the call last."""
        return given_to(self.source, self.call)


def member(source: Source, node: Node) -> Member | None:
    """What a node calls; None for what calls no method."""
    callee = child(node) if node.type in _CALLS else None
    if callee is None or callee.type not in _MEMBERS:
        return None
    on, name = callee.named_children[0], callee.named_children[-1]
    return Member(source, node, on, source.text(name).lstrip(".").partition("<")[0])


def route_on(router: Router, method: str, path: str, line: int, handler: str) -> Route:
    """A route behind the guards of its router."""
    place = method, path, line, handler, router.owner, "".join(router.guards[:1])
    return Route(*place, router.web.name, router.guards[1:], router.condition)


def given_to(source: Source, call: Node) -> Arguments:
    """What a call is given, with the closure behind it."""
    suffix = call.named_children[-1]
    if suffix.type != "call_suffix":
        return source.arguments(suffix)
    arguments = Arguments()
    for part in suffix.named_children:
        if part.type == "value_arguments":
            arguments = source.arguments(part)
        else:
            arguments = arguments._replace(at=(*arguments.at, part))
    return arguments


class Reader:
    """Reads the calls of a file. `webs` are the frameworks by the names of the packages that their
    makers and types are written with, '' for those that are written without one; `packages` are
    those that the file imports, by name."""

    def __init__(self, unit: Unit, webs: Iterable[tuple[str, Web]]) -> None:
        self.unit = unit
        self.scopes = unit.scopes
        self.packages: Mapping[str, str] = {}
        self.facts: list[Fact] = []
        self.held: defaultdict[str, list[Held]] = defaultdict(list)
        self.matches = unit.matches("routes")
        self.mounts: dict[Mount, None] = {}
        self._types: dict[str, Web] = {}
        self._makers: dict[str, Web] = {}
        for package, web in webs:
            before = f"{package}." if package else ""
            self._types |= {before + name: web for name in web.types}
            self._makers |= {before + name: web for name in web.makers}

    def read(self, calls: Iterable[Node]) -> Iterator[Fact]:
        """What calls put on routers, in the order of the file; the mounts last."""
        steps: list[tuple[int, Node | dict[str, list[Node]]]] = [
            (min(nodes[0].start_byte for nodes in found.values()), found) for found in self.matches
        ]
        steps += [(node.start_byte, node) for node in calls]
        for _, step in sorted(steps, key=lambda step: step[0]):
            if isinstance(step, Node):
                self.call(step)
            elif "right" in step:
                self.bind(step["node"][0], step["left"][0], step["right"][0])
            elif "node" in step:
                self._declare(step["node"][0], step["name"][0], step["type"][0])
            elif "literal" in step:
                self.literal(step["literal"][0])
        yield from (*self.facts, *self.mounts)

    def typed(self, node: Node) -> Web | None:
        """The framework whose router a type is."""
        return self._types.get(_BEFORE.sub("", self.unit.text(node)))

    def _declare(self, node: Node, name: Node, type_: Node) -> None:
        web, around = self.typed(type_), node.parent
        if "parameter" not in node.type:
            around = self.block(node)
        elif around is not None and "parameter" in around.type:
            around = around.parent
        if web is not None and around is not None:
            body = child(around, "body") or around
            router = Router(web, self.scopes.at(body.start_byte))
            word, start = self.unit.text(name), around.start_byte
            # A closure that is given a router below a path has that one.
            if all(each.start != start for each in self.held[word]):
                self.keep(word, start, body.end_byte, router)

    def bind(self, node: Node, left: Node, right: Node) -> None:
        """Keep the router that a variable is assigned, until its block ends, a member for good."""
        name = self.unit.text(left)
        router = self.router(right, name)
        if router is not None:
            is_member = "." in name
            end = (self.unit.root if is_member else self.block(node)).end_byte
            self.keep(name, 0 if is_member else node.end_byte, end, router)

    def block(self, node: Node) -> Node:
        """The block around a node, or the file."""
        return above(node, "block", "statements", "declaration_list") or self.unit.root

    def keep(self, name: str, start: int, end: int, router: Router) -> None:
        """Let a name stand for a router in a part of the file."""
        self.held[name].append(Held(start, end, router))

    def named(self, node: Node) -> Router | None:
        """The router that a name stands for: the last one that it was given around here."""
        held = self.holding(node)
        return held.router if held else None

    def holding(self, node: Node, held: Mapping[str, list[Held]] | None = None) -> Held | None:
        """What a name holds where it stands."""
        place, all_ = node.start_byte, self.held if held is None else held
        fitting = (
            each
            for each in reversed(all_.get(self.unit.text(node), ()))
            if each.start <= place < each.end
        )
        return max(fitting, key=lambda each: each.start, default=None)

    def router(self, node: Node, name: str = "", depth: int = 0) -> Router | None:
        """The router that an expression is; `name` is what one that is made here will be called."""
        call = member(self.unit, node)
        if call is None or depth > _DEPTH_MAX:
            return self.named(node) if call is None else None
        web = self._makers.get(f"{self.unit.line(call.on, 80)}.{call.name}")
        if web is not None:
            return Router(web, self.owner(node, name))
        router = self.router(call.on, name, depth + 1)
        if router is None:
            return None
        if call.name in router.web.groups:
            return self.below(router, call)
        if call.name in router.web.passing or router.web.is_fluent:
            return router.behind(self.guards(call))
        return None

    def verbs(self, nodes: Iterable[Node]) -> tuple[str, ...]:
        """The HTTP methods that texts and constants name, such as `.GET` and `http.MethodGet`."""
        words = (word for node in nodes for word in _WORD.findall(self.unit.text(node)))
        return tuple(word.upper() for word in words if word.upper() in METHODS)

    def below(self, router: Router, call: Member) -> Router:
        """The router below the path that a call is given, behind the guards that it is given."""
        prefix = path_below(router.prefix, self.path(call.given.at) or "")
        return router._replace(prefix=prefix).behind(self.guards(call))

    def call(self, node: Node) -> None:
        """Add what a call puts on a router, or that it hands one on to a function."""
        call = member(self.unit, node)
        router = self.router(call.on) if call is not None else None
        if call is not None and router is not None:
            self.on_router(node, call, router)
        else:
            self.handed_on(node)

    def on_router(self, node: Node, call: Member, router: Router) -> None:
        """Add what a call of a router's method puts on it."""
        web = router.web
        if call.name in web.servers:
            self.serve(node, call)
        elif verb := web.methods.get(call.name):
            self.route(node, router, (verb,), call.given)
        elif call.name in web.asked:
            first, rest = call.given.at[:1], call.given._replace(at=call.given.at[1:])
            self.route(node, router, self.verbs(first), rest)
        elif call.name in web.blocks:
            self._given_a_router(router, call)

    def _given_a_router(self, router: Router, call: Member) -> None:
        inner = self.below(router, call)
        for node in call.given.at:
            name = self._first_parameter(node) if node.type in _CLOSURES else None
            if name is not None:
                self.keep(self.unit.text(name), node.start_byte, node.end_byte, inner)

    def _first_parameter(self, closure: Node) -> Node | None:
        listed = child(closure, "parameters")
        if listed is not None and listed.type == "implicit_parameter":
            return listed
        waiting = inside(closure, "parameters") or inside(closure, "type")
        while waiting:
            node = waiting[0]
            if name := child(node, "name"):
                return name
            waiting = node.named_children
        return None

    def handed_on(self, node: Node) -> None:
        """Add that a router is given to a function, which puts routes on it: of several those that
        are below another."""
        function = self.function(node)
        given = given_to(self.unit, node).all() if function else ()
        routers = [router for argument in given if (router := self.router(argument))]
        below = [
            it for it in routers if it.prefix or any(UNPROVEN not in name for name in it.guards)
        ]
        for router in below if len(routers) > 1 and below else routers:
            self.mount(node, router, function)

    def serve(self, node: Node, call: Member) -> None:
        """Add that a call answers requests from now on."""
        name = f"{self.unit.text(call.on)}.{call.name}"
        scope = self.scopes.at(node.start_byte)
        self.facts.append(Entry(one_line(name, 80), "server", line_of(node), scope))

    def mount(self, node: Node, router: Router, child: str, condition: str = "") -> None:
        """Add that the routes of another function or router are below one, where a condition
        holds."""
        if child and child != router.owner:
            place = router.owner, child, router.prefix, line_of(node), router.guards
            self.mounts[Mount(*place, condition)] = None

    def add(
        self, node: Node, router: Router, methods: Iterable[str], path: str, handler: str
    ) -> None:
        path, line = path_below(router.prefix, path), self.line(node)
        self.facts += [route_on(router, method, path, line, handler) for method in methods]

    # What a language may say in its own way.

    def literal(self, node: Node) -> None:
        """Keep the routers that an object is made with."""

    def owner(self, node: Node, name: str) -> str:
        """Whose the routes are of a router that is made and assigned to a name."""
        return name or self.scopes.at(node.start_byte)

    def line(self, node: Node) -> int:
        """The line of a route."""
        return line_of(node)

    def path(self, nodes: Sequence[Node]) -> str | None:
        """The path that arguments tell, None where it is not known."""
        return self.unit.literal(nodes[0]) if nodes else None

    def guards(self, call: Member) -> tuple[str, ...]:
        """What a call puts before routes that lets only some callers pass."""
        return self.guarding(call.given.at)

    def guarding(self, nodes: Sequence[Node], others: str | None = None) -> tuple[str, ...]:
        """Those of some handlers that are called like a guard, with `others` before the names of
        all others if it is given, and functions written there that refuse requests, by lines."""
        guards = []
        for node in nodes:
            text = self.unit.text(child(node, "function") or node)
            before = "" if is_guard(purpose(name := one_line(text, 80))) else others
            if node.type in _HANDLERS and before is not None:
                guards.append(before + name + self.needed(node))
            elif node.type in _CLOSURES and is_refusing(text):
                guards.append(f"{CLOSURE}{lines_of(node)}")
        return tuple(guards)

    def needed(self, guard: Node) -> str:
        """Texts, switches and constants that a call which makes a guard is given, in brackets:
        `("admin")`, `(false)`."""
        nodes = given_to(self.unit, guard).at if guard.type in _CALLS else ()
        words = [_TELLING.fullmatch(self.unit.text(it)) for it in nodes]
        is_plain = all(it and (not it[1] or it[1] in self.packages) for it in words)
        return f"({', '.join(it[0] for it in words if it)})" if words and is_plain else ""

    def route(self, node: Node, router: Router, methods: tuple[str, ...], given: Arguments) -> None:
        """Add the routes that a call makes."""
        raise NotImplementedError

    def function(self, node: Node) -> str:
        """The function of the project that a call may be of; '' for none."""
        callee = child(node)
        is_name = callee is not None and callee.type in _NAMES
        return self.unit.text(callee) if is_name else ""


def purpose(name: str) -> str:
    """The word of a dotted name that tells what a handler is for: `auth.Handler` is for `auth`."""
    on, _, last = name.rpartition(".")
    return on.rpartition(".")[2] if on and last in _PLAIN else last
