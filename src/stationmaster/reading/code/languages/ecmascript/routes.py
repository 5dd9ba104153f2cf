"""HTTP routes of frameworks of JavaScript: on what provably comes from them.

Routes that are files (Next, Remix, SvelteKit, Nuxt, Astro) are known by their paths, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.ecmascript import nest, passed
from stationmaster.reading.code.languages.ecmascript.module import OURS, Module, line_of_method
from stationmaster.reading.code.languages.ecmascript.rows import rows
from stationmaster.reading.code.languages.source import child, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Mount, Route

MAKERS = code.words("ecmascript.routes.makers")
_MODULES = sorted({re.split("[:>]", maker)[0] for maker in MAKERS})
METHODS = code.methods("{lower}", "ecmascript.routes.methods")
_NAMES = frozenset({"identifier", "member_expression"})
_BASE = re.compile(r"(?i)^[\w.]{0,60}(?:prefix|path|base|root|url|endpoint)$")
"""An expression for the path that something is put below."""


def read(module: Module) -> Iterator[Route | Mount]:
    """The routes by line, path and method, and the mounts of routers by line."""
    routes: list[Route] = []
    mounts: list[Mount] = []
    uses: list[passed.Use] = []
    for called, origin in module.calls_of(*_MODULES):
        maker, is_method, name = origin.rpartition(">")
        if is_method and maker in MAKERS and called.of is not None:
            routes += routes_of(module, called, called.of, name, MAKERS[maker])
            mounts += mounts_of(module, called, called.of, name, MAKERS[maker])
            uses += passed.use(module, called, name, module.owner(called.of))
            if name in METHODS:
                routes += _in_loop(module, called.node, called.of, METHODS[name], MAKERS[maker])
        elif origin in MAKERS:
            mounts += _own_prefix(module, called)
    for match in module.matched["chosen"]:
        made = module.made(match["router"])
        if made is not None and made.maker in MAKERS:
            call, holder, verb = match["chosen"], match["router"], match["verb"]
            routes += _in_loop(module, call, holder, verb, MAKERS[made.maker])
    if module.packages.intersection(("@nestjs/common", "@nestjs/core", "@nestjs/websockets")):
        routes += nest.routes(module)
        mounts += nest.mounts(module)
    routes = [passed.behind(route, uses) for route in routes]
    mounts = [passed.behind(mount, uses) for mount in (*mounts, *_handed(module))]
    mounts += _handed_out(module)
    yield from sorted(routes, key=lambda each: (each.line, each.path, each.method))
    yield from sorted(mounts, key=lambda each: each.line)


def routes_of(
    module: Module, called: Called, holder: Node, name: str, framework: str
) -> Iterator[Route]:
    """The routes that a method puts on a router."""
    given = called.given
    owner, line = module.owner(holder), line_of_method(called)
    if name == "route" and framework in ("Fastify", "hapi"):
        first = given.get(0)
        listed = first.named_children if first is not None and first.type == "array" else (first,)
        for members in map(module.members, listed):
            path = module.value(members.get("url")) or module.value(members.get("path"))
            options = module.members(members.get("options") or members.get("config"))
            handler = _handler(module, members.get("handler") or options.get("handler"))
            asked = module.line(options.get("auth"), 60) if framework == "hapi" else ""
            guard = f"auth: {asked}" if asked and asked != "false" and "try" not in asked else ""
            for method in module.values(members.get("method")) if path is not None else ():
                verb = "ANY" if method == "*" else method.upper()
                yield Route(verb, path or "", line, handler, owner, guard, framework)
        return
    nodes = given.at
    if name == "on" and framework in ("Hono", "h3", "find-my-way"):
        methods = [method.upper() for method in module.values(given.get(0))]
        nodes = nodes[1:]
    elif name in METHODS:
        methods = [METHODS[name]]
    else:
        return
    path_of_route = _route_of(module, holder)
    if path_of_route is not None:
        paths: tuple[str, ...] = (path_of_route,)
    else:
        paths = module.values(nodes[0]) if nodes else ()
        nodes = nodes[1:]
        if framework == "Koa" and len(nodes) > 1 and module.literal(nodes[0]) is not None:
            paths, nodes = module.values(nodes[0]), nodes[1:]
    if not nodes:
        return
    guards = tuple(_guards(module, nodes[:-1]))
    guard, further = "".join(guards[:1]), guards[1:]
    for path in paths:
        for method in methods:
            # Koa joins prefix and path as texts: "/" and "documents.list".
            if path == "" or path.startswith(("/", "*", ":")) or framework == "Koa":
                handler = _handler(module, nodes[-1])
                yield Route(method, path, line, handler, owner, guard, framework, further)


def _in_loop(
    module: Module, call: Node, holder: Node, verb: Node | str, framework: str
) -> Iterator[Route]:
    """The routes that a loop over a list puts on a router: `router[it.method](it.path, it.show)`,
    also by one method of HTTP for all."""
    given = module.given(call).at
    for row in rows(module, call):
        words = [module.text(node).removeprefix("...") for node in given]
        cells = [row.get(word, node) for word, node in zip(words, given, strict=True)]
        path = module.value(row.get(words[0])) if words else None
        asked = row.get(module.text(verb).partition(".to")[0]) if isinstance(verb, Node) else None
        method = verb if isinstance(verb, str) else METHODS.get((module.value(asked) or "").lower())
        if path is not None and path.startswith("/") and method and len(cells) > 1:
            between = [it for cell in cells[1:-1] for it in _items(cell)]
            guards = tuple(_guards(module, between))
            place = method, path, line_of(row[words[0]]), _handler(module, cells[-1])
            guard, further = "".join(guards[:1]), guards[1:]
            yield Route(*place, module.owner(holder), guard, framework, further)


def _items(node: Node) -> list[Node]:
    return node.named_children if node.type == "array" else [node]


def _guards(module: Module, nodes: Sequence[Node]) -> Iterator[str]:
    """What of all that runs before a handler lets only some through: by its own name, or by that
    of what it is given (`wrapped(auth.check)`)."""
    for node in _before(module, nodes):
        names = (_name(module, child(node, "function")), _handler(module, node))
        if guard := next(filter(is_guard, names), ""):
            yield guard + passed.needed(module, node)


def _before(module: Module, nodes: Sequence[Node]) -> Iterator[Node]:
    """What runs before a handler: the arguments themselves, and hooks among the options of Fastify,
    of a function that is written there what it calls."""
    for node in nodes:
        hooks = module.members(node) if node.type == "object" else {}
        yield from [] if hooks else [node]
        for listed in (hooks[name] for name in passed.HOOKS if name in hooks):
            for hook in listed.named_children if listed.type == "array" else [listed]:
                body = hook.child_by_field_name("body") if hook.type == "arrow_function" else hook
                yield body if body is not None else hook


def _route_of(module: Module, holder: Node) -> str | None:
    """The path of `router.route(path)` at the begin of a chain of methods."""
    node: Node | None = holder
    for _ in range(20):
        if node is None or node.type != "call_expression":
            return None
        function = child(node, "function")
        given = module.given(node)
        name = child(function, "property")
        if module.text(name) == "route" and len(given.at) == 1:
            return module.value(given.get(0))
        node = child(function, "object")
    return None


def _handler(module: Module, node: Node | None) -> str:
    """A function by its name, also as the only thing that another is given: `wrapped(show)`."""
    given = module.given(node).at
    return _name(module, given[0] if len(given) == 1 else node)


def _name(module: Module, node: Node | None) -> str:
    return module.line(node, 100) if node is not None and node.type in _NAMES else ""


def mounts_of(
    module: Module, called: Called, holder: Node, name: str, framework: str
) -> Iterator[Mount]:
    """The routers that a method puts on another."""
    given = called.given
    if name == "basePath" and given.at:
        below = module.value(given.get(0)) or _unknown(module, given.get(0))
        yield Mount("", module.owner(holder), below, line_of_method(called))
    if framework == "Fastify" and name == "register":
        prefix = module.value(module.members(given.get(1)).get("prefix"))
        children, start = given.at[:1], prefix or ""
    elif name == "use" or (name in ("route", "mount") and framework == "Hono"):
        put = _put(module, given.at)
        first = module.value(put[0]) if put else None
        if first is None and len(put) > 1 and _BASE.search(module.text(put[0])):
            first = _unknown(module, put[0])
        children, start = put[0 if first is None else 1 :], (first or "").removesuffix("*")
    else:
        return
    owner, line = module.owner(holder), line_of_method(called)
    for place, part in enumerate(children):
        if text := _child(module, part):
            yield Mount(owner, text, start, line, passed.guards(module, children[:place]))
    for row in rows(module, called.node) if name == "use" and len(given.at) == 2 else ():
        path, router = (row.get(module.text(node)) for node in given.at)
        text = _child(module, router) if router is not None else ""
        if text and (start := module.value(path) or ""):
            yield Mount(owner, text, start, line)


def _unknown(module: Module, node: Node | None) -> str:
    """A part of a path that is known at run time alone, without what replaces an empty one."""
    left = child(node, "left") if node is not None and node.type == "binary_expression" else node
    return f"{{{module.line(left, 60)}}}"


def _put(module: Module, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """What a router is given, also where Koa's own function puts it below a path:
    `app.use(mount("/api", api))`."""
    is_only = len(nodes) == 1 and nodes[0].type == "call_expression"
    is_mount = is_only and module.origin(child(nodes[0], "function")) == "koa-mount"
    return module.given(nodes[0]).at if is_mount else nodes


def _handed(module: Module) -> Iterator[Mount]:
    """Functions of other files that are given a router: `require("./routes")(app)`."""
    given = [
        (match["handed"], module.literal(match["of"]) or "", match["given"])
        for match in module.matched["handed"]
    ]
    given += [
        (called.node, module.text(called.function), node)
        for called in module.calls
        if called.origin.startswith(OURS)
        for node in called.given.at
    ]
    for call, part, node in given:
        made = module.made(node) if node.type == "identifier" else None
        if made is not None and made.maker in MAKERS and part:
            yield Mount(module.text(node), part, "", line_of(call))


def _handed_out(module: Module) -> Iterator[Mount]:
    """Routers that others see by another name: `module.exports = { api: apiRouter }`."""
    for _, target, value in module.assigned:
        for name, node in module.members(value).items() if _is_exports(module, target) else ():
            if module.text(node) != name and _child(module, node):
                yield Mount(name, _child(module, node), "", line_of(node))


def _is_exports(module: Module, node: Node) -> bool:
    return module.text(node) in ("exports", "module.exports")


def _child(module: Module, node: Node) -> str:
    """A router of this file, or something of another file of the repository: what a name is that is
    imported from a package, which may be one of the workspace, is decided over all files."""
    if node.type == "call_expression":
        function = child(node, "function")
        if module.text(function) in ("require", "import"):
            name = module.literal(module.given(node).get(0)) or ""
            return name if name.startswith(".") else ""
        if module.text(function).endswith(".routes") and function is not None:
            return _child(module, child(function, "object") or node)
        is_ours = module.origin(function).startswith(OURS)
        return module.line(function, 100) if is_ours else ""
    made = module.made(node) if node.type in _NAMES else None
    origin = module.origin(node) if node.type in _NAMES else ""
    is_ours = origin.startswith(OURS) or (node.type == "identifier" and origin != "")
    is_router = made is not None and made.maker in MAKERS
    return module.line(node, 100) if is_ours or is_router else ""


def _own_prefix(module: Module, called: Called) -> Iterator[Mount]:
    """`new Router({ prefix })` of Koa, and of Elysia."""
    prefix = module.value(module.members(called.given.get(0)).get("prefix"))
    if prefix:
        yield Mount("", module.owner(called.node), prefix, called.line)
