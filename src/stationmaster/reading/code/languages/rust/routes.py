"""HTTP routes of axum, actix-web and rocket, and of routers that a project makes on top of hyper.

Routers are built by chains of calls inside others: a route's path is that of all chains around it
in the function. Routers that one function builds for another are mounts: routes belong to the name
of the function that registers them, or that handles them by an attribute.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.closures import asked_around
from stationmaster.reading.code.languages.routers import CONDITION
from stationmaster.reading.code.languages.rust.attributes import CHAIN_MAX, File, base
from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import (
    calls_on,
    child,
    first_child,
    given_to,
    line_of,
    one_line,
    path_below,
)
from stationmaster.reading.code.model import Entry, Fact, Mount, Route

_VERBS = code.methods("{lower}", "rust.routes.methods")
_CRATES = code.ordered("rust.routes.crates")
_AT = code.names("rust.routes.at")
_BELOW = frozenset({"nest", "nest_service", "merge", "service", "configure", "mount"})
_TEXT = re.compile(r"\"((?:[^\"\\]|\\.){0,1000}+)\"")
_METHOD = re.compile(r"\bmethod\s*=\s*\"([A-Z]{3,7})\"")
"""Of `#[route("/", method = "GET", method = "HEAD")]`."""
_PASSED_ON = frozenset({"await_expression", "call_expression", "field_expression"})
_PASSED_ON |= {"try_expression"}
_PATHS = frozenset({"string_literal", "identifier", "field_expression", "reference_expression"})
_STEPS_MAX = 60
_LAYERING = code.names("rust.routes.layering")
_MADE_OF = ("from_fn", "from_fn_with_state")
"""Makers of a layer from a function, their last argument."""
_FUNCTION = re.compile(r"(?!std::)(?:[a-z_]\w*::)*[a-z_]\w*")


def read(file: File) -> Iterator[Fact]:
    """The routes, mounts and servers of a file; none of one that names no crate for them."""
    framework = next((crate for crate in _CRATES if crate in file.crates), "")
    if not framework:
        return
    reader = _Reader(file, framework)
    for item in file.items:
        reader.item(item)
    for node in file.nodes["call"]:
        reader.note(node)
    for node in file.nodes["call"]:
        reader.call(node)
    for node in file.nodes["macro"] if framework == "rocket" else ():
        reader.listed(node)
    yield from (*reader.facts, *reader.mounts)


class _Reader:
    def __init__(self, file: File, framework: str) -> None:
        self._file = file
        self._source = file
        self._framework = framework.replace("_", "-")
        self._scopes = file.scopes
        self._uses: dict[tuple[str, str], Node] = {}
        """Calls that put a variable on a router, by function and variable."""
        self._goes_on: dict[tuple[str, str], list[Node]] = defaultdict(list)
        """The first calls of chains that go on with a variable."""
        self._lists: set[str] = set()
        """Functions that return rocket's lists of routes."""
        self._outers: dict[int, Node | None] = {}
        """The calls that put chains on other routers, or go on with them, by the nodes of the
        chains."""
        self.facts: list[Fact] = []
        self.mounts: dict[Mount, None] = {}

    def item(self, item: Item) -> None:
        """A function that an attribute makes answer requests or begin the server."""
        node = item.node
        if node.type != "function_item" or self._framework == "axum":
            return
        name = self._scopes.at(node.start_byte)
        if self._source.part(node, "return_type").endswith("Route>"):
            self._lists.add(name)
        attributes = self._file.attributes(item)
        guards = tuple(it.name for it in attributes if is_guard(it.name))[:1]
        for attribute in attributes:
            last = attribute.name.rpartition("::")[2]
            if last in _VERBS and (path := attribute.given.get("")) is not None:
                text = " ".join(map(self._source.text, item.attributes))
                methods = _METHOD.findall(text) if last == "route" else []
                for verb in methods or [_VERBS[last]]:
                    self._add(verb, path, node, name, name, guards)
            elif self._framework == "rocket" and (
                attribute.name == "launch" or attribute.name == "rocket::main"
            ):
                self.facts.append(Entry(name, "server", line_of(node), name))

    def note(self, node: Node) -> None:
        """Store a call if it is the first that registers a variable of a function on a router, or
        is on a variable."""
        method, arguments = self._file.method(node), given_to(node)
        receiver = child(child(node, "function"), "value")
        if receiver is not None and receiver.type == "identifier":
            name = self._scopes.at(node.start_byte), self._source.text(receiver)
            self._goes_on[name].append(node)
        if method in _BELOW and arguments and arguments[-1].type == "identifier":
            scope = self._scopes.at(node.start_byte)
            self._uses.setdefault((scope, self._source.text(arguments[-1])), node)

    def call(self, node: Node) -> None:
        """Add the routes, the mount or the start of a server that a call is, if it is one."""
        method, arguments = self._file.method(node), given_to(node)
        if method in ("route", "to") and arguments:
            self._routed(node, method, arguments)
        elif method in _BELOW and arguments:
            self._mounted(node, method, arguments)
        elif method in _VERBS and arguments and self._framework in _AT:
            path = self._at(node)
            if path.startswith("/"):
                self._add(_VERBS[method], path, node, self._name(arguments[0]), None)
        elif method in ("append", "extend") and self._scopes.at(node.start_byte) in self._lists:
            for argument in arguments[:1]:
                inner = child(argument, "value") or argument
                if inner.type == "call_expression":
                    self._mounted(node, method, [inner])
        elif self._file.path(node) in ("axum::serve", "actix_web::HttpServer::new"):
            scope = self._scopes.at(node.start_byte)
            callee = self._source.part(node, "function")
            self.facts.append(Entry(one_line(callee, 80), "server", line_of(node), scope))

    def listed(self, node: Node) -> None:
        """The handlers in rocket's `routes!`."""
        if self._source.part(node, "macro").rpartition("::")[2] != "routes":
            return
        around: Node | None = node
        call = None
        for _ in range(4):
            around = around.parent if around is not None else None
            if around is not None and self._file.method(around) == "mount":
                call = around
        prefix = self._literal(given_to(call)[0]) if call is not None else ""
        words = (
            self._source.text(first_child(node, "token_tree"))[1:-1]
            .replace(" ", "")
            .replace("\n", "")
            .split(",")
        )
        for word in filter(None, words):
            self._mount(node, word, prefix)

    def _literal(self, node: Node) -> str:
        """The text in an expression, '' where there is none or several."""
        texts = _TEXT.findall(self._source.text(node)[:400])
        return texts[0] if len(texts) == 1 else ""

    def _path(self, node: Node) -> str:
        """A path as written, or `{the value of name}`, which no parameter can be called."""
        if node.type == "string_literal" or node.type not in _PATHS:
            return self._literal(node)
        name = re.split(r"[.&:]", one_line(self._source.text(node), 80))[-1]
        return f"{{the value of {name}}}"

    def _routed(self, node: Node, method: str, arguments: list[Node]) -> None:
        if method == "to":
            is_resource = self._file.path(base(node)).rpartition("::")[2] == "resource"
            if is_resource and self._framework == "actix-web":
                prefix, guards = self._around(node)
                self._add("ANY", prefix, node, self._name(arguments[0]), None, guards)
            return
        is_pair = len(arguments) == 2 and arguments[0].type in _PATHS
        if not is_pair and not (len(arguments) == 1 and self._framework == "actix-web"):
            return
        path = self._path(arguments[0]) if is_pair else ""
        answered = self._answers(arguments[-1])
        prefix, guards = self._around(node) if answered else ("", ())
        guards = (*guards, *self._below(arguments[-1]))
        for verb, handler in answered:
            self._add(verb, path_below(prefix, path), node, handler, None, guards)

    def _answers(self, node: Node) -> list[tuple[str, str]]:
        """Methods and handlers of `get(a).post(b)` or `get().to(a)`."""
        answers: list[tuple[str, str]] = []
        handler, call = "", node
        for _ in range(_STEPS_MAX):
            if call.type != "call_expression":
                break
            callee = child(call, "function")
            method = self._file.method(call)
            name = method or self._file.path(call).rpartition("::")[2]
            arguments = given_to(call)
            if method == "to" and arguments:
                handler = self._name(arguments[0])
            elif name.removesuffix("_service") in _VERBS:
                answer = self._name(arguments[0]) if arguments else handler
                answers.append((_VERBS[name.removesuffix("_service")], answer))
            inner = child(callee, "value") if method and callee else None
            if inner is None:
                break
            call = inner
        return answers[::-1]

    def _at(self, node: Node) -> str:
        """The path of `app.at("/x").get(show).post(add)`; '' for another chain."""
        for _ in range(_STEPS_MAX):
            callee = child(node, "function")
            inner = child(callee, "value")
            method = self._file.method(inner) if inner is not None else ""
            if inner is None or (method != "at" and method not in _VERBS):
                return ""
            if method == "at":
                return self._literal(inner)
            node = inner
        return ""

    def _name(self, node: Node) -> str:
        """A function by its path, also where a closure does no more than call it."""
        if node.type == "closure_expression":
            called = base(child(node, "body") or node)
            path = self._source.part(called, "function")
            return path if _FUNCTION.fullmatch(path) else ""
        text = one_line(self._source.text(node), 80)
        is_path = node.type in ("identifier", "scoped_identifier", "generic_function")
        return text.partition("::<")[0] if is_path else ""

    def _around(self, node: Node) -> tuple[str, tuple[str, ...]]:
        """The prefix of the routers around a chain, and their guards, the outer first, as far as
        they are in the function."""
        prefix = ""
        guards: tuple[str, ...] = ()
        seen, start = set[int](), node.start_byte
        for _ in range(_STEPS_MAX):
            first = base(node)
            made, arguments = self._file.path(first).rpartition("::")[2], given_to(first)
            if made in ("scope", "resource") and arguments:
                prefix = path_below(self._path(arguments[0]), prefix)
            around = (it for _, call in calls_on(node) for it in self._layer(call, start))
            # What actix wraps around a scope is around what was put on it before, too.
            before = self._below(node) if self._framework == "actix-web" else ()
            guards = (*around, *before, *guards)
            outer = self._outer(node)
            if outer is None or outer.start_byte in seen:
                break
            seen.add(outer.end_byte)
            arguments = given_to(outer)
            if self._continues(outer, node):
                guards = (*self._layer(outer, start), *guards)
            elif self._file.method(outer) in ("nest", "nest_service") and arguments:
                prefix = path_below(self._path(arguments[0]), prefix)
            node = outer
        return prefix, tuple(dict.fromkeys(guards))

    def _below(self, node: Node) -> tuple[str, ...]:
        """The guards that a chain has around what it begins with."""
        guards: list[str] = []
        for _ in range(_STEPS_MAX):
            guards += self._layer(node)
            callee = child(node, "function")
            inner = child(callee, "value")
            if inner is None:
                break
            node = inner
        return tuple(guards)

    def _layer(self, call: Node, start: int = 0) -> tuple[str, ...]:
        """The guard that a call puts around a router which begins at `start`: `require` of
        `.route_layer(from_fn_with_state(state, auth::require))`, or the type of a layer."""
        values = given_to(call) if self._file.method(call) in _LAYERING else []
        if len(values) != 1 or values[0].type != "call_expression":
            return ()
        path, arguments = self._file.path(values[0]), given_to(values[0])
        if path.rpartition("::")[2] in _MADE_OF and arguments:
            name = self._name(arguments[-1])
        else:
            name = path.rpartition("::")[0].rpartition("::")[2]
        when = asked_around(self._source, call, "function_item", start=start) if start else ""
        guard = f"{name}{CONDITION}{when}".rstrip(CONDITION)
        return (guard,) if is_guard(name.rpartition("::")[2]) else ()

    def _outer(self, node: Node) -> Node | None:
        """The call that puts what a chain builds on another router."""
        top: Node | None = node
        passed: list[int] = []
        while top is not None and top.id not in self._outers:
            passed.append(top.id)
            parent = top.parent
            is_passed_on = parent is not None and parent.type in _PASSED_ON
            if not is_passed_on or len(passed) == 2 * CHAIN_MAX:
                self._outers[top.id] = self._putting(top, parent)
                break
            top = parent
        outer = self._outers[top.id] if top is not None else None
        self._outers |= dict.fromkeys(passed, outer)
        return outer

    def _putting(self, top: Node, parent: Node | None) -> Node | None:
        """The call that registers a whole chain on a router, directly or by its variable."""
        if parent is not None and parent.type == "arguments" and parent.parent is not None:
            return parent.parent if self._file.method(parent.parent) in _BELOW else None
        if parent is not None and parent.type == "let_declaration":
            name = self._source.part(parent, "pattern").removeprefix("mut ")
            key = self._scopes.at(top.start_byte), name
            later = (it for it in self._goes_on[key] if it.start_byte > top.end_byte)
            return self._uses.get(key) or next(later, None)
        return None

    def _continues(self, outer: Node, node: Node) -> bool:
        """Is a call on the variable that holds a chain, rather than given it?"""
        is_inside = outer.start_byte <= node.start_byte < outer.end_byte
        return not is_inside and outer not in self._uses.values()

    def _mounted(self, node: Node, method: str, arguments: list[Node]) -> None:
        target = arguments[-1]
        if target.type == "closure_expression":
            target = child(target, "body") or target
        first = base(target)
        callee = child(first, "function") if first.type == "call_expression" else first
        if callee is None or callee.type not in ("identifier", "scoped_identifier"):
            return
        is_call = first.type == "call_expression"
        path = self._file.path(first) if is_call else ""
        is_own = path.endswith(("Router::new", "::scope", "::resource"))
        is_own |= path in ("scope", "resource")
        is_variable = (self._scopes.at(node.start_byte), self._source.text(first)) in self._uses
        if is_own or (is_variable and self._framework == "axum"):
            return
        own = self._path(arguments[0]) if method.startswith(("nest", "mount")) else ""
        prefix, guards = self._around(node)
        guards = (*guards, *self._below(target))
        self._mount(node, self._source.text(callee), path_below(prefix, own), guards)

    def _mount(self, node: Node, router: str, prefix: str, guards: tuple[str, ...] = ()) -> None:
        owner = self._scopes.at(node.start_byte)
        if router != owner:
            mount = Mount(owner, one_line(router, 80), prefix, line_of(node), guards)
            self.mounts[mount] = None

    def _add(
        self,
        verb: str,
        path: str,
        node: Node,
        handler: str,
        owner: str | None,
        guards: tuple[str, ...] = (),
    ) -> None:
        owner = self._scopes.at(node.start_byte) if owner is None else owner
        place = child(node, "arguments") or node
        row = verb, path, line_of(place), handler, owner
        guard = "".join(guards[:1])
        self.facts.append(Route(*row, guard, self._framework, guards[1:]))
