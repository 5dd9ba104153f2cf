"""NestJS: controllers with the guards of their handlers, gateways of web sockets, and what modules
and the application put before their routes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.ecmascript.texts import text_of
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.source import child, line_of, path_below
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Around, Mount, Route

FRAMEWORK = "NestJS"
TELLING = "="
"""Before the key of what a decorator tells guards."""
_METHODS = code.methods("{title}", "ecmascript.routes.nest")
_COMMON = "@nestjs/common"
_OWN = "@nestjs/"
_GATEWAY = "@nestjs/websockets:WebSocketGateway"
_CONNECTED = "handleConnection"
_ROUTER = "RouterModule"
_PLACED = frozenset({"@nestjs/core:RouterModule.register", "nest-router:RouterModule.forRoutes"})
_ROUTES = "@nestjs/core:Routes"
_GIVING_BACK = frozenset({"arrow_function", "return_statement"})
_QUOTES = "\"'`"
_DEPTH_MAX = 6
"""Of children in a tree of modules."""


def routes(module: Module) -> Iterator[Route]:
    """What the methods of controllers answer, and what gateways do when a client connects."""
    methods = {module.scopes.at(each.node.end_byte - 1): each for each in module.definitions}
    for qualified, definition in methods.items():
        if definition.is_class:
            path = _gateway(module, definition)
            connected = methods.get(f"{qualified}.{_CONNECTED}")
            if path is not None and connected is not None:
                handler, line = f"{qualified}.{_CONNECTED}", line_of(connected.node)
                yield Route("WEBSOCKET", path, line, handler, framework=FRAMEWORK)
            continue
        answered = [
            (_METHODS[name], path)
            for decorator in definition.decorators
            if (name := decorator.origin.removeprefix(f"{_COMMON}:")) in _METHODS
            for path in _paths(module, decorator.given.get(0))
        ]
        guard, *further = _guards(module, definition) or ("",)
        holder, line = qualified.rpartition(".")[0], line_of(definition.node)
        for method, path in answered:
            yield Route(method, path, line, qualified, holder, guard, FRAMEWORK, tuple(further))


def mounts(module: Module) -> Iterator[Mount]:
    """The paths and guards of controllers, which modules have them, and where modules are put."""
    for definition, decorator in module.decorated():
        if not definition.is_class:
            continue
        first = decorator.given.get(0)
        if decorator.origin == f"{_COMMON}:Controller":
            address = module.members(first).get("path") if module.members(first) else first
            guards = _guards(module, definition)
            for path in _paths(module, address):
                yield Mount("", definition.name, path, decorator.line, guards)
        elif decorator.origin == f"{_COMMON}:Module":
            controllers = module.members(first).get("controllers")
            for name in _names(module, controllers):
                yield Mount(definition.name, name, "", line_of(controllers or decorator.node))
    for tree in _trees(module):
        yield from _placed(module, tree, "", _DEPTH_MAX)


def around(module: Module) -> Iterator[Around]:
    """What an application puts before all its routes: a prefix, and guards."""
    if not any(package.startswith("@nestjs/") for package in module.packages):
        return
    for called in module.calls:
        if called.of is None:
            continue
        given = called.given
        if called.name == "setGlobalPrefix" and (prefix := text_of(module, given.get(0))):
            excepted = module.members(given.get(1)).get("exclude")
            paths = [
                text_of(module, module.members(item).get("path") or item)
                for item in (excepted.named_children if excepted is not None else ())
            ]
            kept = tuple(path.strip("/") for path in paths if path)
            yield Around(FRAMEWORK, called.line, prefix, (), kept)
        elif called.name == "useGlobalGuards":
            guards = tuple(_guard(module, node) for node in given.at)
            yield Around(FRAMEWORK, called.line, "", guards)
        elif called.name == "forRoutes":
            yield from _applied(module, called)
    for definition, decorator in module.decorated():
        if decorator.origin == f"{_COMMON}:Module" and definition.is_class:
            providers = module.members(decorator.given.get(0)).get("providers")
            for item in providers.named_children if providers is not None else ():
                members = module.members(item)
                used = members.get("useClass") or members.get("useExisting")
                if used is not None and module.origin(members.get("provide")).endswith("APP_GUARD"):
                    yield Around(FRAMEWORK, line_of(item), "", (module.text(used),))


def _applied(module: Module, called: Called) -> Iterator[Around]:
    """Middleware that a module puts before some routes:
    `consumer.apply(Auth).exclude("health").forRoutes(Tills)`."""
    given: dict[str, tuple[Node, ...]] = {}
    node = called.of
    while node is not None and node.type == "call_expression" and len(given) < _DEPTH_MAX:
        function = node.child_by_field_name("function")
        given.setdefault(
            module.part(function, "property"), module.arguments(child(node, "arguments")).at
        )
        node = function.child_by_field_name("object") if function is not None else None
    guards = tuple(name for it in given.get("apply", ()) if is_guard(name := _guard(module, it)))
    if guards:
        excepted = (_route(module, it) for it in given.get("exclude", ()))
        only = (_route(module, it) for it in called.given.at)
        yield Around(FRAMEWORK, called.line, "", guards, tuple(excepted), tuple(only))


def _route(module: Module, node: Node) -> str:
    """`GET path`, or the class of a controller, which stands for its routes."""
    members = module.members(node)
    path = text_of(module, members.get("path") or node)
    if path is None or node.type == "identifier":
        return module.text(node)
    method = module.text(members.get("method")).rpartition(".")[2]
    return f"{method if method not in ('', 'ALL') else 'ANY'} {path.strip('/')}"


def _gateway(module: Module, definition: Definition) -> str | None:
    """The path of a gateway, or its namespace; None for a class that is none."""
    for decorator in definition.decorators:
        if decorator.origin == _GATEWAY:
            given = next((it for it in decorator.given.at if module.members(it)), None)
            members = module.members(given)
            path = text_of(module, members.get("path") or members.get("namespace")) or ""
            return path_below("/", path.lstrip("/"))
    return None


def _paths(module: Module, node: Node | None) -> tuple[str, ...]:
    items = node.named_children if node is not None and node.type == "array" else [node]
    return tuple(text_of(module, item) or "" for item in items) or ("",)


def composed(module: Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Functions that make a decorator, also one of several, and the guards among these with what
    guards are known."""
    for called, origin in module.calls_of(_COMMON):
        parts: list[Called] = []
        if origin == f"{_COMMON}:applyDecorators":
            parts = [module.call_at(node) for node in called.given.at]
        elif called.node.parent is not None and called.node.parent.type in _GIVING_BACK:
            parts = [called]
        if called.caller and (guards := _among(module, parts)):
            yield called.caller, guards


