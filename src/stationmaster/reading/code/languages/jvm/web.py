"""Routes of Java and Kotlin: Spring, JAX-RS, Micronaut, Ktor, and builders of routers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotated import Framework
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Mount, Route, Wiring

_ANNOTATED = code.table("jvm.routes.annotated", dict[str, Framework])
_OF_JAXRS = code.table("jvm.routes.jax_rs", Framework)
_JAXRS = ("jakarta.ws.rs", "javax.ws.rs")
JAX_RS = "JAX-RS"
APPLICATION = "@ApplicationPath"
"""What all routes of JAX-RS are put on."""
_SERVLET = "ServletContainer"
_SERVLETS = "org.glassfish.jersey.servlet"
_FUNCTIONAL = code.ordered("jvm.routes.functional")
_KTOR = ("io.ktor.server.routing", "io.ktor.routing")
_METHODS = code.ordered("shared.routes.methods")
_VERBS = code.methods("{lower}")
_ANYBODY = re.compile(r"(?i)any(?:body|one)|everyone|guest|public|unauth|open")
"""Roles of who has not said who it is."""
_BLOCKS = frozenset({"route", "authenticate", "rateLimit", "routing"})


class Builder(Row, frozen=True):
    """A framework whose routes are made by calls with a path first and a handler behind it: methods
    called as those of HTTP are, and `others` by the method that each stands for. `groups` are given
    a function that makes the routes below a path; the handlers of `chained` stand in a call on the
    route. `has_roles`: who may ask stands behind the handler."""

    name: str
    packages: tuple[str, ...]
    others: Mapping[str, str] = {}
    groups: frozenset[str] = frozenset()
    chained: frozenset[str] = frozenset()
    has_roles: bool = False


_BUILDERS = code.table("jvm.routes.builders", dict[str, Builder])
_OF_BUILDERS = {
    name for row in _BUILDERS.values() for name in (*row.others, *row.groups, *row.chained)
}
CALLS = frozenset({*_METHODS, *_VERBS, *_BLOCKS, *_OF_BUILDERS, "webSocket", "addServlet"})


def routes(unit: Unit) -> Iterator[Route | Wiring]:
    """The routes of annotated methods, Spring's functional routers and Ktor; by line and path."""
    found = [*annotated.routes(unit, _ANNOTATED), *_jaxrs(unit)]
    yield annotated.composed(unit, _ANNOTATED)
    if unit.proof.any_of(_FUNCTIONAL):
        found += _functional(unit)
    if unit.proof.any_of(_KTOR):
        found += _ktor(unit)
    for row in _BUILDERS.values():
        if unit.proof.any_of(row.packages):
            found += _built(unit, row)
    yield from sorted(found, key=lambda each: (each.line, each.path, each.method))


def mounts(unit: Unit) -> Iterator[Mount]:
    """The paths of classes and of applications of JAX-RS."""
    if not unit.proof.any_of((*_JAXRS, _SERVLETS)):
        return
    for each, note, name in unit.marked(dict.fromkeys(("ApplicationPath", "Path"), _JAXRS)):
        path = note.value("value", 0)
        if name == "ApplicationPath":
            yield Mount(APPLICATION, each.qualified, joined("", path), note.line)
        elif each.kind in ("class", "interface") and "RegisterRestClient" not in each.notes:
            yield Mount("", each.qualified, joined("", path), note.line)
    for called in unit.called:
        given = called.given
        is_servlet = called.name == "addServlet" and _SERVLET in unit.text(given.get(0))
        path = called.value(1) if is_servlet else ""
        if path.endswith("/*"):
            yield Mount(APPLICATION, _SERVLET, path.removesuffix("/*"), called.line)


def _jaxrs(unit: Unit) -> Iterator[Route]:
    """Routes that are put on their class, which is mounted."""
    for route in annotated.routes(unit, {JAX_RS: _OF_JAXRS}):
        path = route.path.rstrip("/")
        yield replace(route, path=path, owner=route.handler.rpartition(".")[0])


def _functional(unit: Unit) -> Iterator[Route]:
    """`.GET("/x", handler)`, and `route(GET("/x"), handler)` whose handler is not told."""
    for each in unit.called:
        path = each.value(0)
        if each.name not in _METHODS or not path:
            continue
        handler = unit.text(each.given.get(1))
        if each.on or not handler:
            named = handler.rpartition("::")[2] if "::" in handler else ""
            at = each.caller.rpartition(".")[0]
            qualified = f"{at}.{named}" if named and handler.startswith("this::") else named
            yield Route(
                each.name, joined("", path), each.line, qualified or each.caller, framework="Spring"
            )


def _ktor(unit: Unit) -> Iterator[Route]:
    """Blocks within blocks: `route("/x") { get("/y") { … } }`."""
    around: list[tuple[int, str, str]] = []
    for each in sorted(unit.called, key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        while around and around[-1][0] <= each.node.start_byte:
            around.pop()
        _, prefix, guard = around[-1] if around else (0, "", "")
        has_block = each.node.named_children and each.node.named_children[-1].type in (
            "annotated_lambda",
            "lambda_literal",
        )
        if each.on or not has_block:
            continue
        path = each.value(0)
        if each.name in _BLOCKS:
            below = f"{prefix}/{path.strip('/')}" if each.name == "route" and path else prefix
            is_optional = each.written_at("optional") == "true"
            is_asked = each.name == "authenticate" and not is_optional
            held = "authenticate" if is_asked else guard
            around.append((each.node.end_byte, below, held))
        elif each.name in _VERBS or each.name == "webSocket":
            method, path = _VERBS.get(each.name, "ANY"), joined(prefix, path)
            line = line_of(each.node)
            yield Route(method, path, line, each.caller, guard=guard, framework="Ktor")


def _built(unit: Unit, row: Builder) -> Iterator[Route]:
    """`app.get("/x", handler)`, also within `path("/y", () -> { … })`, where a path may lack."""
    methods = {**_VERBS, **row.others}
    # Calls on a route begin where the route does; the first of several is the handler's.
    handling = {it.node.start_byte: it for it in reversed(unit.called) if it.name in row.chained}
    around: list[tuple[int, str]] = []
    for each in sorted(unit.called, key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        while around and around[-1][0] <= each.node.start_byte:
            around.pop()
        path, prefix = each.value(0), around[-1][1] if around else ""
        if each.name in row.groups and path:
            around.append((each.node.end_byte, joined(prefix, path)))
        elif each.name in methods and (path.startswith("/") or (around and not each.on)):
            place = 1 if path else 0
            node = each.given.get(place)
            if node is None and (on_route := handling.get(each.node.start_byte)):
                node = on_route.given.get(0)
            handler = _handler(unit.text(node), each.caller)
            path = joined(prefix, path)
            roles = ", ".join(map(unit.text, each.given.at[place + 1 :] if row.has_roles else ()))
            guard = "" if _ANYBODY.search(roles) else one_line(roles, 80)
            yield Route(
                methods[each.name], path, each.line, handler, guard=guard, framework=row.name
            )


def _handler(words: str, caller: str) -> str:
    """The method that a reference to one names; '' for what is written in place."""
    of, sign, name = words.rpartition("::")
    if not sign:
        return ""
    holder = caller.rpartition(".")[0] if of in ("this", "") else of
    return f"{holder}.{name}" if holder else name
