"""HTTP routes of Vapor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import routers
from stationmaster.reading.code.languages.routers import Member, Router, Web
from stationmaster.reading.code.languages.source import Arguments, one_line
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Fact

_WEBS = code.table("swift.routes.modules", dict[str, Web])


def routes(unit: Unit) -> Iterator[Fact]:
    """The routes and mounts of a file; none where it imports no module that routes requests."""
    webs = [("", web) for name, web in _WEBS.items() if unit.proof.any_of((name,))]
    if webs:
        yield from _Reader(unit, webs).read(unit.nodes["call"])


class _Reader(routers.Reader):
    def path(self, nodes: Sequence[Node]) -> str:
        """`/a/:b` of texts, `:b` and `.parameter("b")`."""
        steps = []
        for node in nodes:
            step = self.unit.literal(node)
            if node.type == "lambda_literal":
                continue
            if step is None and ".parameter(" in (text := self.unit.text(node)):
                step = ":" + text.partition('"')[2].partition('"')[0]
            if step:
                steps.append(step.strip("/"))
        return "".join(f"/{step}" for step in steps)

    def on_router(self, node: Node, call: Member, router: Router) -> None:
        """Add what is registered, too: a collection of routes."""
        if call.name == "register" and (arguments := call.given.all()):
            name = self.unit.text(arguments[-1]).partition("(")[0]
            self.mount(node, router, f"{name}.boot" if name.isidentifier() else "")
        else:
            super().on_router(node, call, router)

    def route(
        self, node: Node, router: Router, methods: tuple[str, ...], arguments: Arguments
    ) -> None:
        """Add `get("a", use: f)` and `get("a") { … }`."""
        used = arguments.get("use")
        if used or (arguments.at and arguments.at[-1].type == "lambda_literal"):
            handler = one_line(self.unit.text(used), 80).removeprefix("self.")
            path = self.path(arguments.at) or ("" if router.prefix else "/")
            self.add(node, router, methods, path, handler)
