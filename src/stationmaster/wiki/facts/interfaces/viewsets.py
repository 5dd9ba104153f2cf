"""The routes that classes answer: those of view sets of Django REST framework, by what they build
on and their actions, and those of views that have a method for each of HTTP's; and what packages of
Django answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from stationmaster.catalogue import code
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.reading.code.signatures import parameters_apart
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.interfaces.patterns import readable
from stationmaster.wiki.facts.model import Facts

FRAMEWORK = "Django REST framework"
_TORNADO = "Tornado"
_CLASSES_MAX = 12
"""That one is built on."""
_METHODS: Mapping[str, tuple[str, bool]] = {
    "list": ("GET", False),
    "create": ("POST", False),
    "retrieve": ("GET", True),
    "update": ("PUT", True),
    "partial_update": ("PATCH", True),
    "destroy": ("DELETE", True),
}
"""The method of HTTP for each, and whether it is about one object."""
_BASES: Mapping[str, tuple[str, ...]] = {
    "ModelViewSet": tuple(_METHODS),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
    "ListModelMixin": ("list",),
    "CreateModelMixin": ("create",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
}
_SETS = frozenset({"GenericViewSet", "ModelViewSet", "ReadOnlyModelViewSet", "ViewSet"})
_HTTP = ("get", "post", "put", "patch", "delete")
_BARE = code.names("python.routes.bare") | _BASES.keys()
"""Classes that answer nothing by themselves."""
_ANSWERED: Mapping[str, tuple[str, ...]] = code.table(
    "python.routes.answered", dict[str, tuple[str, ...]]
)
"""The methods of HTTP that classes of packages answer."""
_VERBS = re.compile(r"[\"'](get|post|put|patch|delete|head|options)[\"']", re.IGNORECASE)
_ALLOWING: Mapping[str, tuple[str, ...]] = {
    "api_view": ("GET",),
    "require_http_methods": (),
    "require_GET": ("GET",),
    "require_POST": ("POST",),
    "require_safe": ("GET", "HEAD"),
}
"""Decorators of functions, and the methods that they allow where they name none."""
_HEAD_MAX = 20
"""Lines of decorators."""
_NAMED = re.compile(r"url_path\s*=\s*r?[\"']([^\"'\n]{1,100})[\"']")
_MAPPED = re.compile(r"(\w{1,80})\.mapping\.(get|post|put|patch|delete)")
"""A decorator that adds a method of HTTP to an action."""
_BRACES = str.maketrans("<>", "{}")
_ALLOWED = re.compile(r"\s*http_method_names\s*=\s*([\[(].*)")
"""The only methods that a view set answers."""
_CAPTURED = re.compile(r"(?<!\\)\((?!\?)(?:[^()|\\]|\\.)*\)(?!\?)")
_OPENED = re.compile(r"(?<!\\)\((?!\?:)")
_OPTIONAL = re.compile(r"\(\?:([^()?|]*)\)\?")
_LOOKUP = re.compile(r"\s*lookup_(?:url_kwarg|field)\s*=\s*[\"'](\w+)[\"']")


def routes_of(facts: Facts, path: str, route: Route) -> Iterator[Route]:
    """The routes that one of a class stands for; the route itself where the class is unknown."""
    declared = declaration(facts, path, route.handler)
    if route.framework == _TORNADO and not _may_be_of_tornado(facts, path, declared):
        return
    holder = route.handler.rpartition(".")[0]
    is_of_method = route.framework == "Django" and route.method != "ANY"
    if declared is None and is_of_method and declaration(facts, path, holder):
        route = msgspec.structs.replace(route, handler=holder)  # It inherits the method.
    if declared is not None and declared[1].kind == "class" and route.framework != FRAMEWORK:
        verbs = _verbs(facts, *declared) if route.method == "ANY" else ()
        for verb, handler in dict(verbs).items():
            seen = _seen(route, declared[1], handler)
            method = symbol_of(facts, declared[0], handler)
            address = _named(route, method)
            yield msgspec.structs.replace(route, method=verb.upper(), handler=seen, path=address)
        if verbs:
            return
    if declared is not None and declared[1].kind == "function" and route.method == "ANY":
        asked = _decorated(lines_of(facts, declared[0]), declared[1])
        yield from (msgspec.structs.replace(route, method=verb) for verb in asked or ("ANY",))
        return
    if route.framework != FRAMEWORK or declared is None:
        of_package = declared is None and route.framework == "Django" and route.method == "ANY"
        answered = _ANSWERED.get(_last(route.handler), ()) if of_package else ()
        methods = (verb.upper() for verb in answered or (route.method,))
        yield from (msgspec.structs.replace(route, method=method) for method in methods)
        return
    lines = facts.tree.text(declared[0]).split("\n")
    names = (match[1] for line in _body(lines, declared[1]) if (match := _LOOKUP.match(line)))
    one = f"{route.path.rstrip('/')}/{{{next(names, 'pk')}}}"
    made: dict[tuple[str, str], str] = {}
    for holder, handler in _handlers(facts, *declared).items():
        verb, is_one = _METHODS[holder]
        made[verb, f"{one if is_one else route.path}/"] = handler
    for verb, is_one, step, name in _actions(facts, *declared):
        whole = f"{(one if is_one else route.path).rstrip('/')}/{step}/"
        made.setdefault((verb, whole), f"{declared[1].qualified}.{name}")
    if not made:
        yield route
    allowing = (match[1] for line in _body(lines, declared[1]) if (match := _ALLOWED.match(line)))
    allowed = next(allowing, "").upper()
    for (verb, whole), handler in made.items():
        if allowed and verb not in re.findall(r"\w+", allowed):
            continue
        seen = _seen(route, declared[1], handler)
        yield msgspec.structs.replace(route, method=verb, path=whole, handler=seen)


def _actions(facts: Facts, path: str, view: Symbol) -> Iterator[tuple[str, bool, str, str]]:
    """The methods of HTTP, whether it is about one object, the last step of the path and the name
    of each action of a view set and of what it builds on."""
    named: dict[str, tuple[bool, str]] = {}
    for where, holder in types(facts).around((path, view.qualified)):
        lines = lines_of(facts, where)
        for method in facts.code[where].symbols if where in facts.code else ():
            marks = [*map(_last, method.marks)] if method.container == holder else []
            if "action" not in marks or method.name in named:
                continue
            text = _head(lines, method).rpartition("action(")[2]
            stated = _NAMED.search(text)
            step = readable(stated[1]).translate(_BRACES) if stated else method.name
            is_one = re.search(r"detail\s*=\s*True", text) is not None
            named[method.name] = is_one, step
            for verb in _VERBS.findall(text.replace(stated[0] if stated else "", "")) or ["get"]:
                yield verb.upper(), is_one, step, method.name
        for method in facts.code[where].symbols if where in facts.code else ():
            for mark in method.marks if method.container == holder else ():
                of = _MAPPED.fullmatch(mark)
                if of and of[1] in named:
                    yield of[2].upper(), *named[of[1]], method.name


def _may_be_of_tornado(facts: Facts, path: str, handler: tuple[str, Symbol] | None) -> bool:
    """Does a file import Tornado, or does what answers build on a class of it?"""
    is_user = any(path == user for user, _ in users_of_outside(facts, "tornado"))
    return is_user or (handler is not None and "RequestHandler" in _above(facts, *handler))


def _named(route: Route, handler: Symbol | None) -> str:
    """The path of a route; an expression of Tornado with the names of a handler's parameters for
    what it captures, if each has one."""
    path, signature = route.path, handler.signature if handler is not None else ""
    if handler is None or route.framework != _TORNADO:
        return path
    names = [words[0] for words in parameters_apart(signature)[1:] if words]
    captured = len(_CAPTURED.findall(path))
    if captured < len(_OPENED.findall(path)) or captured > len(names) or "*" in signature:
        return path
    for name in names:
        path = _CAPTURED.sub(f"{{{name}}}", path, count=1)
    return _OPTIONAL.sub(r"[\1]", path)


def of_packages(facts: Facts) -> Iterator[tuple[str, Route]]:
    """One route for all that lies below a path where a table of Django includes that of a package,
    with the file that does so."""
    own = {step for path in facts.code for step in path.removesuffix(".py").split("/")}
    for file in interfaces(facts):
        for mount in file.mounts if file.path.endswith(".py") else ():
            if mount.child.endswith(".urls") and mount.child.partition(".")[0] not in own:
                path = f"{mount.prefix.rstrip('/')}/*"
                place = path, mount.line, mount.child, mount.owner
                only = mount.condition
                yield file.path, Route("ANY", *place, framework="Django", condition=only)


def _decorated(lines: Sequence[str], symbol: Symbol) -> tuple[str, ...]:
    """The methods of HTTP that decorators let a function of Django answer; () for all."""
    allowed: tuple[str, ...] = ()
    for mark in _ALLOWING.keys() & symbol.marks:
        text = _head(lines, symbol)
        named = text.rpartition(f"{mark}(")[2].partition(")")[0] if f"{mark}(" in text else ""
        methods = {verb.upper() for verb in _VERBS.findall(named)}
        allowed = tuple(sorted(methods)) or _ALLOWING[mark]
    return allowed


def _seen(route: Route, holder: Symbol, handler: str) -> str:
    """A method of a class as the file of the route names it: `views.Till.get`."""
    return route.handler + handler.removeprefix(holder.qualified)


def _verbs(facts: Facts, path: str, symbol: Symbol) -> tuple[tuple[str, str], ...]:
    """The methods of HTTP that a class answers, with its own or those that it inherits; () where
    what it builds on may answer more."""
    found: dict[str, str] = {}
    waiting = [(path, symbol)]
    for where, declared in islice(waiting, _CLASSES_MAX):
        for it in facts.code[where].symbols:
            if it.container == declared.qualified and it.name in _HTTP:
                found.setdefault(it.name, it.qualified if declared is symbol else symbol.qualified)
        for name, above in _bases(facts, where, declared):
            for verb in _ANSWERED.get(name, ()) if above is None else ():
                found.setdefault(verb, symbol.qualified)
            is_bare = name in _BARE or "mixin" in name.lower()
            if above is None and not is_bare and name not in _ANSWERED:
                return ()
            waiting += [above] if above else []
    return tuple(sorted(found.items()))


def _bases(
    facts: Facts, path: str, symbol: Symbol
) -> Iterator[tuple[str, tuple[str, Symbol] | None]]:
    """The names of what a class is built on, without types that it is made for; with each where it
    is declared, if the repository does so."""
    for base in symbol.bases:
        words = base.partition("[")[0]
        yield _last(words), declaration(facts, path, words)


def _above(facts: Facts, path: str, symbol: Symbol) -> Iterator[str]:
    """The names of all classes that one is built on."""
    waiting = [(path, symbol)]
    for where, declared in islice(waiting, _CLASSES_MAX):
        for name, above in _bases(facts, where, declared):
            yield name
            waiting += [above] if above else []


def is_view_set(facts: Facts, path: str, symbol: Symbol) -> bool:
    """May a router of Django REST framework have routes of a class?"""
    is_class = symbol.kind == "class" and path.endswith(".py")
    return is_class and not _SETS.isdisjoint(_above(facts, path, symbol))


def _handlers(facts: Facts, path: str, symbol: Symbol) -> dict[str, str]:
    """What a view set answers by the names of its methods: its own method, or the set itself."""
    above = _above(facts, path, symbol)
    handlers = {name: symbol.qualified for base in above for name in _BASES.get(base, ())}
    own = {it.name for it in facts.code[path].symbols if it.container == symbol.qualified}
    return {
        name: f"{symbol.qualified}.{name}" if name in own else symbol.qualified
        for name in _METHODS
        if name in handlers or name in own
    }


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _head(lines: Sequence[str], symbol: Symbol) -> str:
    """The lines above a function and its own."""
    return "\n".join(lines[max(symbol.line - _HEAD_MAX, 0) : symbol.line])


def _body(lines: list[str], symbol: Symbol) -> list[str]:
    return lines[symbol.line - 1 : symbol.end]
