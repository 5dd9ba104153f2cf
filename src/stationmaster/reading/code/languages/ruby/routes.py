"""Rails' routes file: nested blocks, and the routes of resources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import structs
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.inflections import camel, plural, singular
from stationmaster.reading.code.languages.ruby import web
from stationmaster.reading.code.languages.source import child, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Import, Mount, Route

_VERBS = code.words("ruby.routes.methods")
_MANY = code.table("ruby.routes.many", dict[str, tuple[str, str]])
_ONE = code.table("ruby.routes.one", dict[str, tuple[str, str]])
_BLOCKS = code.names("ruby.routes.blocks")
_DEVISE = code.table("ruby.routes.devise", dict[str, list[tuple[str, str, str]]])
_DEVISE_GUARDS = code.words("ruby.devise.guards")
DEVISE_MODULES = code.words("ruby.devise.modules")
"""The modules of Devise that a model needs for routes of a kind."""
_QUOTES = "\"'"
_REDIRECT = "redirect("
"""Where a route leads that redirects, which no action is called."""
_BODIES = frozenset({"do_block", "block"})
_BRANCHES = frozenset({"if", "unless", "elsif", "if_modifier", "unless_modifier"})
CALLS = _BLOCKS | {*_VERBS, "match", "root", "mount", "resources", "resource", "devise_for"}


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
    condition: str = ""
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
    ordered = sorted(routes, key=lambda it: (it.line, it.path, it.method))
    return [*ordered, *mounted, *controllers.values()]


def _drawn(unit: Unit) -> tuple[list[Route], list[Mount]]:
    """The routes and the mounted applications in a block `routes.draw`; both [] without one."""
    routes: list[Route] = []
    mounted: list[Mount] = []
    around: list[_Frame] = []
    ordered = sorted(
        unit.called, key=lambda called: (called.node.start_byte, -called.node.end_byte)
    )
    if not any(called.name == "draw" and called.on.endswith("routes") for called in ordered):
        return routes, mounted
    for call in ordered:
        while around and around[-1].end <= call.node.start_byte:
            around.pop()
        if not around:
            if call.name == "draw" and call.on.endswith("routes") and web.has_block(call):
                around.append(_Frame(call.node.end_byte))
            continue
        frame = around[-1]
        if call.on or frame.is_dead or call.name not in CALLS:
            continue
        frame = frame._replace(condition=_condition(unit, call, frame))
        if call.name in ("resources", "resource"):
            routes += _resources(unit, call, frame, around)
        elif call.name == "devise_for":
            routes += _devise(call, frame)
        elif call.name == "mount":
            mounts = [*_mounted(unit, call, frame)]
            mounted += mounts
            routes += [
                _route(call, "ANY", f"{it.prefix.rstrip('/')}/*", it.child, frame) for it in mounts
            ]
        elif call.name in _BLOCKS and web.has_block(call):
            around.append(_block(unit, call, frame))
        elif call.name in _VERBS or call.name in ("match", "root"):
            routes += _routes(unit, call, frame)
    return routes, mounted


def _block(unit: Unit, call: Called, frame: _Frame) -> _Frame:
    end, first = call.node.end_byte, call.value(0)
    match call.name:
        case "namespace":
            path = call.value("path") if call.given.get("path") else first
            module = call.value("module") or first
            return frame._replace(
                end=end, path=_under(frame.path, path), module=f"{frame.module}{module}/"
            )
        case "scope":
            steps = [*map(unit.value, call.given.at), call.value("path")]
            path = "/".join(filter(None, steps))
            module = call.value("module")
            return frame._replace(
                end=end,
                path=_under(frame.path, path),
                module=f"{frame.module}{module}/" if module else frame.module,
                controller=call.value("controller") or frame.controller,
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
            conditions = ", ".join(one_line(unit.text(node), 80) for node in call.given.at[1:])
            both = ", ".join(filter(None, (frame.condition, conditions)))
            return frame._replace(end=end, guard=call.name, condition=both)
        case "constraints":
            conditions = f"constraints {one_line(unit.text(call.listed).strip('()'), 80)}"
            both = ", ".join(filter(None, (frame.condition, conditions)))
            return frame._replace(end=end, condition=both)
    return frame._replace(end=end)


def _condition(unit: Unit, call: Called, frame: _Frame) -> str:
    """What must hold for a route to be there or to match: that of the blocks around it, the
    branches between the nearest of them and it, and its own constraints."""
    conditions: list[str] = []
    node: Node | None = call.node
    while node is not None and node.type not in _BODIES and (above := node.parent) is not None:
        condition = child(above, "condition")
        if above.type in _BRANCHES and condition is not None and condition != node:
            is_otherwise = node == child(above, "alternative")
            sign = "unless" if ("unless" in above.type) != is_otherwise else "if"
            conditions.append(f"{sign} {one_line(unit.text(condition), 80)}")
        node = above
    conditions.append(frame.condition)
    if (own := call.given.get("constraints")) is not None:
        conditions.insert(0, f"constraints {one_line(unit.text(own), 80)}")
    return ", ".join(filter(None, reversed(conditions)))


def _devise(call: Called, frame: _Frame) -> Iterator[Route]:
    """The routes of the modules of Devise for a model; other files declare which it has."""
    wanted = set(call.texts("only")) if call.given.get("only") else {*_DEVISE}
    controllers, renamed = (_pairs(call, key) for key in ("controllers", "path_names"))
    leaving = " ".join(call.texts("sign_out_via")).upper()
    for name in call.texts(0):
        base = _under(frame.path, call.value("path") if call.given.get("path") else name)
        owner = call.value("class_name") or camel(singular(name))
        for kind in sorted(wanted - set(call.texts("skip"))):
            for methods, path, action in _DEVISE.get(kind, ()):
                first, _, rest = path.partition("/")
                whole = _under(base, "/".join(filter(None, (renamed.get(first, first), rest))))
                to = f"{controllers.get(kind, f'devise/{kind}')}#{action}"
                for method in ((first == "sign_out" and leaving) or methods).split():
                    made = _route(call, method, whole, _handler(frame, to), frame)
                    guard = made.guard or _DEVISE_GUARDS.get(f"{kind}#{action}", "")
                    yield structs.replace(made, framework="Devise", owner=owner, guard=guard)


def _pairs(call: Called, key: str) -> dict[str, str]:
    """The keys and texts of the hash at a key."""
    pairs = call.unit.pairs(call.given.get(key)).items()
    return {name: call.unit.value(node) or "" for name, node in pairs}


def _under(path: str, more: str) -> str:
    return "/".join(filter(None, [path, more.strip("/")]))


def _resources(unit: Unit, call: Called, frame: _Frame, around: list[_Frame]) -> Iterator[Route]:
    is_many = call.name == "resources"
    actions = _MANY if is_many else _ONE
    wanted = set(call.texts("only")) if call.given.get("only") else set(actions)
    wanted -= set(call.texts("except"))
    param = call.value("param") or "id"
    for name in (it for node in call.given.at for it in unit.texts(node)):
        own = _under(frame.path, call.value("path") if call.given.get("path") else name)
        controller = call.value("controller") or (name if is_many else plural(name))
        module = call.value("module")
        inside = frame._replace(
            end=call.node.end_byte,
            own=own,
            controller=controller,
            path=f"{own}/:{singular(name)}_{param}" if is_many else own,
            one=f"{own}/:{param}" if is_many else own,
            module=f"{frame.module}{module}/" if module else frame.module,
        )
        for action, (methods, rest) in actions.items():
            path = joined(own, rest.replace("{}", f":{param}"))
            handler = _handler(inside, f"{controller}#{action}")
            for method in methods.split() if action in wanted else ():
                yield _route(call, method, path, handler, frame)
        if web.has_block(call):
            around.append(inside)


def _routes(unit: Unit, call: Called, frame: _Frame) -> Iterator[Route]:
    targets = _targets(unit, call)
    if call.name == "root":
        to = call.value("to", 0)
        yield _route(call, "GET", frame.path, _handler(frame, to), frame)
        return
    methods = (
        [_VERBS[call.name]]
        if call.name in _VERBS
        else ["ANY" if it == "all" else it.upper() for it in call.texts("via")]
    )
    on = call.value("on")
    base = {"member": frame.one, "collection": frame.own}.get(on) or frame.path
    for path, to in targets:
        for method in methods:
            plain = path.partition("(.")[0]
            handler = _handler(frame, to) if to != _REDIRECT else "redirect"
            yield _route(call, method, _under(base, plain), handler, frame)


def _route(call: Called, method: str, path: str, handler: str, frame: _Frame) -> Route:
    place = (method, joined("", path), call.line, handler, "")
    return Route(*place, frame.guard, "Rails", condition=frame.condition)


def _targets(unit: Unit, call: Called) -> Iterator[tuple[str, str]]:
    """Paths and their handlers: `"/a" => "b#c"`, `"/a", to: "b#c"`, `:action`."""
    to = _to(unit, call.given.get("to"))
    action, controller = call.value("action"), call.value("controller")
    for node in call.given.at:
        for path in unit.texts(node):
            name = action or path.strip("/")
            yield path, to or (f"{controller}#{name}" if controller else name)
    for key, node in call.given.named.items():
        if key[:1] in _QUOTES and "#{" not in key and not call.given.at:
            yield key.strip(_QUOTES), _to(unit, node)


def _to(unit: Unit, node: Node | None) -> str:
    target = unit.value(node) or ""
    return target or (_REDIRECT if unit.text(node).startswith("redirect") else "")


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
    names = [camel(part) for part in parts]
    return f"{'.'.join(names)}Controller.{action}"


def _mounted(unit: Unit, call: Called, frame: _Frame) -> Iterator[Mount]:
    """`mount Engine => "/path"`, `mount Engine, at: "/path"`"""
    at = call.value("at")
    for node in call.given.at:
        if at:
            yield Mount("", unit.text(node), joined(frame.path, at), call.line)
    for key, node in call.given.named.items():
        path = unit.value(node) or ""
        if key[:1].isupper() and path:
            yield Mount("", key, joined(frame.path, path), call.line)
