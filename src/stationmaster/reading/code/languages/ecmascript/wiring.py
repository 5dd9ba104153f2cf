"""Routes on what other files made: an application that a property holds, or an import brings."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript import nest, passed, texts, trpc
from stationmaster.reading.code.languages.ecmascript.module import GIVING, OURS, Module
from stationmaster.reading.code.languages.ecmascript.routes import (
    MAKERS,
    METHODS,
    mounts_of,
    routes_of,
)
from stationmaster.reading.code.languages.source import child, line_of, outward
from stationmaster.reading.code.model import GIVEN, Made, Maker, Mount, Route, Wiring

_PUTTING = frozenset({*METHODS, "use", "addHook"})
_HELD = frozenset({"identifier", "member_expression"})


def read(module: Module) -> Iterator[Wiring | Route]:
    """What holds routers here, the routes on what may hold those of other files, and those of hapi
    on a server that a function is given."""
    made = {each.name: each for each in (*_taken(module), *_routers(module))}
    makers = {each.name.rpartition(".")[2]: each.framework for each in _routers(module)}
    routes: list[Route] = []
    mounts: list[Mount] = []
    uses: list[passed.Use] = []
    for called in module.calls:
        holder = called.of
        if holder is not None and called.name == "route" and is_parameter(module, holder):
            first = module.given(called.node).get(0)
            first = first.named_children[0] if first and first.type == "array" else first
            if {"method", "path"} <= module.members(first).keys():
                made_here = routes_of(module, called, holder, "route", "hapi")
                yield from (replace(route, owner="") for route in made_here)
        if holder is None or called.name not in _PUTTING:
            continue
        name = _unsure(module, holder, made)
        if not name and is_parameter(module, holder):
            name = module.text(holder)
            made.setdefault(name, Made(name, GIVEN, called.line, {}))
        if not name:
            continue
        routes += (
            replace(route, owner=name)
            for route in routes_of(module, called, holder, called.name, "")
        )
        mounts += (
            replace(mount, owner=name)
            for mount in mounts_of(module, called, holder, called.name, "")
        )
        uses += passed.use(module, called, called.name, name)
        if "." in name:
            made.setdefault(name, Made(name, name, called.line, {}))
    named = {route.owner for route in routes} | {mount.owner for mount in mounts}
    yield Wiring(
        tuple(passed.behind(route, uses) for route in routes),
        tuple(each for each in made.values() if each.framework or each.name in named),
        tuple(Maker(name, framework, (), "") for name, framework in makers.items()),
        tuple(texts.exported(module)),
        tuple(passed.behind(mount, uses) for mount in mounts),
        around=tuple(nest.around(module)),
        middleware=(*nest.composed(module), *trpc.refusing(module)),
    )


def is_parameter(module: Module, name: Node) -> bool:
    """Is a name what a function around it is given?"""
    return name.type == "identifier" and any(
        around.type in GIVING and module.text(name) in module.parameters(around)
        for around, _ in outward(name)
    )


def _unsure(module: Module, holder: Node, made: dict[str, Made]) -> str:
    """The name of what may be a router, but is not made here; '' for anything else."""
    if holder.type not in _HELD or module.made(holder) is not None:
        return ""
    name, origin = module.text(holder).removeprefix("this."), module.origin(holder)
    is_taken = name in made and not made[name].framework
    is_ours = origin.startswith(OURS) if origin else holder.type == "member_expression"
    return name if is_taken or is_ours else ""


def _routers(module: Module) -> Iterator[Made]:
    """The variables and properties that hold what a framework made."""
    for name, held in module.made_by(*MAKERS):
        if held.call is not None:
            place = name.removeprefix("this.")
            yield Made(place, held.maker, line_of(held.call), {}, MAKERS[held.maker])


def _taken(module: Module) -> Iterator[Made]:
    """The variables that are properties of other things: `const app = server.app` and
    `const { app } = server`."""
    for variable, value in module.variables:
        if variable.type == "identifier" and value.type == "member_expression":
            name = module.text(variable)
            yield Made(name, module.line(value, 100), line_of(variable), {})
    for pattern, value in module.pairs_of("taken", "from"):
        for member in pattern.named_children:
            key = child(member, "key") or member
            variable = child(member, "value") or member
            source = module.line(value, 60).partition("(")[0]
            name = module.text(variable)
            yield Made(name, f"{source}.{module.text(key)}", line_of(variable), {})
