"""Functions and classes that make routers or routes, and what is made by those of other files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import asked, path_of
from stationmaster.reading.code.languages.python.routes import (
    ADDED,
    FRAMEWORKS,
    MOUNTS,
    PREFIXES,
    added,
    decorated,
    dependencies,
    mounted,
    owner_of,
    router_of,
    stopped,
    view,
)
from stationmaster.reading.code.languages.routers import CONDITION
from stationmaster.reading.code.languages.source import child, inside, is_in, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Made, Maker, Wiring

_PATH = ("path", "rule", "pattern", "route", "url", "uri", "regex")
_METHOD = ("method", "methods", "verb")
_HANDLER = ("endpoint", "handler", "view", "view_func", "func", "callback", "controller", "target")
_ROUTE = re.compile(r"(?:.*_)?(?:route|endpoint|operation)|.*(?:Route|Endpoint|Operation)")
_PART = re.compile(r"(?i)api|base|prefix|root|version")
_WORD = re.compile(r"[\w.-]{1,40}")
"""What parts of addresses are called, and what they are."""
_TEXTS_MAX = 200
_LENGTH_MAX = 100
_CHAIN_MAX = 4
_PREFIX = "{prefix}{url_prefix}"
_BASES = ("Router", "Blueprint", "FastAPI", "Flask")
"""How the names of classes end that may be routers, whatever file declares them."""
_HOLE = re.compile(r"\{(\w+)\}")


def read(module: Module) -> Iterator[Wiring]:
    """The makers of routers and routes, what they make here, and the routes that depend on them."""
    makers = tuple(_makers(module))
    unsure = [
        route for definition in module.definitions for route in decorated(module, definition, True)
    ]
    unsure += [route for called in module.calls for route in added(module, called, True)]
    mounts = [mount for called in module.calls for mount in mounted(module, called, True)]
    mounts += [mount for each in module.definitions for mount in stopped(module, each, True)]
    made = (*_variables(module), *_routes_made(module))
    texts = tuple(_texts(module))
    yield Wiring(tuple(unsure), made, makers, texts, tuple(mounts))


def _texts(module: Module) -> Iterator[tuple[str, str]]:
    """Constants that may stand in an address."""
    found = 0
    for constant in module.constants:
        is_named = constant.name.isupper() or _PART.search(constant.name)
        text = path_of(module, constant.value) if is_named else None
        is_address = text is not None and text.startswith(("/", "{")) and "/" in text
        is_part = _PART.search(constant.name) and _WORD.fullmatch(text or "")
        if text and (is_address or is_part) and len(text) <= _LENGTH_MAX and found < _TEXTS_MAX:
            found += 1
            yield constant.name, text


# What makes


def _makers(module: Module) -> Iterator[Maker]:
    known: dict[str, Maker] = {}
    functions = [definition for definition in module.definitions if not definition.is_class]
    returned = {
        function.name: calls for function in functions if (calls := _returned(module, function))
    }
    for _ in range(_CHAIN_MAX):
        for each in functions:
            if each.name in known:
                continue
            for call in returned.get(each.name, ()):
                if made := _maker(module, each, call, known):
                    known[each.name] = made
    yield from known.values()
    for each in module.definitions:
        if each.is_class and (made := _class(module, each)):
            yield made
        elif not each.is_class and each.name not in known and _ROUTE.fullmatch(each.name):
            # `def add_route(view, regex):` of the project's own.
            yield from _record(each.name, module.parameters(each))


def _returned(module: Module, each: Definition) -> list[Node]:
    """The calls whose results a function returns."""
    found = []
    for statement in inside(each.body):
        value = child(statement) if statement.type == "return_statement" else None
        if value is not None and value.type == "identifier":
            made = module.made(value)
            value = made.call if made is not None else None
        if value is not None and value.type == "call":
            found.append(value)
    return found


def _maker(module: Module, each: Definition, call: Node, known: dict[str, Maker]) -> Maker | None:
    function, given = child(call, "function"), module.given(call)
    framework, inner = router_of(module.origin(function)), known.get(module.text(function))
    if framework:
        prefix = path_of(module, given.get(*PREFIXES)) or ""
        guards = dependencies(module, given)
    elif inner is not None:
        words = {
            name: path_of(module, given.get(place, name)) or ""
            for place, name in enumerate(inner.parameters)
        }
        prefix = _HOLE.sub(lambda hole: words.get(hole[1], ""), inner.prefix)
        framework, guards = inner.framework, inner.guards
    else:
        return None
    parameters, defaults = module.parameters(each), _defaults(module, each)
    return Maker(each.name, framework, parameters, prefix, defaults=defaults, guards=guards)


def _defaults(module: Module, function: Definition) -> dict[str, str]:
    """The texts that parameters have where nothing is given for them."""
    defaults = {}
    for node in inside(function.node, "parameters"):
        name = module.part(node, "name")
        text = module.literal(child(node, "value")) if name else None
        if text:
            defaults[name] = text
    return defaults


def _class(module: Module, each: Definition) -> Maker | None:
    """A router of the project's own, or a record of one route."""
    for base in module.bases(each):
        origin = module.origin(base)
        if framework := router_of(origin):
            return _router(module, each, framework, "")
        if origin.partition(".")[0] not in FRAMEWORKS and module.text(base).endswith(_BASES):
            return _router(module, each, "", module.text(base))
    fields = tuple(
        attribute.name
        for attribute in module.attributes.get(each.node.start_byte, ())
        if attribute.type is not None
    )
    is_route = _ROUTE.fullmatch(each.name) is not None
    return next(_record(each.name, fields), None) if is_route else None


