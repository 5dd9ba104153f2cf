"""Routes of Java and Kotlin: Spring, JAX-RS, Micronaut, Ktor."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.notes import Note, Noted, joined
from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Mount, Route

_SPRING = ("org.springframework.web.bind.annotation",)
_JAXRS = ("jakarta.ws.rs", "javax.ws.rs")
JAX_RS = "JAX-RS"
APPLICATION = "@ApplicationPath"
"""What all routes of JAX-RS are put on."""
_SERVLET = "ServletContainer"
_SERVLETS = "org.glassfish.jersey.servlet"
_MICRONAUT = ("io.micronaut.http.annotation",)
_FUNCTIONAL = code.ordered("jvm.routes.functional")
_KTOR = ("io.ktor.server.routing", "io.ktor.routing")
_METHODS = code.ordered("shared.routes.methods")
_MAPPINGS = code.methods("{title}Mapping")
_OF_SPRING = dict.fromkeys((*_MAPPINGS, "RequestMapping"), _SPRING)
_OF_JAXRS = dict.fromkeys(_METHODS, _JAXRS)
_OF_MICRONAUT = dict.fromkeys(code.methods("{title}"), _MICRONAUT)
_GUARDS = code.ordered("jvm.routes.guards")
_VERBS = code.methods("{lower}")
_BLOCKS = frozenset({"route", "authenticate", "rateLimit", "routing"})
CALLS = frozenset({*_METHODS, *_VERBS, *_BLOCKS, "webSocket", "addServlet"})


def routes(unit: Unit) -> Iterator[Route]:
    """The routes of annotated methods, Spring's functional routers and Ktor; by line and path."""
    classes = {each.qualified: each for each in unit.noted if each.kind in ("class", "interface")}
    found = [*_spring(unit, classes), *_jaxrs(unit, classes), *_micronaut(unit, classes)]
    if unit.proof.any_of(_FUNCTIONAL):
        found += _functional(unit)
    if unit.proof.any_of(_KTOR):
        found += _ktor(unit)
    yield from sorted(found, key=lambda each: (each.line, each.path, each.method))


def _spring(unit: Unit, classes: dict[str, Noted]) -> Iterator[Route]:
    for each, note, name in unit.marked(_OF_SPRING):
        holder = classes.get(each.holder)
        if each.kind != "method" or (holder is None or "FeignClient" in holder.notes):
            continue
        above = holder.notes.get("RequestMapping")
        if above is None and not {"Controller", "RestController"} & set(holder.notes):
            continue
        prefixes = (above.texts("value", "path", 0) if above else []) or [""]
        methods = [_MAPPINGS[name]] if name in _MAPPINGS else note.words("method") or ["ANY"]
        for prefix in prefixes:
            for path in note.texts("value", "path", 0) or [""]:
                for method in methods:
                    yield _route(method, joined(prefix, path), note, each, holder, "Spring")


def mounts(unit: Unit) -> Iterator[Mount]:
    """The paths of classes and of applications of JAX-RS."""
    if not unit.proof.any_of((*_JAXRS, _SERVLETS)):
        return
    for each, note, name in unit.marked(dict.fromkeys(("ApplicationPath", "Path"), _JAXRS)):
        path = note.text("value", 0)
        if name == "ApplicationPath":
            yield Mount(APPLICATION, each.qualified, joined("", path), note.line)
        elif each.kind in ("class", "interface") and "RegisterRestClient" not in each.notes:
            yield Mount("", each.qualified, joined("", path), note.line)
    for called in unit.called:
        given = unit.arguments(called)
        is_servlet = called.name == "addServlet" and _SERVLET in unit.source.text(given.get(0))
        path = unit.text(called, 1) if is_servlet else ""
        if path.endswith("/*"):
            yield Mount(APPLICATION, _SERVLET, path.removesuffix("/*"), called.line)


def _jaxrs(unit: Unit, classes: dict[str, Noted]) -> Iterator[Route]:
    for each, note, name in unit.marked(_OF_JAXRS):
        if each.kind == "method":
            own = each.notes["Path"].text("value", 0) if "Path" in each.notes else ""
            path = joined("", own) if own else ""
            route = _route(name, path, note, each, classes.get(each.holder), JAX_RS)
            yield msgspec.structs.replace(route, owner=each.holder)


def _micronaut(unit: Unit, classes: dict[str, Noted]) -> Iterator[Route]:
    for each, note, name in unit.marked(_OF_MICRONAUT):
        holder = classes.get(each.holder)
        if each.kind == "method" and holder is not None and "Controller" in holder.notes:
            prefix = holder.notes["Controller"].text("value", 0)
            path = joined(prefix, note.text("value", "uri", 0))
            yield _route(name.upper(), path, note, each, holder, "Micronaut")


def _route(
    method: str, path: str, note: Note, each: Noted, holder: Noted | None, framework: str
) -> Route:
    guarded = {**(holder.notes if holder else {}), **each.notes}
    guard = next((name for name in _GUARDS if name in guarded), "")
    return Route(method, path, note.line, each.qualified, guard=guard, framework=framework)


def _functional(unit: Unit) -> Iterator[Route]:
    """`.GET("/x", handler)`, and `route(GET("/x"), handler)` whose handler is not told."""
    for each in unit.called:
        path = unit.text(each, 0)
        if each.name not in _METHODS or not path:
            continue
        handler = unit.source.text(unit.arguments(each).get(1))
        if each.of or not handler:
            named = handler.rpartition("::")[2] if "::" in handler else ""
            at = each.caller.rpartition(".")[0]
            qualified = f"{at}.{named}" if named and handler.startswith("this::") else named
            yield Route(
                each.name,
                joined("", path),
                each.line,
                qualified or each.caller,
                framework="Spring",
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
        if each.of or not has_block:
            continue
        path = unit.text(each, 0)
        if each.name in _BLOCKS:
            below = f"{prefix}/{path.strip('/')}" if each.name == "route" and path else prefix
            held = "authenticate" if each.name == "authenticate" else guard
            around.append((each.node.end_byte, below, held))
        elif each.name in _VERBS or each.name == "webSocket":
            method, path = _VERBS.get(each.name, "ANY"), joined(prefix, path)
            line = line_of(each.node)
            yield Route(method, path, line, each.caller, guard=guard, framework="Ktor")
