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
_CONFIGURED = re.compile(r"\bServletContainer\(?\s*+(?:(\w++)\s*+\)|new\s++([\w.]++)\()?")
"""A servlet with the variable that has its configuration, or the class of that."""
_ASSIGNED = r"\b%s\s*+=\s*+(new\b[^;]{1,400});"
_SERVLETS = "org.glassfish.jersey.servlet"
_FUNCTIONAL = code.ordered("jvm.routes.functional")
_KTOR = ("io.ktor.server.routing", "io.ktor.routing")
_METHODS = code.ordered("shared.routes.methods")
_VERBS = code.methods("{lower}")
_ANYBODY = re.compile(r"(?i)any(?:body|one)|everyone|guest|public|unauth|open")
"""Roles of unauthenticated users."""
_BLOCKS = frozenset({"route", "authenticate", "rateLimit", "routing"})


class Builder(Row, frozen=True):
    """A framework whose routes are made by calls with a path and then a handler: calls with the
    names of HTTP methods, and `others` by their HTTP method. `groups` take a function that makes
    the routes below a path; the handlers of `chained` are in a call on the route. `has_roles`: the
    allowed roles follow the handler."""

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
CALLS = frozenset(
    {*_METHODS, *_VERBS, *_BLOCKS, *_OF_BUILDERS, "webSocket", "addServlet", "packages"}
)


def routes(unit: Unit) -> Iterator[Route | Wiring]:
    """The routes of annotated methods, Spring's functional routers and Ktor; by line and path."""
    declared = [*annotated.routes(unit, _ANNOTATED), *_jaxrs(unit)]
    yield annotated.composed(unit, _ANNOTATED)
    if unit.proof.any_of(_FUNCTIONAL):
        declared += _functional(unit)
    if unit.proof.any_of(_KTOR):
        declared += _ktor(unit)
    for row in _BUILDERS.values():
        if unit.proof.any_of(row.packages):
            declared += _built(unit, row)
    yield from sorted(declared, key=lambda route: (route.line, route.path, route.method))


def mounts(unit: Unit) -> Iterator[Mount]:
    """The paths of classes and of applications of JAX-RS."""
    if not unit.proof.any_of((*_JAXRS, _SERVLETS)):
        return
    for noted, note, name in unit.marked(dict.fromkeys(("ApplicationPath", "Path"), _JAXRS)):
        path = note.value("value", 0)
        if name == "ApplicationPath":
            yield Mount(APPLICATION, noted.qualified, joined("", path), note.line)
        elif noted.kind in ("class", "interface") and "RegisterRestClient" not in noted.notes:
            yield Mount("", noted.qualified, joined("", path), note.line)
    for called in unit.called:
        path = called.value(1) if called.name == "addServlet" else ""
        servlet = _CONFIGURED.search(_assigned(unit, unit.text(called.given.get(0))))
        if path.endswith("/*") and servlet:
            scanned = [it for it in unit.called if it.name == "packages" and it.on == servlet[1]]
            packages = [unit.value(node) or "" for it in scanned for node in it.given.at]
            child = ", ".join(packages) if packages and all(packages) else servlet[2] or _SERVLET
            yield Mount(APPLICATION, child, path.removesuffix("/*"), called.line)


def _assigned(unit: Unit, words: str) -> str:
    """What a variable is given, where that is stated once; other words as they are."""
    text = unit.data.decode(errors="replace") if words.isidentifier() else ""
    values = re.findall(_ASSIGNED % words, text)
    return values[0] if len(values) == 1 else words


def _jaxrs(unit: Unit) -> Iterator[Route]:
    """Routes of JAX-RS: they are registered on their class, which is mounted."""
    for route in annotated.routes(unit, {JAX_RS: _OF_JAXRS}):
        path = route.path.rstrip("/")
        yield replace(route, path=path, owner=route.handler.rpartition(".")[0])


def _functional(unit: Unit) -> Iterator[Route]:
    """`.GET("/x", handler)`, and `route(GET("/x"), handler)` without its handler."""
    for call in unit.called:
        path = call.value(0)
        if call.name not in _METHODS or not path:
            continue
        handler = unit.text(call.given.get(1))
        if call.on or not handler:
            named = handler.rpartition("::")[2] if "::" in handler else ""
            at = call.caller.rpartition(".")[0]
            qualified = f"{at}.{named}" if named and handler.startswith("this::") else named
            yield Route(
                call.name, joined("", path), call.line, qualified or call.caller, framework="Spring"
            )


def _ktor(unit: Unit) -> Iterator[Route]:
    """Blocks within blocks: `route("/x") { get("/y") { … } }`."""
    around: list[tuple[int, str, str]] = []
    for call in sorted(unit.called, key=lambda call: (call.node.start_byte, -call.node.end_byte)):
        while around and around[-1][0] <= call.node.start_byte:
            around.pop()
        _, prefix, guard = around[-1] if around else (0, "", "")
        has_block = call.node.named_children and call.node.named_children[-1].type in (
            "annotated_lambda",
            "lambda_literal",
        )
        if call.on or not has_block:
            continue
        path = call.value(0)
        if call.name in _BLOCKS:
            below = f"{prefix}/{path.strip('/')}" if call.name == "route" and path else prefix
            is_optional = call.written_at("optional") == "true"
            is_required = call.name == "authenticate" and not is_optional
            own_guard = "authenticate" if is_required else guard
            around.append((call.node.end_byte, below, own_guard))
        elif call.name in _VERBS or call.name == "webSocket":
            method, path = _VERBS.get(call.name, "ANY"), joined(prefix, path)
            line = line_of(call.node)
            yield Route(method, path, line, call.caller, guard=guard, framework="Ktor")


def _built(unit: Unit, row: Builder) -> Iterator[Route]:
    """`app.get("/x", handler)`, also within `path("/y", () -> { … })`, where a path may lack."""
    methods = {**_VERBS, **row.others}
    # Calls on a route begin where the route does; the first of several is the handler's.
    handling = {it.node.start_byte: it for it in reversed(unit.called) if it.name in row.chained}
    around: list[tuple[int, str]] = []
    for call in sorted(unit.called, key=lambda call: (call.node.start_byte, -call.node.end_byte)):
        while around and around[-1][0] <= call.node.start_byte:
            around.pop()
        path, prefix = call.value(0), around[-1][1] if around else ""
        if call.name in row.groups and path:
            around.append((call.node.end_byte, joined(prefix, path)))
        elif call.name in methods and (path.startswith("/") or (around and not call.on)):
            place = 1 if path else 0
            node = call.given.get(place)
            if node is None and (on_route := handling.get(call.node.start_byte)):
                node = on_route.given.get(0)
            handler = referred(unit.text(node), call.caller)
            path = joined(prefix, path)
            roles = ", ".join(map(unit.text, call.given.at[place + 1 :] if row.has_roles else ()))
            guard = "" if _ANYBODY.search(roles) else one_line(roles, 80)
            yield Route(
                methods[call.name], path, call.line, handler, guard=guard, framework=row.name
            )


def referred(words: str, caller: str) -> str:
    """The method that a reference to one names; '' for what is written in place."""
    of, sign, name = words.rpartition("::")
    if not sign:
        return ""
    holder = caller.rpartition(".")[0] if of in ("this", "") else of
    return f"{holder}.{name}" if holder else name
