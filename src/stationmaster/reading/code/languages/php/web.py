"""Routes of PHP: Laravel's route files, Slim, attributes of Symfony."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.code.languages.php import documented, middleware
from stationmaster.reading.code.languages.source import Arguments, above, child, line_of
from stationmaster.reading.code.languages.unit import Called, Unit, items_of
from stationmaster.reading.code.model import Fact, Mount, Route, Wiring

_LARAVEL = ("Illuminate\\Support\\Facades",)
_ANNOTATED = code.table("php.routes.annotated", dict[str, annotated.Framework])
_VERBS = code.words("php.routes.methods")
_RESOURCE = code.table("php.routes.resource", dict[str, tuple[str, str]])
_MEMBER_CALLS = frozenset({"member_call_expression", "scoped_call_expression"})
_COLLECTORS = code.words("php.routes.collectors")
_TYPED = re.compile(rb"\b(\w+)\s+\$(\w+)")
_MADE = re.compile(rb"\$(\w+)\s*=\s*(?:new\s+)?\\?(?:\w+\\)*+(\w+)")
_FILE = re.compile(
    r"__DIR__\s*\.\s*['\"](/[\w./-]{1,80}\.php)['\"]"
    r"|['\"](?:[^'\"\n]{0,80}/)?([Rr]outes/[\w./-]{1,80}\.php)['\"]"
)
"""A file of routes: in the folder of the one that names it, or below a folder above."""
_ALIAS = re.compile(
    rb"^[ \t]*+Route::(?:get|post|put|patch|delete|any|match|resource|apiResource"
    rb"|group|prefix|middleware)\(",
    re.MULTILINE,
)
_PARAMETER = re.compile(r"^(?:static )?(?:function|fn) ?\([^()$]*\$(\w+)")
"""The first parameter of a closure."""
_MIDDLEWARE = re.compile(r"(?:new\s+|\$)?\\?(?:\w+\\)*+(\w+)")
_PASSED = frozenset({"add", "can", "middleware", "withoutMiddleware"})
_STEPS_MAX = 20
BLOCKS = frozenset({"anonymous_function", "arrow_function"})
CALLS = frozenset({*_VERBS, "match", "map", "resource", "apiResource", "group", "withRouting"})


class _Chain(NamedTuple):
    """The calls before one in a chain, such as `Route::prefix("a")->middleware("auth")`."""

    root: str
    prefix: str
    passed: tuple[str, ...]
    controller: str
    space: str


class _Block(NamedTuple):
    """`passed` is the middleware before its routes, the outer first; `space` the namespace of
    controllers that texts name; `this` the framework whose router `$this` is in the closure that
    starts at a byte, which takes no parameter."""

    start: int
    end: int
    prefix: str
    passed: tuple[str, ...]
    controller: str
    space: str = ""
    this: str = ""
    closure: int = 0


_TOP = _Block(0, 0, "", (), "")


def wired(unit: Unit) -> Iterator[Fact]:
    """The routes of a file, and the files that others put below a prefix."""
    if named := middleware.named(unit):
        yield Wiring(middleware=named)
    routes, mounted = _walk(unit)
    routes += annotated.routes(unit, _ANNOTATED)
    routes += documented.routes(unit)
    yield from sorted(routes, key=lambda route: (route.line, route.path, route.method))
    yield from mounted


def _walk(unit: Unit) -> tuple[list[Route], list[Mount]]:
    """Groups within groups, the outer first."""
    # Without a namespace, `Route` is Laravel's global alias.
    is_alias = not unit.package and not unit.proof.knows("Route")
    is_laravel = unit.proof.of("Route", _LARAVEL) or (
        is_alias and _ALIAS.search(unit.data) is not None
    )
    collectors = _collectors(unit)
    routes: list[Route] = []
    mounted: list[Mount] = []
    if not collectors and not is_laravel:
        return routes, [
            it
            for call in unit.called
            if call.name == "withRouting"
            for it in _of_application(unit, call)
        ]
    around: list[_Block] = []
    groups: list[_Block] = []
    for call in sorted(unit.called, key=lambda it: (it.node.start_byte, -it.node.end_byte)):
        while around and around[-1].end <= call.node.start_byte:
            around.pop()
        outer = around[-1] if around else _TOP
        chain = _chain(unit, call)
        if call.name == "withRouting":
            mounted += _of_application(unit, call)
        facade = "Laravel" if chain.root == "Route" and is_laravel else ""
        framework = collectors.get(chain.root, facade)
        if chain.root == "this":
            framework = _of_this(call, outer) or collectors.get(_parameter_of(unit, call), "")
        if call.name not in CALLS or not framework:
            continue
        block = _Block(
            call.node.start_byte,
            call.node.end_byte,
            f"{outer.prefix}/{chain.prefix}".strip("/"),
            (*outer.passed, *chain.passed),
            chain.controller or outer.controller,
            _below(outer.space, chain.space),
            framework,
        )
        if call.name == "group":
            block, file = _group(unit, call, block)
            around.append(block)
            groups.append(block)
            mounted += _mounted(file, block, call.line)
        else:
            routes += _made(unit, call, block, framework)
    return routes, [*mounted, *_included(unit, groups)]


def _of_this(call: Called, outer: _Block) -> str:
    """The framework whose router `$this` is at a call; '' for another object."""
    closure = above(call.node, *BLOCKS)
    return outer.this if closure is not None and closure.start_byte == outer.closure else ""


def _included(unit: Unit, groups: Sequence[_Block]) -> Iterator[Mount]:
    """The files of routes that closures of groups include, or the file itself."""
    waiting, around = [*reversed(groups)], [_TOP]
    for node in unit.nodes["include"]:
        while waiting and waiting[-1].start <= node.start_byte:
            around.append(waiting.pop())
        while around[-1] is not _TOP and around[-1].end <= node.start_byte:
            around.pop()
        yield from _mounted(_file(unit, node), around[-1], line_of(node))


def _mounted(file: str, block: _Block, line: int) -> list[Mount]:
    prefix = joined("", block.prefix) if block.prefix else ""
    return [Mount("", file, prefix, line, block.passed)] if file else []


def _file(unit: Unit, node: Node | None) -> str:
    """The named file of routes: `./auth.php` for one in the same folder; '' for none."""
    match = _FILE.search(unit.text(node)[:300])
    return f".{match[1]}" if match and match[1] else match[2] if match else ""


def _below(space: str, name: str) -> str:
    return "\\".join(filter(None, (space, name.strip("\\"))))


def _collectors(unit: Unit) -> dict[str, str]:
    """The variables that routes are registered on, by their types or values, with their framework:
    also the parameter of a group's closure."""
    types = {
        import_.bound[0].rpartition("\\")[2]: _COLLECTORS[name]
        for import_ in (*unit.imports, *unit.references)
        if (name := import_.name.lstrip("\\")) in _COLLECTORS and import_.bound
    }
    for name in _COLLECTORS:
        if f"\\{name} $".encode() in unit.data:
            types.setdefault(name.rpartition("\\")[2], _COLLECTORS[name])
    pairs = [(match[1], match[2]) for match in _TYPED.finditer(unit.data)] if types else []
    pairs += [(match[2], match[1]) for match in _MADE.finditer(unit.data)] if types else []
    named = ((type_.decode(), variable.decode()) for type_, variable in pairs)
    collectors = {variable: types[type_] for type_, variable in named if type_ in types}
    is_slim = any(it.name.lstrip("\\").startswith("Slim\\") for it in unit.imports)
    if is_slim and collectors.keys() <= {"this"}:
        collectors = {"app": "Slim"}  # As files of routes are included where it is made.
    for call in unit.called if collectors else ():
        if call.name == "group" and (name := _parameter_of(unit, call)):
            root = _chain(unit, call).root
            if framework := collectors.get(name) or collectors.get(root):
                collectors.setdefault(name, framework)
                collectors.setdefault(root, framework)
    collectors.pop("this", None)
    return collectors


