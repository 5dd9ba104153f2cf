"""Tables of addresses: those of Django and Django REST framework, and lists of tuples with an
address and what answers there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import asked, filled, path_of, rows
from stationmaster.reading.code.languages.python.routes import view
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import above, child, line_of
from stationmaster.reading.code.model import Mount, Route

_PATHS = code.names("python.routes.django_paths")
_INCLUDES = code.names("python.routes.django_includes")
_LIST = "urlpatterns"
"""What Django reads of a module."""
_JOINED = frozenset({"assignment", "augmented_assignment", "binary_operator", "list", "list_splat"})
"""What the addresses of a router stand in where they are joined to a list."""
_WRAPPERS_MAX = 6
_TABLE = re.compile(
    r"(?i)_?(?:[a-z]{1,20}_)?(?:url|route|handler|endpoint)s?(?:_?(?:patterns|table|map))?"
)
_METHOD = re.compile(r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS")
_TORNADO = "Tornado"
_APPLICATION = "tornado.web.Application"
_MADE = re.compile(r"[A-Za-z]\w*\.\w+\(\)")
_ELSEWHERE = re.compile(r"\{(?:\$.+|[\w.]+\.[A-Z][A-Z0-9_]+)\}")
"""A path that a function of another file gives, or a setting."""
_HANDLERS = frozenset({"identifier", "attribute", "call"})


def read(module: Module) -> Iterator[Route | Mount]:
    """The routes and the included URL tables of a file; none where it neither imports Django nor
    declares what Django reads."""
    is_read = any(each.name == _LIST for each in module.constants)
    if not is_read and not module.packages.intersection(("django", "rest_framework")):
        return
    routes: list[Route] = []
    mounts: list[Mount] = []
    lists = Scopes(
        sorted((each.node.start_byte, each.node.end_byte, each.name) for each in module.constants)
    )
    around: list[tuple[int, str]] = []
    """Where lists that are included in place end, and their prefixes."""
    paths = [called.node for called, origin in module.calls_of("django") if origin in _PATHS]
    for node in sorted([*paths, *module.nodes["router"]], key=lambda each: each.start_byte):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        prefix = around[-1][1] if around else ""
        added = module.part(above(node, "augmented_assignment"), "left")
        owner = lists.at(node.start_byte) or added
        condition = asked(module, node, is_of_module=True)
        if node not in paths:
            joined = node.parent.parent if node.parent else None
            if owner and joined is not None and joined.type in _JOINED:
                put = owner, module.line(node, 100).lstrip("*"), prefix, line_of(node)
                mounts.append(Mount(*put, condition=condition))
            continue
        given = module.given(node)
        place = given.get(0, "route", "regex")
        prefix += filled(module, place, path_of(module, place))
        owner = owner or _LIST
        view = given.get(1, "view")
        included = _included(module, view)
        if included is None:
            own = _routes(module, view, (prefix, line_of(place or node)), owner)
            routes += [replace(route, condition=condition) for route in own]
        elif included.type == "list":
            around.append((node.end_byte, prefix))
        else:
            put = owner, _child(module, included), prefix, line_of(node)
            mounts.append(Mount(*put, condition=condition))
    yield from routes
    yield from _of_routers(module, {mount.child for mount in mounts})
    yield from mounts


def _of_routers(module: Module, routers: Set[str]) -> Iterator[Route]:
    """The routes of routers of REST framework, which tables include by these names."""
    for called in module.calls:
        if called.name == "register" and called.of is not None:
            made = module.made(called.of)
            maker = made.maker if made is not None else ""
            is_router = maker.startswith("rest_framework") or "Router" in maker
            if is_router or module.text(called.of) in routers:
                yield from _registered(module, called.node, called.of)


def _included(module: Module, view: Node | None) -> Node | None:
    """What is included; None for a view."""
    if view is None or view.type != "call":
        return None
    if module.origin(child(view, "function")) not in _INCLUDES:
        return None
    given = module.given(view).get(0, "arg")
    if given is not None and given.type == "tuple":
        return child(given)
    return given


def _child(module: Module, node: Node) -> str:
    """A module by its dotted name, or a list or a router by its name here."""
    text = module.literal(node)
    return text if text is not None else module.line(node, 100).removesuffix(".urls")


def _routes(
    module: Module, node: Node | None, place: tuple[str, int], owner: str
) -> Iterator[Route]:
    """The routes of a path and a line that a view answers, with what is wrapped around that.
    `as_view({"get": "list"})` tells the method of the class for each of HTTP's."""
    guard = ""
    for _ in range(_WRAPPERS_MAX):
        if node is None or node.type != "call":
            break
        function = module.line(child(node, "function"), 100)
        given = module.given(node)
        first = given.get(0)
        if function.endswith(".as_view"):
            holder = function.removesuffix(".as_view")
            actions = {name.upper(): module.value(it) for name, it in module.pairs(first).items()}
            attributes = tuple(f"{name}={module.line(it, 60)}" for name, it in given.named.items())
            for method, action in actions.items() or [("ANY", "")]:
                view = f"{holder}.{action}" if action else holder
                yield Route(method, *place, view, owner, guard, "Django", attributes=attributes)
            return
        is_class = function.rpartition(".")[2][:1].isupper()
        if is_class or first is None or first.type not in ("identifier", "attribute", "call"):
            yield Route("ANY", *place, function, owner, guard, "Django")
            return
        guard, node = guard or function, first
    text = "" if node is None or node.type == "lambda" else module.line(node, 100)
    yield Route("ANY", *place, text, owner, guard, "Django")


