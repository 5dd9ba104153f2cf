"""HTTP routes: what is put on routers that imports prove to be some.

A router keeps its prefix and guards within a function. From one function to another it is told by
mounts: routes on a router that a function is given or returns belong to that function's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import VERBS, WEBS, File, Web, constants
from stationmaster.reading.code.languages.source import (
    above,
    calls_on,
    given_to,
    inside,
    line_of,
    literal,
    one_line,
    path_below,
)
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Entry, Fact, Mount, Route

_GUARD = re.compile(r"(?i)auth|require|must|permission|login|admin|jwt|protect")
_PATTERN = re.compile(r"(?:([A-Z]{3,10})[ \t]+)?([\w.-]*)(/\S*)")
_SAME = re.compile(
    "Use|With|Subrouter|Methods|Host|Schemes|Name|Headers|Queries|StrictSlash|UseEncodedPath"
    "|SkipClean"
)
_RUNS = re.compile("(?:ListenAndServe|Serve|Run|Start|StartAuto|Listen)(?:TLS)?")
_DEPTH_MAX = 12


class Router(NamedTuple):
    web: Web
    owner: str
    prefix: str = ""
    guard: str = ""


def read(file: File) -> Iterator[Fact]:
    """The routes, mounts and servers of a file; none where it imports nothing which routes."""
    webs = {name: WEBS[path] for name, path in file.packages.items() if path in WEBS}
    if webs:
        yield from _Reader(file, webs).read()


class _Reader:
    def __init__(self, file: File, webs: dict[str, Web]) -> None:
        self._source = file.source
        self._calls = file.called
        self._webs = webs
        self._scopes = file.scopes
        self._constants = constants(file.source)
        self._known: dict[str, list[tuple[int, int, Router]]] = {}
        self._fields: dict[str, Web] = {}
        self._makers: dict[str, str] = {}
        self._returned: set[tuple[str, str]] = set()
        self._facts: list[Fact] = []
        self._mounts: dict[Mount, None] = {}

    def read(self) -> Iterator[Fact]:
        matches = self._source.matches("routes")
        for found in matches:
            if "field" in found and (web := self._typed(found["type"][0])):
                self._fields[self._source.text(found["name"][0])] = web
            elif "return" in found:
                for name in found["name"]:
                    scope = self._scopes.at(name.start_byte)
                    self._returned.add((scope, self._source.text(name)))
        steps: list[tuple[int, dict[str, list[Node]] | Called]] = [
            (min(nodes[0].start_byte for nodes in found.values()), found) for found in matches
        ]
        steps += [(call.node.start_byte, call) for call in self._calls]
        for _, each in sorted(steps, key=lambda each: each[0]):
            if isinstance(each, Called):
                self._call(each)
            elif "parameter" in each:
                self._parameter(each["parameter"][0], each["name"][0], each["type"][0])
            elif "bind" in each:
                self._bind(each["bind"][0], each["left"][0], each["right"][0])
        yield from (*self._facts, *self._mounts)

    def _typed(self, node: Node) -> Web | None:
        """The package whose router a type is."""
        package, _, name = self._source.text(node).lstrip("*").partition(".")
        web = self._webs.get(package)
        return web if web is not None and name in web.types else None

    def _parameter(self, node: Node, name: Node, type_: Node) -> None:
        web = self._typed(type_)
        around = node.parent.parent if node.parent else None
        if web is None or around is None:
            return
        known = self._known.setdefault(self._source.text(name), [])
        if not any(start == around.start_byte for start, _, _ in known):
            body = around.child_by_field_name("body") or around
            known.append(
                (around.start_byte, body.end_byte, Router(web, self._scopes.at(body.start_byte)))
            )

    def _bind(self, node: Node, left: Node, right: Node) -> None:
        value = right.named_children[0] if right.type == "expression_list" else right
        target = left.named_children[0] if left.type == "expression_list" else left
        name = self._source.text(target)
        self._makers[name] = self._source.part(value, "function")
        made = self._router(value, name)
        if made is not None:
            block = above(node, "block") if "." not in name else None
            end = (block or self._source.root).end_byte
            start = 0 if "." in name else node.end_byte
            self._known.setdefault(name, []).append((start, end, made))

    def _lookup(self, name: str, place: int) -> Router | None:
        fitting = (
            each for each in reversed(self._known.get(name, ())) if each[0] <= place < each[1]
        )
        found = max(fitting, key=lambda each: each[0], default=None)
        return found[2] if found else None

    def _router(self, node: Node, name: str = "", depth: int = 0) -> Router | None:
        """The router that an expression is; `name` is what one that is made here will be called."""
        if depth > _DEPTH_MAX:
            return None
        told = self._source.text(node) if node.type != "call_expression" else ""
        if node.type == "identifier":
            return self._lookup(told, node.start_byte)
        if node.type == "selector_expression":
            web = self._fields.get(told.rpartition(".")[2])
            return self._lookup(told, node.start_byte) or (Router(web, told) if web else None)
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or given is None or callee.type != "selector_expression":
            return None
        on, method = self._parts(callee)
        if on is None:
            return None
        web = self._webs.get(self._source.text(on)) if on.type == "identifier" else None
        if web is not None and method in web.makers:
            scope = self._scopes.at(node.start_byte)
            return Router(web, scope if (scope, name) in self._returned else name)
        router = self._router(on, name, depth + 1)
        if router is None:
            return None
        if method in ("Group", "Route", "PathPrefix", "Path"):
            path = self._text(given.named_children[0]) if given.named_children else None
            return self._guarded(router._replace(prefix=router.prefix + (path or "")), given)
        return self._guarded(router, given) if _SAME.fullmatch(method) else None

    def _guarded(self, router: Router, given: Node) -> Router:
        guard = self._guard(given.named_children)
        return router._replace(guard=guard) if guard else router

    def _guard(self, nodes: list[Node]) -> str:
        """The first of some handlers that is called as what lets only some people pass is."""
        for node in nodes:
            if node.type in ("identifier", "selector_expression", "call_expression"):
                callee = node.child_by_field_name("function") or node
                told = one_line(self._source.text(callee), 80)
                if _GUARD.search(told.rpartition(".")[2]):
                    return told
        return ""

    def _parts(self, callee: Node) -> tuple[Node | None, str]:
        return callee.child_by_field_name("operand"), self._source.part(callee, "field")

    def _text(self, node: Node) -> str | None:
        """A text, or what constants of the file make together."""
        if node.type == "identifier":
            return self._constants.get(self._source.text(node))
        if node.type == "binary_expression":
            parts = [
                literal(self._source, side) or self._constants.get(self._source.text(side))
                for side in node.named_children
            ]
            return None if None in parts else "".join(part or "" for part in parts)
        return literal(self._source, node)

    def _call(self, call: Called) -> None:
        node, callee = call.node, call.node.child_by_field_name("function")
        arguments = given_to(node)
        if callee is None:
            return
        if callee.type == "selector_expression":
            on, method = self._parts(callee)
            web = self._webs.get(self._source.text(on)) if on and on.type == "identifier" else None
            if web is not None and web.name == "net/http":
                if method in ("Handle", "HandleFunc"):
                    self._pattern(node, Router(web, ""), arguments)
                    return
                if _RUNS.fullmatch(method):
                    self._runs(node, callee)
            router = self._router(on) if on is not None and web is None else None
            if router is not None:
                self._on_router(node, callee, router, method, arguments)
                return
        self._handed_on(node, callee, arguments)

    def _on_router(
        self, node: Node, callee: Node, router: Router, method: str, arguments: list[Node]
    ) -> None:
        """What a call of a router's method puts on it."""
        if _RUNS.fullmatch(method):
            self._runs(node, callee)
        elif method in router.web.verbs:
            self._route(node, router, (router.web.verbs[method],), arguments)
        elif method in ("Match", "Method", "MethodFunc", "Add") or (
            method == "Handle" and router.web.name == "gin"
        ):
            if arguments:
                self._route(node, router, self._verbs(arguments[:1]), arguments[1:])
        elif method in ("Handle", "HandleFunc"):
            self._pattern(node, router, arguments)
        elif method in ("Handler", "HandlerFunc") and len(arguments) == 1 and router.prefix:
            self._add(node, router, tuple(self._chained(node)) or ("ANY",), "", arguments)
        elif method in ("Mount", "Route", "Group"):
            self._below(router, arguments)
            if method == "Mount" and len(arguments) == 2:
                prefix = router.prefix + (self._text(arguments[0]) or "")
                self._mount(node, router._replace(prefix=prefix), arguments[1])
        elif method == "Use":
            known = self._known.get(self._source.part(callee, "operand"), [])
            guard = self._guard(arguments) or router.guard
            for number, (start, end, each) in enumerate(known):
                if each == router:
                    known[number] = (start, end, router._replace(guard=guard))

    def _below(self, router: Router, arguments: list[Node]) -> None:
        """A function is given a router below a prefix."""
        prefix = (self._text(arguments[0]) or "") if arguments else ""
        inner = router._replace(prefix=router.prefix + prefix)
        for argument in arguments:
            if argument.type == "func_literal":
                for parameter in inside(argument, "parameters"):
                    name = self._source.part(parameter, "name")
                    self._known.setdefault(name, []).append(
                        (argument.start_byte, argument.end_byte, inner)
                    )

    def _mount(self, node: Node, above: Router, child: Node) -> None:
        other = self._router(child)
        callee = child.child_by_field_name("function") or child
        told = other.owner if other is not None else one_line(self._source.text(callee), 80)
        if told and told != above.owner:
            self._mounts[Mount(above.owner, told, above.prefix, line_of(node))] = None

    def _handed_on(self, node: Node, callee: Node, arguments: list[Node]) -> None:
        """A router is given to a function, which puts routes on it."""
        if callee.type not in ("identifier", "selector_expression"):
            return
        child = self._called(callee)
        if child.partition(".")[0] in (*self._webs, "httptest"):
            return
        for argument in arguments:
            if argument.type in ("identifier", "selector_expression", "call_expression"):
                router = self._router(argument)
                if router is not None and router.owner != child:
                    self._mounts[Mount(router.owner, child, router.prefix, line_of(node))] = None

    def _called(self, callee: Node) -> str:
        """A function's name; a method's with the type around the call, or what made its object."""
        told = one_line(self._source.text(callee), 80)
        scope = self._scopes.at(callee.start_byte)
        first, _, rest = told.partition(".")
        holder, _, _ = scope.rpartition(".")
        is_own = holder and rest and "." not in rest and first not in self._webs
        if is_own and self._is_receiver(callee, first):
            return f"{holder}.{rest}"
        return f"{maker}.{rest}" if rest and (maker := self._makers.get(first)) else told

    def _is_receiver(self, node: Node, name: str) -> bool:
        told = self._source.part(above(node, "method_declaration"), "receiver")
        return told.lstrip("( ").startswith(f"{name} ")

    def _runs(self, node: Node, callee: Node) -> None:
        name, scope = one_line(self._source.text(callee), 80), self._scopes.at(node.start_byte)
        self._facts.append(Entry(name, "server", line_of(node), scope))

    def _pattern(self, node: Node, router: Router, arguments: list[Node]) -> None:
        """`GET host/path` of the language's own library, or a path that holds for all methods."""
        path = self._text(arguments[0]) if len(arguments) > 1 else None
        found = _PATTERN.fullmatch(path) if path else None
        if found is None:
            return
        stripped = inside(arguments[1], "arguments")
        if len(stripped) == 2 and (other := self._router(stripped[1])):
            prefix = router.prefix + (self._text(stripped[0]) or found[3].rstrip("/"))
            self._mounts[Mount(router.owner, other.owner, prefix, line_of(node))] = None
            return
        methods = (found[1],) if found[1] else tuple(self._chained(node))
        self._add(node, router, methods or ("ANY",), found[3], arguments[1:])

    def _chained(self, node: Node) -> Iterator[str]:
        """The methods of `router.HandleFunc(…).Methods("GET")`."""
        for selector, call in calls_on(node):
            if self._source.part(selector, "field") == "Methods":
                yield from self._verbs(inside(call, "arguments"))

    def _verbs(self, nodes: list[Node]) -> tuple[str, ...]:
        found: list[str] = []
        for node in nodes:
            told = literal(self._source, node)
            text = self._source.text(node)
            if told is not None:
                found.append(told.upper())
            elif ".Method" in text and node.type == "selector_expression":
                found.append(text.rpartition(".Method")[2].upper())
            elif node.type == "composite_literal":
                found += re.findall(r"\"([A-Z]+)\"", text)
                found += [each.upper() for each in re.findall(r"\.Method([A-Z]\w+)", text)]
        return tuple(each for each in found if each in VERBS)

    def _route(
        self, node: Node, router: Router, methods: tuple[str, ...], arguments: list[Node]
    ) -> None:
        path = self._text(arguments[0]) if len(arguments) > 1 else None
        if path is not None:
            self._add(node, router, methods, path, arguments[1:])

    def _unwrapped(self, node: Node) -> tuple[Node, str]:
        """The handler within `auth.Require(http.HandlerFunc(show))`, and what guards it."""
        guard = ""
        for _ in range(_DEPTH_MAX):
            given = inside(node, "arguments")
            wrapper = self._source.part(node, "function")
            own = self._guard([node]) if given else ""
            if not given or not (own or wrapper.rpartition(".")[2] == "HandlerFunc"):
                break
            node, guard = given[-1], guard or own
        return node, guard

    def _add(
        self, node: Node, router: Router, methods: tuple[str, ...], path: str, rest: list[Node]
    ) -> None:
        is_echo = router.web.name == "echo"
        last = rest[0] if is_echo else rest[-1]
        guard = self._guard(rest[1:] if is_echo else rest[:-1])
        last, around = self._unwrapped(last)
        guard = guard or around or router.guard
        callee = last.child_by_field_name("function") or last
        handler = "" if last.type == "func_literal" else one_line(self._source.text(callee), 80)
        path, line, owner = path_below(router.prefix, path), line_of(node), router.owner
        self._facts += [
            Route(method, path, line, handler, owner, guard, router.web.name) for method in methods
        ]