def _parameter_of(unit: Unit, call: Called) -> str:
    """The first parameter of the closure of a group; '' for none."""
    last = call.given.at[-1:] if call.name == "group" else ()
    match = _PARAMETER.match(unit.text(last[0])[:200]) if last else None
    return match[1] if match else ""


def _chain(unit: Unit, call: Called) -> _Chain:
    prefixes: list[str] = []
    passed: tuple[str, ...] = ()
    controller = space = ""
    node = child(call.node, "object")
    scope = child(call.node, "scope")
    for _ in range(_STEPS_MAX):
        if node is None or node.type not in _MEMBER_CALLS:
            break
        name = unit.part(node, "name")
        arguments = unit.arguments(child(node, "arguments"))
        texts = [text for argument in arguments.at for text in unit.texts(argument)]
        if name.startswith("get") and name[3:4].isupper():
            return _Chain("", "", (), "", "")  # Another member of a router.
        if name == "prefix":
            prefixes += [texts[0].strip("/")] if texts else []
        elif name in _PASSED:
            passed = (*_passed(unit, name, arguments), *passed)
        elif name == "controller" and arguments.at:
            controller = unit.text(arguments.at[0]).removesuffix("::class")
        elif name == "namespace" and texts:
            space = texts[0]
        scope = child(node, "scope")
        node = child(node, "object")
    root = unit.text(scope if scope is not None else node).lstrip("$")
    return _Chain(root, "/".join(reversed(prefixes)), passed, controller, space)


