"""HTTP routes of Python's frameworks, but Django's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import asked, filled, path_of, rows
from stationmaster.reading.code.languages.source import Arguments, above, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Mount, Route

FRAMEWORKS = code.words("python.routes.frameworks")
_ROUTERS = code.names("python.routes.routers")
_METHODS = code.names("python.routes.methods")
ADDED = code.table("python.routes.added", dict[str, tuple[str, str]])
_BEFORE = code.names("python.routes.before")
_PARTS = code.names("python.routes.parts")
_AROUND = (0, "app", "blueprint")
_STOPPING = re.compile(r"\b(?:raise|abort|return[ \t]+(?!None\b)\S)")
"""What ends a function before a handler is asked."""
_ABSOLUTE = re.compile(r"[/{]|\Z")
_ALONE = re.compile(r"\{[\w.]+\}")
"""A path of which only the name is known that stands for it."""
_CLASSES = ("Route", "WebSocketRoute", "APIRoute")
_MAKERS = {*_CLASSES, *_METHODS, *(f"add_{each}" for each in _METHODS)}
"""Whatever else may make a route when it is called."""
_RESOURCE = re.compile(r"add_(?:\w+_)?resource")
"""Methods of Flask-RESTful and of a project's own class on top of it."""
MOUNTS = code.table("python.routes.mounts", dict[str, tuple[int, str, str]])
_SECOND = {"add_namespace": (1,), "register_router": (1,)}
"""Methods that are given the prefix as the second argument, too."""
_SPACES = frozenset({"Namespace"})
"""Routers that are below a path which is called as they are, where no other name is stated."""
PREFIXES = ("prefix", "url_prefix", "root_path")
_DEPENDS = re.compile(rb"\b(Depends|Security)\(\s*([A-Za-z_][\w.]{0,80})")


def read(module: Module) -> Iterator[Route | Mount]:
    """The routes and the mounts of routers; none where no known framework is imported."""
    if not module.packages.intersection(FRAMEWORKS):
        return
    routes = [route for definition in module.definitions for route in decorated(module, definition)]
    mounts = list(_own_prefixes(module))
    for definition in module.definitions:
        mounts += stopped(module, definition)
    for called in module.calls:
        routes += _listed(module, called)
        routes += added(module, called)
        mounts += mounted(module, called)
    yield from routes
    yield from mounts


def router_of(origin: str) -> str:
    """The framework whose router is made by something imported; '' for anything else."""
    top, _, rest = origin.partition(".")
    return FRAMEWORKS.get(top, "") if rest.rpartition(".")[2] in _ROUTERS else ""


def _framework(module: Module, node: Node | None) -> str:
    """The framework that an object provably belongs to: it was made here by one, or it comes from
    elsewhere in a file that imports exactly one."""
    made = module.made(node)
    if made is not None:
        return router_of(made.maker)
    frameworks = {FRAMEWORKS[each] for each in module.packages.intersection(FRAMEWORKS)}
    if "FastAPI" in frameworks:
        frameworks.discard("Starlette")
    return frameworks.pop() if len(frameworks) == 1 else ""


def _framework_if(module: Module, owner: Node | None, is_unsure: bool) -> str | None:
    """The framework of what routes are put on. Where those that are `unsure` are asked for: '' if
    only other files know. None for all others."""
    framework = _framework(module, owner)
    if framework or owner is None:
        return framework if framework and owner is not None and not is_unsure else None
    is_elsewhere = module.made(owner) is not None or bool(module.origin(owner))
    return "" if is_elsewhere and is_unsure else None


def owner_of(module: Module, node: Node | None) -> str:
    """How a router is called: by the function around as well, where several functions make one of
    the same name."""
    name = module.line(node, 100)
    if node is None or node.type != "identifier":
        holder, _, method = name.partition(".")
        if node is not None and holder == "self" and method.endswith("()"):
            return f"{module.scopes.at(node.start_byte).rpartition('.')[0]}.{method[:-2]}"
        return name
    scopes = {
        module.scopes.at(variable.start_byte)
        for variable, maker, _ in module.makers
        if module.text(variable) == name and router_of(module.origin(maker))
    }
    scope = module.scopes.at(node.start_byte)
    if not scope or scope not in scopes or len(scopes) == 1:
        return name
    function = above(node, "function_definition")
    return scope if f"return {name}" in module.text(function) else f"{scope}.{name}"


