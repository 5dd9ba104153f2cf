"""Routers of Go whose type no import tells, such as those that a project makes itself, and those of
Huma, which functions are given with what is put on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.kept import fields
from stationmaster.reading.code.languages.routers import (
    METHODS,
    Member,
    Reader,
    Router,
    Web,
    member,
)
from stationmaster.reading.code.languages.source import (
    Arguments,
    above,
    calls_on,
    child,
    given_to,
    inside,
    outward,
    path_below,
    within,
)
from stationmaster.reading.code.model import Import

ANY = code.table("go.routes.any", Web)
ELSEWHERE = code.table("go.routes.elsewhere", Web)
"""Of fields whose type another file declares: what is put on one is a route if that is a router."""
PATTERN = re.compile(r"(?:([A-Z]{3,10})[ \t]+)?([\w.-]*)((?:/|\{[$=])\S*)")
NAMES = frozenset({"identifier", "selector_expression"})
GUARDED_BY = code.table("go.routes.guarded_by", frozenset[str])
_HUMA = "github.com/danielgtaylor/huma"
_ADAPTERS = f"{_HUMA}/v2/adapters/"
_API = code.table("go.routes.packages", dict[str, Web])[_HUMA]
_HANDLERS = NAMES | {"call_expression", "func_literal"}


def is_group(name: str) -> bool:
    """Does a method of a project's own router make a group: `Group`, `SubGroup`?"""
    return name.endswith(tuple(ANY.groups))


def chain(call: Node | None) -> Iterator[Node]:
    """A call, and those on whose values it is called."""
    while call is not None and call.type == "call_expression":
        yield call
        call = child(child(call, "function"), "operand")


def is_route(reader: Reader, call: Member) -> bool:
    """Is a method of HTTP given a path and a handler, and nothing made of what it returns but
    something put before the handler, as of the answer to a request?"""
    given = call.given.at
    if len(given) < 2 or given[-1].type not in _HANDLERS:
        return False
    if call.name in ANY.asked and len(given) > 2 and reader.verbs(given[:1]):
        text = reader.path(given[1:2])  # `r.MethodFunc("GET", "/", show)`.
        return text is not None and (not text or text.startswith(("/", "{$")))
    if call.name in ("Handle", "HandleFunc"):
        pattern = PATTERN.fullmatch(reader.path(given) or "")
        return len(given) == 2 and pattern is not None and pattern[1] in METHODS
    if call.name not in ANY.methods:
        return False
    path, calls = reader.path(given), (*calls_on(call.call),)
    is_sure = (path or "")[:1] == "/" and _serves(reader, given[-1])
    if not call.name.isupper() and not is_sure:
        return False
    around = {reader.unit.part(selector, "field") for selector, _ in calls}
    last = calls[-1][1] if calls else call.call
    is_last = last.parent is not None and last.parent.type == "expression_statement"
    is_alone = is_last and around <= GUARDED_BY | ANY.passing
    return is_alone and path is not None and (not path or path.startswith(("/", "{$")))


def _serves(reader: Reader, node: Node) -> bool:
    """Is a function written here certainly a handler, by what it is given to answer with?"""
    if node.type == "call_expression":
        return reader.unit.part(node, "function") == "http.HandlerFunc"
    name = reader.unit.text(node).rpartition(".")[2]
    functions = [node] if node.type == "func_literal" else reader.unit.root.named_children
    return any(
        "http.ResponseWriter" in reader.unit.part(function, "parameters")
        for function in functions
        if function is node or reader.unit.part(function, "name") == name
    )


def served(reader: Reader) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """The methods that routers are asked for in cases of a `switch` over the method of a request,
    by function and name; what answers GET answers HEAD and OPTIONS alike."""
    for call in reader.unit.called:
        case = above(call.node, "expression_case") if call.name == "ServeHTTP" else None
        switch = case.parent if case is not None else None
        if switch is not None and reader.unit.part(switch, "value").endswith(".Method"):
            methods = reader.verbs(inside(case, "value"))
            own = tuple(it for it in methods if it not in ("HEAD", "OPTIONS"))
            yield (reader.scopes.at(switch.start_byte), call.on), own or methods


def is_given(reader: Reader, node: Node, start: int) -> bool:
    """Is a name what a function written around it is given, if that begins behind a place?"""
    name = reader.unit.text(node)
    return any(
        name == reader.unit.text(own)
        for around, _ in outward(node)
        if around.type == "func_literal" and around.start_byte > start
        for row in inside(around, "parameters")
        for own in row.children_by_field_name("name")
    )


def is_adapter(imports: tuple[Import, ...], words: str) -> bool:
    """Does a file with these imports call so what makes a router of Huma of one of a framework?"""
    return bound(imports).get(words.partition(".")[0], "").startswith(_ADAPTERS)


def api(reader: Reader, node: Node) -> Router | None:
    """The router of Huma that a call makes on one of a framework, or below another of Huma."""
    call = member(reader.unit, node)
    package = reader.packages.get(reader.unit.text(call.on), "") if call else ""
    is_group = call is not None and package == _HUMA and call.name == "NewGroup"
    if call is None or not (is_group or package.startswith(_ADAPTERS)):
        return None
    given = [(it, reader.router(it)) for it in call.given.at]
    base = next((router for _, router in reversed(given) if router), None)
    base = base or Router(_API, reader.scopes.at(node.start_byte))
    texts = (reader.path([it]) for it, router in given if router is None)
    paths = [path for path in texts if path and path[0] in "/{"]
    prefix = "{$…}" if len(paths) > 1 else "".join(paths)
    return base._replace(web=_API, prefix=path_below(base.prefix, prefix))


def operation(reader: Reader, node: Node) -> tuple[Router, tuple[str, ...], Arguments] | None:
    """What a call puts on a router of Huma: the methods, and the path with the handler."""
    given = given_to(node)
    router = (
        reader.router(given[0]) if len(given) > 2 and _HUMA in reader.packages.values() else None
    )
    if router is None or router.web.name != _API.name:
        return None
    on, _, name = reader.unit.part(node, "function").rpartition(".")
    if reader.packages.get(on) == _HUMA and name.upper() in METHODS:
        return router, (name.upper(),), Arguments((given[1], given[-1]))
    literal = next((it for it in within(given[1]) if it.type == "composite_literal"), None)
    described = fields(reader.unit, literal) if literal is not None else {}
    methods = reader.verbs([described["Method"]]) if "Method" in described else ()
    if not methods or "Path" not in described:
        return None
    asked = (child(given[1], "function"), described.get("Security"))
    guards = [reader.unit.text(it) for it in asked if it is not None and it.type in NAMES]
    return router.behind(guards), methods, Arguments((described["Path"], given[-1]))