def _group(unit: Unit, call: Called, block: _Block) -> tuple[_Block, str]:
    """The block of a group, and the file with its routes ('' for a closure)."""
    arguments = call.given
    first = arguments.get(0)
    prefix, passed, space = block.prefix, block.passed, block.space
    for name, behind in chained(unit, call.node):
        passed += _passed(unit, name, behind) if name in _PASSED else ()
    if len(arguments.at) > 1 and (options := unit.pairs(first)):
        prefixes = [text.strip("/") for text in unit.texts(options.get("prefix"))]
        prefix = "/".join(filter(None, [prefix, *prefixes]))
        passed = (*passed, *middleware.names(unit, [options.get("middleware")]))
        space = _below(space, next(iter(unit.texts(options.get("namespace"))), ""))
    elif prefixes := unit.texts(first):
        prefix = "/".join(filter(None, [prefix, prefixes[0].strip("/")]))
    last = arguments.at[-1] if arguments.at else None
    is_block = last is not None and last.type in BLOCKS
    # A closure without a parameter is bound to the group: `$this->get(...)`.
    is_bound = is_block and not _parameter_of(unit, call)
    closure = last.start_byte if last is not None and is_bound else 0
    block = block._replace(prefix=prefix, passed=passed, space=space, closure=closure)
    return block, "" if is_block else _file(unit, last)


def _of_application(unit: Unit, call: Called) -> Iterator[Mount]:
    arguments = call.given
    own = arguments.get("apiPrefix")
    prefix = "api" if own is None else call.value("apiPrefix")
    for key, below in (("web", ""), ("api", prefix.strip("/"))):
        block = _TOP._replace(prefix=below, passed=(key,))
        for node in items_of(arguments.get(key)):
            yield from _mounted(_file(unit, node), block, call.line)


def _made(unit: Unit, call: Called, block: _Block, framework: str) -> Iterator[Route]:
    arguments = call.given
    is_resource = call.name in ("resource", "apiResource")
    place = 1 if call.name in ("match", "map") else 0
    action = arguments.get(place + 1)
    options = unit.pairs(arguments.get(2) if is_resource else action)
    modified = {key: unit.texts(options.get(key)) for key in ("only", "except")}
    own = middleware.names(unit, [options.get("middleware")])
    passed = (*block.passed, *own)
    for name, behind in chained(unit, call.node):
        if name in _PASSED:
            passed += _passed(unit, name, behind)
        elif name == "parameters" and behind.at:
            options["parameters"] = behind.at[0]
        else:
            texts = (text for argument in behind.at for text in unit.texts(argument))
            modified[name] = [*modified.get(name, ()), *texts]
    if is_resource:
        called = unit.pairs(options.get("parameters"))
        parameters = {key: unit.text(node).strip("'\"") for key, node in called.items()}
        yield from _resource(unit, call, block, passed, modified, parameters)
        return
    methods = (
        [_VERBS[call.name]]
        if not place
        else [text.upper() for text in unit.texts(arguments.get(0))]
    )
    path = unit.texts(arguments.get(place))
    handler = _handler(unit, _action(action, options), block) or call.caller
    for method in methods if path else ():
        yield Route(
            method,
            joined(block.prefix, path[0]),
            call.line,
            handler,
            framework=framework,
            further=passed,
        )