def decorated(module: Module, each: Definition, is_unsure: bool = False) -> Iterator[Route]:
    """Routes on what a framework made; those that are `unsure` are on what others may have made,
    and have no framework."""
    guards = _guards(module, each)
    handler = module.scopes.at(each.node.start_byte)
    for decorator in each.decorators:
        if decorator.node.type != "call":
            continue
        function = decorator.function
        given = decorator.given
        if function.type == "identifier":
            if not is_unsure:
                path = path_of(module, given.get(0, "path"))
                yield from _litestar(module, each, function, path or "")
            continue
        owner, name = decorator.of, decorator.name
        methods = _methods(module, name, given, each.is_class)
        framework = _framework_if(module, owner, is_unsure) if methods else None
        first = given.get(0, "path", "rule", "uri")
        nodes = given.at if each.is_class else (first,)  # A class may have several paths.
        for node in nodes if framework is not None else ():
            path = path_of(module, node)
            for method in methods if path is not None and _ABSOLUTE.match(path) else ():
                place = (path or "", decorator.line, handler, owner_of(module, owner))
                yield Route(method, *place, "".join(guards[:1]), framework or "", guards[1:])


def _methods(
    module: Module, name: str, given: Arguments, is_of_class: bool = False
) -> tuple[str, ...]:
    """Upper case; none for a name that makes no route. A class has its own methods."""
    if name in ("route", "api_route", "add_url_rule", "add_api_route", "add_route", "Route"):
        methods = {method.upper() for method in module.values(given.get("methods"))}
        return tuple(sorted(methods)) or ("ANY" if is_of_class else "GET",)
    if name in ("websocket_route", "add_websocket_route", "add_api_websocket_route"):
        return ("WEBSOCKET",)
    if name == "view":
        return ("ANY",)
    return (name.upper(),) if name in _METHODS else ()


def _litestar(module: Module, each: Definition, function: Node, path: str) -> Iterator[Route]:
    origin = module.origin(function)
    name = origin.rpartition(".")[2]
    if not origin.startswith("litestar.") or name not in _METHODS:
        return
    handler = module.scopes.at(each.node.start_byte)
    owner = handler.rpartition(".")[0]
    yield Route(name.upper(), path, line_of(function), handler, owner, "", "Litestar")


def added(module: Module, called: Called, is_unsure: bool = False) -> Iterator[Route]:
    """Routes that a call puts on what a framework made, or on what others may have made."""
    if called.name not in ADDED or called.of is None:
        return
    given = called.given
    path_name, handler_name = ADDED[called.name]
    place = given.get(0, path_name)
    handler = given.get(handler_name, 2 if called.name == "add_url_rule" else 1)
    framework = _framework_if(module, called.of, is_unsure) if place is not None else None
    if place is None or framework is None:
        return
    owner = owner_of(module, called.of).removesuffix(".router")
    guard, condition = next(iter(dependencies(module, given)), ""), asked(module, called.node)
    for row in rows(module, called.node):
        node = row.get(module.text(place), place)
        path = path_of(module, node, row)
        if path is None or _ALONE.fullmatch(path):
            continue
        line = called.line if node == place else line_of(node)
        words = view(module, row.get(module.text(handler), handler))
        for method in _methods(module, called.name, given):
            yield Route(method, path, line, words, owner, guard, framework, (), condition)


def _listed(module: Module, called: Called) -> Iterator[Route]:
    """Routes that a table of routes holds, and those of frameworks with words of their own."""
    is_resource = _RESOURCE.fullmatch(called.name) is not None
    if called.name not in _MAKERS and not is_resource:
        return
    given = called.given
    line = called.line
    owner = module.line(called.of, 80).removesuffix(".router")
    if called.name in _CLASSES:
        origin = called.origin
        path = module.value(given.get(0, "path"))
        if path is not None and origin.startswith(("starlette.", "fastapi.")):
            is_socket = called.name == "WebSocketRoute"
            methods = ("WEBSOCKET",) if is_socket else _methods(module, "Route", given)
            handler, framework = view(module, given.get(1, "endpoint")), origin.partition(".")[0]
            for method in methods:
                yield Route(method, path, line, handler, "", "", FRAMEWORKS[framework])
    elif called.of is not None:
        yield from _of_aiohttp(module, called, owner)
        of_flask = any(package.startswith("flask") for package in module.packages)
        if is_resource and (of_flask or "flask" in _framework(module, called.of).lower()):
            for node in given.at[1:]:
                if (path := module.value(node)) is not None:
                    handler_text = view(module, given.get(0))
                    yield Route("ANY", path, line, handler_text, owner, "", "Flask")