def _router(module: Module, each: Definition, framework: str, base: str) -> Maker:
    """A class whose objects are routers, by what its `__init__` hands on to `super()`."""
    name = f"{module.scopes.at(each.node.start_byte)}.__init__"
    starts = (it for it in module.definitions if module.scopes.at(it.node.start_byte) == name)
    start = next((it for it in starts if it.name == "__init__"), None)
    if start is None:
        return Maker(each.name, framework, (), _PREFIX, base=base)
    calls = (it for it in module.calls if it.name == "__init__" and is_in(it.node, start.node))
    handed = next(calls, None)
    given = handed.given if handed is not None else module.given(None)
    parameters, node = module.parameters(start)[1:], given.get(*PREFIXES)
    is_named = not set(PREFIXES).isdisjoint(parameters)
    prefix = path_of(module, node) if node is not None else "" if is_named else _PREFIX
    return Maker(
        each.name,
        framework,
        parameters,
        prefix or "",
        defaults=_defaults(module, start),
        guards=dependencies(module, given),
        base=base,
    )


def _record(name: str, parameters: tuple[str, ...]) -> Iterator[Maker]:
    """What makes one route, if its parameters say so."""
    path, handler = _first(parameters, _PATH), _first(parameters, _HANDLER)
    if path and handler:
        method = _first(parameters, _METHOD)
        verb = f"{{{method}}}" if method else ""
        yield Maker(name, "", parameters, f"{{{path}}}", verb, f"{{{handler}}}")


def _first(names: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    return next((name for name in wanted if name in names), "")


# What is made


def _variables(module: Module) -> Iterator[Made]:
    """What holds a router, or what something here or elsewhere makes that may be one."""
    routers = _held(module)
    for variable, maker, call in module.makers:
        name = module.text(variable)
        framework = router_of(module.origin(maker))
        if call is not None and (framework or name in routers):
            guards, condition = dependencies(module, module.given(call)), asked(module, call)
            if condition:
                guards = tuple(f"{guard}{CONDITION}{condition}" for guard in guards)
            yield Made(
                owner_of(module, variable),
                module.text(maker),
                line_of(call),
                _given(module, call),
                framework,
                guards,
            )


def _held(module: Module) -> set[str]:
    """The names on which decorators and calls put routes and routers."""
    names = {
        module.text(decorator.function).rpartition(".")[0]
        for definition in module.definitions
        for decorator in definition.decorators
        if decorator.node.type == "call"
    }
    puts = {*MOUNTS, *ADDED}
    return names | {module.text(call.of) for call in module.calls if call.name in puts}


def _routes_made(module: Module) -> Iterator[Made]:
    """Calls that give an address and something to answer there: of names that say so."""
    for call in module.calls:
        if _ROUTE.fullmatch(call.name) is None or _is_foreign(module, call):
            continue
        given = _given(module, call.node)
        if len(given) > 1 and any(text.startswith(("/", "{", "^")) for text in given.values()):
            name = module.part(call.node, "function")
            yield Made("", name, call.line, given)


def _is_foreign(module: Module, each: Called) -> bool:
    """Is it a framework's own?"""
    if each.of is not None:
        return module.made(each.of) is not None or not module.origin(each.of)
    return module.names.get(each.name, "").partition(".")[0] in FRAMEWORKS


def _given(module: Module, call: Node) -> dict[str, str]:
    """What a call is given, as addresses or as written, by place or name."""
    given = module.given(call)
    placed = {str(place): node for place, node in enumerate(given.at)}
    return {key: _told(module, node) for key, node in {**placed, **given.named}.items()}


def _told(module: Module, node: Node) -> str:
    if node.type in ("list", "tuple", "set"):
        return ",".join(module.values(node))
    text = path_of(module, node)
    return view(module, node) if text is None else text[:_LENGTH_MAX]
