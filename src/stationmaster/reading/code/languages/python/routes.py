"""HTTP routes of Python's frameworks, but Django's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.module import Called, Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import path_of
from stationmaster.reading.code.languages.source import Arguments, line_of
from stationmaster.reading.code.model import Mount, Route

FRAMEWORKS = code.words("python.routes.frameworks")
ROUTERS = code.names("python.routes.routers")
_METHODS = code.names("python.routes.methods")
_ADDED = code.table("python.routes.added", dict[str, tuple[str, str]])
_CLASSES = ("Route", "WebSocketRoute", "APIRoute")
_MAKERS = {*_CLASSES, *_ADDED, *_METHODS, *(f"add_{each}" for each in _METHODS)}
"""Whatever may make a route when it is called."""
_RESOURCE = re.compile(r"add_(?:\w+_)?resource")
"""Methods of Flask-RESTful and of a project's own class on top of it."""
_MOUNTS = code.table("python.routes.mounts", dict[str, tuple[int, str, str]])
PREFIXES = ("prefix", "url_prefix", "root_path")
_GUARD = re.compile(
    r"auth|login|logged|permission|jwt|token|current_user|current_active|require|superuser|admin"
    r"|api_key|verify|protected|Security",
    re.IGNORECASE,
)
_DEPENDS = re.compile(rb"\b(Depends|Security)\(\s*([A-Za-z_][\w.]{0,80})")


def read(module: Module) -> tuple[tuple[Route, ...], tuple[Mount, ...]]:
    """The routes and the mounts of routers; both () where no known framework is imported."""
    if not module.packages.intersection(FRAMEWORKS):
        return (), ()
    routes = [route for definition in module.definitions for route in decorated(module, definition)]
    mounts = list(_own_prefixes(module))
    for called in module.calls:
        routes += _added(module, called)
        mounts += _mounted(module, called)
    return tuple(routes), tuple(mounts)


def _framework(module: Module, node: Node | None) -> str:
    """The framework that an object provably belongs to: it was made here by one, or it comes from
    elsewhere in a file that imports exactly one."""
    made = module.made(node)
    if made is not None:
        top, _, name = made.maker.partition(".")
        is_router = top in FRAMEWORKS and name.rpartition(".")[2] in ROUTERS
        return FRAMEWORKS[top] if is_router else ""
    told = {FRAMEWORKS[each] for each in module.packages.intersection(FRAMEWORKS)}
    if "FastAPI" in told:
        told.discard("Starlette")
    return told.pop() if len(told) == 1 else ""


def _is_known(module: Module, owner: Node | None, framework: str) -> bool:
    """Is an object without a framework something else, for all that this file says?"""
    if framework or owner is None:
        return owner is None
    return module.made(owner) is None and not module.origin(owner)


def decorated(module: Module, each: Definition, is_unsure: bool = False) -> Iterator[Route]:
    """Routes on what a framework made; those that are `unsure` are on what others may have made,
    and have no framework."""
    guard = _guard(module, each)
    for decorator in each.decorators:
        if decorator.node.type != "call":
            continue
        function = decorator.function
        given = decorator.given
        path = path_of(module, given.get(0, "path", "rule", "uri"))
        if function.type == "identifier":
            if not is_unsure:
                yield from _litestar(module, each, function, path or "", guard)
            continue
        owner, name = decorator.of, decorator.name
        if path is None or not (path == "" or path.startswith(("/", "{"))):
            continue
        methods = _methods(module, name, given)
        framework = _framework(module, owner) if methods else ""
        if bool(framework) != is_unsure and not _is_known(module, owner, framework):
            handler = module.scopes.at(each.node.start_byte)
            for method in methods:
                yield Route(
                    method, path, decorator.line, handler, module.text(owner), guard, framework
                )


def _methods(module: Module, name: str, given: Arguments) -> tuple[str, ...]:
    """Upper case; none for a name that makes no route."""
    if name in ("route", "api_route", "add_url_rule", "add_api_route", "add_route", "Route"):
        told = module.values(given.get("methods"))
        return tuple(sorted({each.upper() for each in told})) or ("GET",)
    if name in ("websocket_route", "add_websocket_route", "add_api_websocket_route"):
        return ("WEBSOCKET",)
    if name == "view":
        return ("ANY",)
    return (name.upper(),) if name in _METHODS else ()