def _of_aiohttp(module: Module, called: Called, owner: str) -> Iterator[Route]:
    """`web.get(path, handler)` and `app.router.add_get(path, handler)`."""
    if "aiohttp" not in module.packages:
        return
    name = called.name.removeprefix("add_")
    is_web = module.origin(called.of) == "aiohttp.web" and name == called.name
    is_router = name != called.name and module.text(called.of).endswith("router")
    given = called.given
    path = module.value(given.get(0))
    if name in _METHODS and (is_web or is_router) and path is not None:
        handler = view(module, given.get(1, "handler"))
        owner = "" if is_web else owner
        for method in _methods(module, name, given):
            yield Route(method, path, called.line, handler, owner, "", "aiohttp")


def view(module: Module, node: Node | None) -> str:
    """A handler as written, without what makes a function of a class."""
    text = module.line(node, 100)
    return text.partition(".as_view(")[0] if node is not None and node.type != "lambda" else ""


def mounted(module: Module, called: Called, is_unsure: bool = False) -> Iterator[Mount]:
    """What a call puts on what a framework made, or on what others may have made."""
    if called.of is None:
        return
    if called.name in MOUNTS:
        at, name, prefix_name = MOUNTS[called.name]
        given = called.given
        child = given.get(at, name)
        if child is not None and _framework_if(module, called.of, is_unsure) is not None:
            yield Mount(
                owner_of(module, called.of),
                owner_of(module, child),
                _prefix(module, given.get(prefix_name, *_SECOND.get(called.name, ()))),
                called.line,
                dependencies(module, given),
            )
    elif is_unsure:
        return
    elif called.name == "mount" and _framework(module, called.of) in ("FastAPI", "Starlette"):
        given = called.given
        path, child = module.value(given.get(0, "path")), given.get(1, "app")
        if path is not None and child is not None and child.type in ("identifier", "attribute"):
            yield Mount(module.text(called.of), module.text(child), path, called.line)


def stopped(module: Module, each: Definition, is_unsure: bool = False) -> Iterator[Mount]:
    """What a function guards that runs before all handlers of a router, and may stop a request."""
    for decorator in each.decorators:
        is_first = decorator.name in _BEFORE and _STOPPING.search(module.text(each.body))
        if is_first and _framework_if(module, decorator.of, is_unsure) is not None:
            owner, name = module.text(decorator.of), module.scopes.at(each.node.start_byte)
            yield Mount("", owner, "", decorator.line, (name,))


def _prefix(module: Module, node: Node | None) -> str:
    """What a text is, or which expression stands for it, in braces; '' for nothing."""
    return filled(module, node, path_of(module, node))


def _own_prefixes(module: Module) -> Iterator[Mount]:
    for variable, maker, call in module.makers:
        origin = module.origin(maker)
        if call is None or not router_of(origin):
            continue
        given = module.given(call)
        prefix = _prefix(module, given.get(*PREFIXES))
        if origin.rpartition(".")[2] in _SPACES and not prefix:
            name = module.value(given.get("path")) or module.value(given.get(0, "name"))
            prefix = f"/{name.lstrip('/')}" if name else ""
        if prefix:
            yield Mount("", owner_of(module, variable), prefix, line_of(call))
        around = given.get(*_AROUND)
        if origin.rpartition(".")[2] in _PARTS and around is not None:
            yield Mount(module.text(around), owner_of(module, variable), "", line_of(call))
    for definition in module.definitions:
        bases = map(module.origin, module.bases(definition) if definition.is_class else ())
        if any(base.startswith("litestar.") and base.endswith("Controller") for base in bases):
            for attribute in module.attributes.get(definition.node.start_byte, ()):
                if attribute.name == "path":
                    prefix, line = _prefix(module, attribute.value), line_of(definition.node)
                    yield Mount("", definition.name, prefix, line)


def _guards(module: Module, each: Definition) -> tuple[str, ...]:
    """The dependencies of a handler that let only some callers through."""
    head = module.data[each.node.start_byte : each.body.start_byte if each.body else None]
    texts = [module.text(decorator.node).encode() for decorator in each.decorators]
    return tuple(dict.fromkeys(name for text in (*texts, head) for name in _guards_in(text)))


def _guards_in(text: bytes) -> Iterator[str]:
    """The dependencies of FastAPI that let only some callers through."""
    for match in _DEPENDS.finditer(text):
        name = match[2].decode(errors="replace")
        if match[1] == b"Security" or is_guard(name):
            yield name


def dependencies(module: Module, given: Arguments) -> tuple[str, ...]:
    """The guards among the `dependencies` that a router, a mount or a route is given, also as
    constants of this file."""
    node = given.get("dependencies")
    if node is not None and node.type == "identifier":
        node = module.constant(node)
    if node is None or node.type not in ("list", "tuple"):
        return ()
    guards: dict[str, None] = {}
    for item in node.named_children:
        value = module.constant(item) if item.type == "identifier" else item
        guards |= dict.fromkeys(_guards_in(module.text(value).encode()))
    return tuple(guards)
