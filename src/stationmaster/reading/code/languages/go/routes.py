"""HTTP routes of Go: what is put on routers that imports prove to be some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import routers
from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.routers import Member, Router, Web, member
from stationmaster.reading.code.languages.source import (
    Arguments,
    above,
    calls_on,
    inside,
    literal,
    one_line,
)
from stationmaster.reading.code.model import Fact

_WEBS = code.table("go.routes.packages", dict[str, Web])
_PATTERN = re.compile(r"(?:([A-Z]{3,10})[ \t]+)?([\w.-]*)(/\S*)")
_NAMES = frozenset({"identifier", "selector_expression"})
_DEPTH_MAX = 12


def read(file: File) -> Iterator[Fact]:
    """The routes, mounts and servers of a file; none where it imports nothing which routes."""
    webs = {name: _WEBS[path] for name, path in file.packages.items() if path in _WEBS}
    if webs:
        yield from _Reader(file, webs).read(call.node for call in file.called)


class _Reader(routers.Reader):
    guards = re.compile(r"(?i)(?:auth|require|must|permission|login|admin|jwt|protect)[^.]*$")

    def __init__(self, file: File, webs: Mapping[str, Web]) -> None:
        super().__init__(file.source, file.scopes, webs.items())
        self._webs = webs
        self._constants = constants(file.source)
        self._made_by: dict[str, str] = {}
        self._fields: dict[str, Web] = {}
        self._returned: set[tuple[str, str]] = set()
        for found in self.matches:
            if "field" in found and (web := self.typed(found["type"][0])):
                self._fields[self.source.text(found["name"][0])] = web
            elif "return" in found:
                for name in found["name"]:
                    scope = self.scopes.at(name.start_byte)
                    self._returned.add((scope, self.source.text(name)))

    def bind(self, node: Node, left: Node, right: Node) -> None:
        """Keep what made the object that a variable is assigned, too."""
        self._made_by[self.source.text(left)] = self.source.part(right, "function")
        super().bind(node, left, right)

    def named(self, node: Node) -> Router | None:
        """The router that a name stands for, or a field of that name by its type."""
        name = self.source.text(node) if node.type == "selector_expression" else ""
        web = self._fields.get(name.rpartition(".")[2])
        return super().named(node) or (Router(web, name) if web else None)

    def owner(self, node: Node, name: str) -> str:
        """The function, where it returns the router; else the name that it is assigned to."""
        scope = self.scopes.at(node.start_byte)
        return scope if (scope, name) in self._returned else name

    def path(self, nodes: Sequence[Node]) -> str | None:
        """A text, or what constants of the file make together."""
        node = nodes[0] if nodes else None
        if node is not None and node.type == "identifier":
            return self._constants.get(self.source.text(node))
        if node is not None and node.type == "binary_expression":
            parts = [
                literal(self.source, side) or self._constants.get(self.source.text(side))
                for side in node.named_children
            ]
            return None if None in parts else "".join(part or "" for part in parts)
        return literal(self.source, node)

    def call(self, node: Node) -> None:
        """Add what functions of the language's own library do, too."""
        call = member(self.source, node)
        web = self._webs.get(self.source.text(call.on)) if call is not None else None
        if call is not None and web is not None and web.name == "net/http":
            self.on_router(node, call, Router(web, ""))
        super().call(node)

    def on_router(self, node: Node, call: Member, router: Router) -> None:
        """Add what is mounted, and handlers of a pattern or of all methods, too."""
        nodes = call.given.at
        if call.name in ("Handle", "HandleFunc") and call.name not in router.web.asked:
            self._pattern(node, router, nodes)
        elif call.name in ("Handler", "HandlerFunc") and len(nodes) == 1 and router.prefix:
            self._add(node, router, tuple(self._chained(node)) or ("ANY",), "", nodes)
        elif call.name == "Mount" and len(nodes) == 2:
            other = self.router(nodes[1])
            callee = nodes[1].child_by_field_name("function") or nodes[1]
            child = other.owner if other else one_line(self.source.text(callee), 80)
            self.mount(node, self.below(router, call), child)
        elif call.name == "Use":
            known = self.held[self.source.text(call.on)]
            guarded = router._replace(guard=self.guard(call) or router.guard)
            known[:] = [
                each._replace(router=guarded) if each.router == router else each for each in known
            ]
        else:
            super().on_router(node, call, router)

    def function(self, node: Node) -> str:
        """A function's name; a method's with the type around the call, or what made its object."""
        callee = node.child_by_field_name("function")
        if callee is None or callee.type not in _NAMES:
            return ""
        name = one_line(self.source.text(callee), 80)
        first, _, rest = name.partition(".")
        holder = self.scopes.at(node.start_byte).rpartition(".")[0]
        if first not in self._webs and holder and rest and "." not in rest:
            receiver = self.source.part(above(node, "method_declaration"), "receiver")
            if receiver.lstrip("( ").startswith(f"{first} "):
                return f"{holder}.{rest}"
        if rest and (maker := self._made_by.get(first)):
            name, first = f"{maker}.{rest}", maker.partition(".")[0]
        return "" if first in (*self._webs, "httptest") else name

    def _pattern(self, node: Node, router: Router, nodes: Sequence[Node]) -> None:
        """`GET host/path` of the language's own library, or a path that holds for all methods."""
        path = self.path(nodes) if len(nodes) > 1 else None
        found = _PATTERN.fullmatch(path) if path else None
        if found is None:
            return
        stripped = inside(nodes[1], "arguments")
        if len(stripped) == 2 and (other := self.router(stripped[1])):
            prefix = router.prefix + (self.path(stripped) or found[3].rstrip("/"))
            self.mount(node, router._replace(prefix=prefix), other.owner)
            return
        methods = (found[1],) if found[1] else tuple(self._chained(node))
        self._add(node, router, methods or ("ANY",), found[3], nodes[1:])

    def _chained(self, node: Node) -> Iterator[str]:
        """The methods of `router.HandleFunc(…).Methods("GET")`."""
        for selector, call in calls_on(node):
            if self.source.part(selector, "field") == "Methods":
                yield from self.verbs(inside(call, "arguments"))

    def route(self, node: Node, router: Router, methods: tuple[str, ...], given: Arguments) -> None:
        """Add the routes of a path that is known."""
        path = self.path(given.at) if len(given.at) > 1 else None
        if path is not None:
            self._add(node, router, methods, path, given.at[1:])

    def _unwrapped(self, node: Node) -> tuple[Node, str]:
        """The handler within `auth.Require(http.HandlerFunc(show))`, and what guards it."""
        guard = ""
        for _ in range(_DEPTH_MAX):
            given = inside(node, "arguments")
            wrapper = self.source.part(node, "function")
            own = self.guarding([node]) if given else ""
            if not given or not (own or wrapper.rpartition(".")[2] == "HandlerFunc"):
                break
            node, guard = given[-1], guard or own
        return node, guard

    def _add(
        self,
        node: Node,
        router: Router,
        methods: Iterable[str],
        path: str,
        handlers: Sequence[Node],
    ) -> None:
        is_first = router.web.name == "echo"
        guard = self.guarding(handlers[1:] if is_first else handlers[:-1])
        last, around = self._unwrapped(handlers[0 if is_first else -1])
        callee = last.child_by_field_name("function") or last
        handler = "" if last.type == "func_literal" else one_line(self.source.text(callee), 80)
        router = router._replace(guard=guard or around or router.guard)
        self.add(node, router, methods, path, handler)