def _registered(module: Module, node: Node, router: Node) -> Iterator[Route]:
    """`router.register(prefix, viewset)` of REST framework."""
    given = module.given(node)
    path = module.value(given.get(0, "prefix"))
    if path is not None:
        handler = module.line(given.get(1, "viewset"), 100)
        yield Route(
            "ANY", path, line_of(node), handler, module.text(router), "", "Django REST framework"
        )


def listed(module: Module) -> Iterator[Route]:
    """The routes of lists named after URLs or handlers, and those of Tornado applications, also
    where a function puts them together, for another file that knows Tornado maybe."""
    lists = [constant.value for constant in module.constants if _TABLE.fullmatch(constant.name)]
    for called, origin in module.calls_of("tornado"):
        if origin == _APPLICATION:
            given = called.given.get(0, "handlers")
            if given is not None and given.type == "list":
                lists.append(given)
    framework = _TORNADO if "tornado" in module.packages else ""
    for table in lists:
        if table is not None and table.type in ("list", "tuple"):
            for row in table.named_children:
                yield from _row(module, row, framework)
    names = () if framework else (each.name for each in module.definitions)
    is_read = framework or any(_TABLE.fullmatch(it) and "handler" in it.lower() for it in names)
    for table in _put_together(module) if is_read else ():
        for row in table.named_children:
            for route in _row(module, row, _TORNADO):
                yield replace(route, condition=asked(module, row))


def _put_together(module: Module) -> Iterator[Node]:
    """What holds rows in functions: a list, or the arguments of what adds one to a list."""
    waiting = [module.root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        is_list = node.type in ("list", "argument_list")
        if is_list and any(map(_TABLE.fullmatch, _names(module, node))):
            yield node


def _names(module: Module, node: Node) -> Iterator[str]:
    """The names of a list in a function: its own, and that of the function that returns it or adds
    to it."""
    function, around = above(node, "function_definition"), node.parent
    if function is None or around is None:
        return
    if node.type == "list" and around.type in ("assignment", "augmented_assignment"):
        yield module.part(around, "left").rpartition(".")[2]
        return
    is_list = node.type == "list"
    call = around.parent if around.type == "argument_list" else around
    on, _, method = module.part(call, "function").rpartition(".")
    is_added = method == ("extend" if is_list else "append")
    if is_added or (is_list and around.type == "return_statement"):
        yield module.part(function, "name")
        yield on.rpartition(".")[2]
    bases = module.part(above(node, "class_definition"), "superclasses")
    if is_list and method == "__init__" and "Application" in bases:
        yield "handlers"


def ruled(module: Module) -> Iterator[Route]:
    """The routes of Werkzeug's rules, one for each time that a loop around them goes around."""
    for called, origin in module.calls_of("werkzeug"):
        place = called.given.get(0, "string")
        if not origin.endswith(".Rule") or place is None:
            continue
        listed, endpoint = called.given.get("methods"), called.given.get("endpoint")
        for row in rows(module, called.node):
            node = row.get(module.text(place), place)
            path = path_of(module, node, row)
            named = [path_of(module, it, row) for it in (listed.named_children if listed else ())]
            methods = [it for it in named if it and _METHOD.fullmatch(it)]
            handler = _endpoint(module, endpoint, row)
            for method in methods or (["ANY"] if not named else []):
                if path is not None and path.startswith("/"):
                    yield Route(method, path, line_of(node), handler, "", "", "Werkzeug")


def _endpoint(module: Module, node: Node | None, row: Mapping[str, Node]) -> str:
    """What a rule leads to: `self.show`, or the method that `getattr(self, view)` is."""
    text = module.line(node, 100)
    if node is not None and node.type == "call" and module.part(node, "function") == "getattr":
        on, name = (*module.given(node).at, None, None)[:2]
        text = f"{module.text(on)}.{path_of(module, name, row) or ''}"
    around = above(node, "class_definition") if text.startswith("self.") and node else None
    holder = module.part(around, "name")
    return f"{holder}.{text.removeprefix('self.')}" if holder else text


def _row(module: Module, row: Node, framework: str) -> Iterator[Route]:
    if row.type == "call":  # `url(r"/", Handler)` of Tornado.
        if module.origin(child(row, "function")).startswith("tornado.web."):
            cells = list(module.given(row).at)
        else:
            return
    elif row.type == "tuple":
        cells = [named_child for named_child in row.named_children if named_child.type != "comment"]
    else:
        return
    method = "ANY"
    if len(cells) > 2 and _METHOD.fullmatch(module.literal(cells[0]) or ""):
        method = module.literal(cells.pop(0)) or method
    if len(cells) < 2 or cells[1].type not in _HANDLERS:
        return
    path = path_of(module, cells[0])
    if path is None and framework == _TORNADO and _MADE.fullmatch(module.text(cells[0])):
        path = f"{{${module.text(cells[0])}}}"
    if path is not None and (path.startswith(("/", "^")) or _ELSEWHERE.fullmatch(path)):
        yield Route(method, path, line_of(row), view(module, cells[1]), "", "", framework)
