"""HTTP routes of Vapor: what is put on routers that functions are given, below their groups."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import Source, line_of, literal, one_line
from stationmaster.reading.code.model import Mount, Route

_VERBS = {each.lower(): each for each in ("GET", "POST", "PUT", "PATCH", "DELETE")}
_ROUTERS = re.compile(r"(?:(?:any|some)\s+)?(?:Vapor\.)?(?:Application|RoutesBuilder|Routes)")
_GUARD = re.compile(r"(?i)auth|guard|ensure|protect|session|token|jwt")
_DEPTH_MAX = 12


class Router(NamedTuple):
    """A router in a function: the function's name, the path above it, the guard of its group."""

    owner: str
    prefix: str = ""
    guard: str = ""


def read(source: Source, scopes: Scopes) -> list[Route | Mount]:
    """Of a file that imports Vapor."""
    reader = _Reader(source, scopes)
    matches = source.matches("routes")
    for found in sorted(matches, key=lambda each: next(iter(each.values()))[0].start_byte):
        if "parameter" in found:
            reader.parameter(found["parameter"][0])
        elif "bind" in found:
            reader.bind(found["bind"][0], found["left"][0], found["right"][0])
        elif "call" in found:
            reader.call(found["call"][0])
    return [*reader.routes, *dict.fromkeys(reader.mounts)]


class _Reader:
    def __init__(self, source: Source, scopes: Scopes) -> None:
        self._source = source
        self._scopes = scopes
        self._known: dict[str, list[tuple[int, int, Router]]] = {}
        self.routes: list[Route] = []
        self.mounts: list[Mount] = []

    def parameter(self, node: Node) -> None:
        """Keep the router that a function takes as a parameter, if its type is one of Vapor's."""
        name, type_ = [*node.children_by_field_name("name"), None, None][:2]
        function = node.parent
        if type_ is None or function is None:
            return
        if _ROUTERS.fullmatch(self._source.text(node).rpartition(":")[2].strip()):
            router = Router(self._scopes.at(node.start_byte))
            self._keep(name, function.start_byte, function.end_byte, router)

    def _keep(self, name: Node | None, start: int, end: int, router: Router) -> None:
        self._known.setdefault(self._source.text(name), []).append((start, end, router))

    def bind(self, node: Node, left: Node, right: Node) -> None:
        """Keep the variable that a router or a group is assigned to, until its block ends."""
        router = self._router(right)
        if router is not None and node.parent is not None:
            self._keep(left, node.end_byte, node.parent.end_byte, router)

    def _router(self, node: Node, depth: int = 0) -> Router | None:
        """The router that an expression is, with the groups that it makes."""
        if node.type == "simple_identifier":
            fitting = [
                each
                for each in self._known.get(self._source.text(node), ())
                if each[0] <= node.start_byte < each[1]
            ]
            return max(fitting, key=lambda each: each[0])[2] if fitting else None
        on, method, arguments, _ = self._parts(node)
        if on is None or depth > _DEPTH_MAX:
            return None
        router = self._router(on, depth + 1)
        if router is None or method != "grouped":
            return None
        return self._below(router, [value for _, value in arguments])

    def _below(self, router: Router, values: list[Node]) -> Router:
        path = self._path(values)
        guard = next(
            (
                one_line(self._source.text(value), 80)
                for value in values
                if literal(self._source, value) is None and _GUARD.search(self._source.text(value))
            ),
            router.guard,
        )
        return Router(router.owner, router.prefix + path, guard)

    def _path(self, values: list[Node]) -> str:
        """`/a/:b` of texts, `:b` and `.parameter("b")`."""
        steps = []
        for value in values:
            told = literal(self._source, value)
            if told is None and ".parameter(" in (text := self._source.text(value)):
                told = ":" + text.partition('"')[2].partition('"')[0]
            if told:
                steps.append(told.strip("/"))
        return "".join(f"/{step}" for step in steps)

    def _parts(self, node: Node) -> tuple[Node | None, str, list[tuple[str, Node]], Node | None]:
        """What a call is on, its method, its arguments with their labels, the closure behind it."""
        callee = node.children[0] if node.type == "call_expression" else None
        if callee is None or callee.type != "navigation_expression":
            return None, "", [], None
        method = self._source.part(callee, "suffix").lstrip(".")
        arguments: list[tuple[str, Node]] = []
        closure: Node | None = None
        for suffix in node.children[1:]:
            for part in suffix.named_children:
                if part.type == "lambda_literal":
                    closure = part
                elif part.type == "value_arguments":
                    for named_child in part.named_children:
                        value = named_child.child_by_field_name("value")
                        label = self._source.part(named_child, "name")
                        if value is not None:
                            arguments.append((label, value))
        return callee.child_by_field_name("target"), method, arguments, closure

    def call(self, node: Node) -> None:
        """Add the route, the group or the mount that a call makes, if it makes one."""
        on, method, arguments, closure = self._parts(node)
        router = self._router(on) if on is not None else None
        if router is None:
            self._handed_on(node)
            return
        plain = [value for label, value in arguments if not label]
        used = next((value for label, value in arguments if label == "use"), None)
        if method == "on" and plain:
            verb = self._source.text(plain[0]).lstrip(".").upper()
            if verb in _VERBS.values() and (used or closure):
                self._add(node, router, verb, plain[1:], used)
        elif method in _VERBS and (used is not None or closure is not None):
            self._add(node, router, _VERBS[method], plain, used)
        elif method == "group" and closure is not None:
            name = self._first_parameter(closure)
            if name is not None:
                self._keep(name, closure.start_byte, closure.end_byte, self._below(router, plain))
        elif method == "register" and arguments:
            told = self._source.text(arguments[-1][1]).partition("(")[0]
            if told.isidentifier():
                self.mounts.append(
                    Mount(router.owner, f"{told}.boot", router.prefix, line_of(node))
                )

    def _first_parameter(self, closure: Node) -> Node | None:
        waiting = [closure.child_by_field_name("type")]
        while waiting:
            node = waiting.pop()
            if node is not None and node.type == "lambda_parameter":
                return node.child_by_field_name("name")
            waiting += reversed(node.named_children) if node is not None else []
        return None

    def _add(
        self, node: Node, router: Router, verb: str, values: list[Node], used: Node | None
    ) -> None:
        handler = one_line(self._source.text(used), 80) if used is not None else ""
        self.routes.append(
            Route(
                verb,
                router.prefix + self._path(values) or "/",
                line_of(node),
                handler.removeprefix("self."),
                router.owner,
                router.guard,
                "vapor",
            )
        )

    def _handed_on(self, node: Node) -> None:
        """A router is given to a function."""
        callee = node.children[0]
        told = self._source.text(callee) if callee.type == "simple_identifier" else ""
        for suffix in node.children[1:] if told else ():
            for part in suffix.named_children:
                for named_child in part.named_children:
                    value = named_child.child_by_field_name("value")
                    router = self._router(value) if value is not None else None
                    if router is not None and router.owner != told:
                        self.mounts.append(Mount(router.owner, told, router.prefix, line_of(node)))
