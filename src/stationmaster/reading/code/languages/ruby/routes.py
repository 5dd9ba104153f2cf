"""Rails' routes file: blocks within blocks, and what resources stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import plural, singular
from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.notes import joined
from stationmaster.reading.code.languages.ruby import web
from stationmaster.reading.code.languages.ruby.values import Given, given, has_block, word, words
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Import, Mount, Route

_VERBS = code.words("ruby.routes.methods")
_MANY = code.table("ruby.routes.many", dict[str, tuple[str, str]])
_ONE = code.table("ruby.routes.one", dict[str, tuple[str, str]])
_BLOCKS = code.names("ruby.routes.blocks")
CALLS = _BLOCKS | {*_VERBS, "match", "root", "mount", "resources", "resource"}


class _Frame(NamedTuple):
    """What the blocks around a line make of it. `own` is the path of the collection of the nearest
    resources, `one` that of one of them; `is_dead`: what is here is used elsewhere."""

    end: int
    path: str = ""
    module: str = ""
    controller: str = ""
    own: str = ""
    one: str = ""
    guard: str = ""
    is_dead: bool = False


def wired(unit: Unit) -> list[Route | Mount | Import]:
    """The routes of a file, those of Sinatra and Grape included, and the mounted applications; as
    references the controllers that Rails finds by what a route is sent to."""
    drawn, mounted = _drawn(unit)
    routes = [*drawn, *web.routes(unit)]
    controllers: dict[str, Import] = {}
    for route in sorted(drawn, key=lambda route: route.line):
        name = route.handler.rpartition(".")[0].replace(".", "::")
        if name:
            controllers.setdefault(name, Import(name, route.line, "reference", bound=(name,)))
    ordered = sorted(routes, key=lambda each: (each.line, each.path, each.method))
    return [*ordered, *mounted, *controllers.values()]


def _drawn(unit: Unit) -> tuple[list[Route], list[Mount]]:
    """The routes and the mounted applications in a block `routes.draw`; both [] without one."""
    routes: list[Route] = []
    mounted: list[Mount] = []
    around: list[_Frame] = []
    ordered = sorted(unit.called, key=lambda each: (each.node.start_byte, -each.node.end_byte))
    if not any(each.name == "draw" and each.of.endswith("routes") for each in ordered):
        return routes, mounted
    for call in ordered:
        while around and around[-1].end <= call.node.start_byte:
            around.pop()
        if not around:
            if call.name == "draw" and call.of.endswith("routes") and has_block(call):
                around.append(_Frame(call.node.end_byte))
            continue
        frame = around[-1]
        if call.of or frame.is_dead or call.name not in CALLS:
            continue
        args = given(unit.source, call)
        if call.name in ("resources", "resource"):
            routes += _resources(unit, call, args, frame, around)
        elif call.name == "mount":
            mounted += _mounted(unit, call, args, frame)
        elif call.name in _BLOCKS and has_block(call):
            around.append(_block(unit, call, args, frame))
        elif call.name in _VERBS or call.name in ("match", "root"):
            routes += _routes(unit, call, args, frame)
    return routes, mounted


def _block(unit: Unit, call: Called, args: Given, frame: _Frame) -> _Frame:
    source, end = unit.source, call.node.end_byte
    first = args.word(0)
    match call.name:
        case "namespace":
            path = args.word("path") if args.get("path") else first
            module = args.word("module") or first
            return frame._replace(
                end=end, path=_under(frame.path, path), module=f"{frame.module}{module}/"
            )
        case "scope":
            path = "/".join(
                filter(None, [*(word(source, each) for each in args.at), args.word("path")])
            )
            module = args.word("module")
            return frame._replace(
                end=end,
                path=_under(frame.path, path),
                module=f"{frame.module}{module}/" if module else frame.module,
                controller=args.word("controller") or frame.controller,
            )
        case "controller":
            return frame._replace(end=end, controller=first)
        case "member":
            return frame._replace(end=end, path=frame.one or frame.path)
        case "collection":
            return frame._replace(end=end, path=frame.own or frame.path)
        case "concern":
            return frame._replace(end=end, is_dead=True)
        case "authenticate" | "authenticated":
            return frame._replace(end=end, guard=call.name)
    return frame._replace(end=end)


def _under(path: str, more: str) -> str:
    return "/".join(filter(None, [path, more.strip("/")]))


def _resources(
    unit: Unit, call: Called, args: Given, frame: _Frame, around: list[_Frame]
) -> Iterator[Route]:
    source, is_many = unit.source, call.name == "resources"
    actions = _MANY if is_many else _ONE
    wanted = set(args.words("only")) if args.get("only") else set(actions)
    wanted -= set(args.words("except"))
    param = args.word("param") or "id"
    for name in [each for node in args.at for each in words(source, node)]:
        own = _under(frame.path, args.word("path") or name)
        controller = args.word("controller") or (name if is_many else plural(name))
        module = args.word("module")
        inside = frame._replace(
            end=call.node.end_byte,
            own=own,
            controller=controller,
            path=f"{own}/:{singular(name)}_{param}" if is_many else own,
            one=f"{own}/:{param}" if is_many else own,
            module=f"{frame.module}{module}/" if module else frame.module,
        )
        for action, (method, rest) in actions.items():
            if action in wanted:
                path = joined(own, rest.replace("{}", f":{param}"))
                handler = _handler(inside, f"{controller}#{action}")
                yield Route(method, path, call.line, handler, guard=frame.guard, framework="Rails")
        if has_block(call):
            around.append(inside)


def _routes(unit: Unit, call: Called, args: Given, frame: _Frame) -> Iterator[Route]:
    targets = _targets(unit, args)
    if call.name == "root":
        to = args.word("to") or (args.word(0))
        yield _route(call, "GET", frame.path, _handler(frame, to), frame)
        return
    methods = (
        [_VERBS[call.name]]
        if call.name in _VERBS
        else ["ANY" if each == "all" else each.upper() for each in args.words("via")]
    )
    on = args.word("on")
    base = {"member": frame.one, "collection": frame.own}.get(on) or frame.path
    for path, to in targets:
        for method in methods:
            plain = path.partition("(.")[0]
            handler = _handler(frame, to) if to != "redirect" else to
            yield _route(call, method, _under(base, plain), handler, frame)


def _route(call: Called, method: str, path: str, handler: str, frame: _Frame) -> Route:
    return Route(method, joined("", path), call.line, handler, guard=frame.guard, framework="Rails")


def _targets(unit: Unit, args: Given) -> Iterator[tuple[str, str]]:
    """Paths and what answers them: `"/a" => "b#c"`, `"/a", to: "b#c"`, `:action`."""
    source = unit.source
    to = _to(unit, args.get("to"))
    action, controller = args.word("action"), args.word("controller")
    if action and not to:
        to = f"{controller}#{action}" if controller else action
    for node in args.at:
        for path in words(source, node):
            yield path, to or path.strip("/")
    for key, node in args.keys:
        if key.startswith("/") or (not args.at and "#" in word(source, node)):
            yield key, _to(unit, node)


def _to(unit: Unit, node: Node | None) -> str:
    told = word(unit.source, node)
    return told or ("redirect" if unit.source.text(node).startswith("redirect") else "")


def _handler(frame: _Frame, to: str) -> str:
    """`Admin.OrdersController.show` of `orders#show` in the module `admin`."""
    controller, sign, action = to.partition("#")
    if not sign:
        controller, action = frame.controller, to
        if not controller and to.count("/") == 1:
            controller, _, action = to.partition("/")
    if not controller or not action.isidentifier():
        return ""
    parts = f"{frame.module}{controller}".strip("/").split("/")
    names = ["".join(word.capitalize() for word in part.split("_")) for part in parts]
    return f"{'.'.join(names)}Controller.{action}"


def _mounted(unit: Unit, call: Called, args: Given, frame: _Frame) -> Iterator[Mount]:
    """`mount Engine => "/path"`, `mount Engine, at: "/path"`"""
    at = args.word("at")
    for node in args.at:
        if at:
            yield Mount("", unit.source.text(node), joined(frame.path, at), call.line)
    for key, node in args.keys:
        path = word(unit.source, node)
        if key[:1].isupper() and path:
            yield Mount("", key, joined(frame.path, path), call.line)