def _litestar(
    module: Module, each: Definition, function: Node, path: str, guard: str
) -> Iterator[Route]:
    origin = module.origin(function)
    name = origin.rpartition(".")[2]
    if not origin.startswith("litestar.") or name not in _METHODS:
        return
    handler = module.scopes.at(each.node.start_byte)
    owner = handler.rpartition(".")[0]
    yield Route(name.upper(), path, line_of(function), handler, owner, guard, "Litestar")


def _added(module: Module, called: Called) -> Iterator[Route]:
    """Routes that a call puts on a router, or that a table of routes holds."""
    is_resource = _RESOURCE.fullmatch(called.name) is not None
    if called.name not in _MAKERS and not is_resource:
        return
    given = called.given
    line = called.line
    owner = module.source.line(called.of, 80).removesuffix(".router")
    if called.name in _ADDED and called.of is not None:
        path_name, handler_name = _ADDED[called.name]
        path = module.value(given.get(0, path_name))
        handler = given.get(handler_name, 2 if called.name == "add_url_rule" else 1)
        framework = _framework(module, called.of) if path is not None else ""
        if framework:
            for method in _methods(module, called.name, given):
                yield Route(method, path or "", line, view(module, handler), owner, "", framework)
    elif called.name in _CLASSES:
        origin = called.origin
        path = module.value(given.get(0, "path"))
        if path is not None and origin.startswith(("starlette.", "fastapi.")):
            methods = (
                ("WEBSOCKET",)
                if called.name == "WebSocketRoute"
                else _methods(module, "Route", given)
            )
            for method in methods:
                yield Route(
                    method,
                    path,
                    line,
                    view(module, given.get(1, "endpoint")),
                    "",
                    "",
                    FRAMEWORKS[origin.partition(".")[0]],
                )
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
        yield Route(
            name.upper(),
            path,
            called.line,
            handler,
            "" if is_web else owner,
            "",
            "aiohttp",
        )


def view(module: Module, node: Node | None) -> str:
    """A handler as written, without what makes a function of a class."""
    text = module.source.line(node, 100)
    return text.partition(".as_view(")[0] if node is not None and node.type != "lambda" else ""


def _mounted(module: Module, called: Called) -> Iterator[Mount]:
    if called.of is None:
        return
    if called.name in _MOUNTS:
        at, name, prefix_name = _MOUNTS[called.name]
        given = called.given
        child, prefix = given.get(at, name), given.get(prefix_name)
        if child is not None and _framework(module, called.of):
            told = module.told(prefix) if prefix is not None else ""
            yield Mount(module.text(called.of), module.source.line(child, 100), told, called.line)
    elif called.name == "mount" and _framework(module, called.of) in ("FastAPI", "Starlette"):
        given = called.given
        path, child = module.value(given.get(0, "path")), given.get(1, "app")
        if path is not None and child is not None and child.type in ("identifier", "attribute"):
            yield Mount(module.text(called.of), module.text(child), path, called.line)


def _own_prefixes(module: Module) -> Iterator[Mount]:
    for variable, maker, call in module.makers:
        top, _, rest = module.origin(maker).partition(".")
        if call is None or top not in FRAMEWORKS or rest.rpartition(".")[2] not in ROUTERS:
            continue
        prefix = module.arguments(call).get(*PREFIXES)
        if prefix is not None:
            yield Mount("", module.text(variable), module.told(prefix), line_of(call))
    for definition in module.definitions:
        bases = (
            [module.origin(base) for base in module.bases(definition)]
            if definition.is_class
            else []
        )
        if any(base.startswith("litestar.") and base.endswith("Controller") for base in bases):
            for attribute in module.attributes.get(definition.node.start_byte, ()):
                if attribute.name == "path":
                    yield Mount(
                        "", definition.name, module.told(attribute.value), line_of(definition.node)
                    )


def _guard(module: Module, each: Definition) -> str:
    """The decorator or dependency that lets only some callers through."""
    for decorator in each.decorators:
        name = module.source.line(decorator.node, 80).partition("(")[0]
        if _GUARD.search(name.rpartition(".")[2]) and "." not in name.removeprefix("auth."):
            return name
    head = module.source.data[each.node.start_byte : each.body.start_byte if each.body else None]
    texts = [head, *(module.text(decorator.node).encode() for decorator in each.decorators)]
    for text in texts:
        for match in _DEPENDS.finditer(text):
            name = match[2].decode(errors="replace")
            if match[1] == b"Security" or _GUARD.search(name):
                return name
    return ""