def _guards(module: Module, definition: Definition) -> tuple[str, ...]:
    """In the order in which they run: decorators are applied from the last to the first."""
    return _among(module, reversed(definition.decorators))


def _among(module: Module, decorators: Iterable[Called]) -> tuple[str, ...]:
    """The guards that decorators name; one of another module, which may stand for some, is
    `@Own`, and what tells guards that something is so `=KEY`."""
    found, own = list[str](), module.values_of
    for decorator in decorators:
        name, given = module.text(decorator.function), decorator.given
        if decorator.origin == f"{_COMMON}:UseGuards":
            found += (_guard(module, node) for node in given.at)
        elif decorator.origin == f"{_COMMON}:SetMetadata":
            if module.text(given.get(1)) == "true":
                found.append(f"{TELLING}{module.text(given.get(0)).strip(_QUOTES)}")
        elif not decorator.origin.startswith(_OWN) and (decorator.origin or name in own):
            found.append(f"@{name}")
    return tuple(found)


def _guard(module: Module, node: Node) -> str:
    return module.line(node, 60).partition("(")[0].removeprefix("new ")


def _names(module: Module, node: Node | None) -> tuple[str, ...]:
    """The names in a list."""
    items = node.named_children if node is not None and node.type == "array" else ()
    return tuple(module.text(item) for item in items if item.type == "identifier")


def _trees(module: Module) -> Iterator[Node]:
    """The lists that say below which paths modules are put."""
    if "@nestjs/core" not in module.packages and "nest-router" not in module.packages:
        return
    listed: dict[int, Node] = {}
    for definition in module.definitions:
        annotation = child(definition.node, "type")
        kind = annotation.named_children[0] if annotation and annotation.named_children else None
        if definition.body is not None and kind is not None and module.origin(kind) == _ROUTES:
            listed[definition.body.start_byte] = definition.body
    for called, origin in module.calls_of("@nestjs/core", "nest-router"):
        node = called.given.get(0) if origin in _PLACED else None
        if node is not None and node.type == "identifier":
            node = module.values_of.get(module.text(node))
        if node is not None:
            listed[node.start_byte] = node
    yield from (node for node in listed.values() if node.type == "array")


def _placed(module: Module, tree: Node, prefix: str, depth: int) -> Iterator[Mount]:
    for item in tree.named_children if depth else ():
        members = module.members(item)
        whole = path_below(prefix, text_of(module, members.get("path")) or "")
        named = item if item.type == "identifier" else members.get("module")
        if named is not None:
            yield Mount(_ROUTER, module.text(named), whole, line_of(item))
        if (children := members.get("children")) is not None:
            yield from _placed(module, children, whole, depth - 1)