def _passed(unit: Unit, name: str, arguments: Arguments) -> tuple[str, ...]:
    """The middleware that a call puts before routes, or leaves out; of Slim by its class, or by its
    variable."""
    if name == "add":
        match = _MIDDLEWARE.match(unit.text(arguments.get(0)))
        return (match[1],) if match else ()
    named = middleware.names(unit, arguments.at)
    if name == "withoutMiddleware":
        return tuple(f"{middleware.LEFT_OUT}{it}" for it in named)
    return (f"can:{','.join(named)}",) if name == "can" and named else named


def chained(unit: Unit, node: Node) -> Iterator[tuple[str, Arguments]]:
    """The calls on the result, with their arguments: `->only("index")`."""
    at = node.parent
    for _ in range(_STEPS_MAX):
        if at is None or at.type != "member_call_expression":
            return
        arguments = unit.arguments(child(at, "arguments"))
        yield unit.part(at, "name"), arguments
        at = at.parent


def _resource(
    unit: Unit,
    call: Called,
    block: _Block,
    passed: tuple[str, ...],
    options: Mapping[str, Sequence[str]],
    parameters: Mapping[str, str],
) -> Iterator[Route]:
    names = call.value(0).strip("/").split(".")
    if not names[0]:
        return
    holes = [f"{{{parameters.get(name) or _parameter(name)}}}" for name in names]
    above = zip(names[:-1], holes, strict=False)
    stem = "/".join([*(f"{name}/{hole}" for name, hole in above), names[-1]])
    node = call.given.get(1)
    named = unit.text(node).removesuffix("::class").strip("'\"")
    controller = _below(block.space, named) if unit.texts(node) else named
    wanted = set(options.get("only") or _RESOURCE) - {*options.get("except", ())}
    if call.name == "apiResource":
        wanted -= {"create", "edit"}
    for action, (method, rest) in _RESOURCE.items():
        if action in wanted:
            path = joined(block.prefix, stem + rest.replace("{}", holes[-1]))
            handler = f"{controller}.{action}"
            yield Route(method, path, call.line, handler, framework="Laravel", further=passed)


def _parameter(name: str) -> str:
    return singular(name.replace("-", "_").rpartition("/")[2])


def _action(node: Node | None, options: Mapping[str, Node]) -> Node | None:
    """The handler, also in `["as" => "home", "uses" => "Home@show"]`."""
    if not options:
        return node
    values = items_of(node)
    return options.get("uses") or next((it for it in values if it.type in BLOCKS), None)


def _handler(unit: Unit, node: Node | None, block: _Block) -> str:
    """`Orders.show` of `[Orders::class, "show"]`, `"Orders@show"`, `Orders::class . ":show"`."""
    if node is None:
        return ""
    handler_text = unit.text(node)
    if handler_text.endswith("::class"):
        return f"{handler_text.removesuffix('::class')}.__invoke"
    if "::class" in handler_text[:100] and node.type not in BLOCKS:
        method = re.search(r"['\"]:?(\w+)['\"]", handler_text)
        return (
            f"{handler_text.partition('::class')[0].strip('[(').strip()}.{method[1]}"
            if method
            else ""
        )
    text = next(iter(unit.texts(node)), "")
    if "@" in text or ":" in text:
        return _below(block.space, re.sub(r"[@:]", ".", text, count=1))
    return f"{block.controller}.{text}" if block.controller and text else text
