"""Routes of PHP: Laravel's route files, Slim, attributes of Symfony."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotated import Framework
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.notes import joined, texts
from stationmaster.reading.code.languages.php import middleware
from stationmaster.reading.code.languages.source import Arguments, arguments
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Mount, Route, Wiring

_LARAVEL = ("Illuminate\\Support\\Facades",)
_ANNOTATED = code.table("php.routes.annotated", dict[str, Framework])
_VERBS = code.words("php.routes.methods")
_RESOURCE = code.table("php.routes.resource", dict[str, tuple[str, str]])
_MEMBER_CALLS = frozenset({"member_call_expression", "scoped_call_expression"})
_COLLECTORS = code.words("php.routes.collectors")
_TYPED = re.compile(rb"\b(\w+)\s+\$(\w+)")
_MADE = re.compile(rb"\$(\w+)\s*=\s*(?:new\s+)?\\?(?:\w+\\)*+(\w+)")
_FILE = re.compile(r"['\"](?:[^'\"\n]{0,80}/)?(routes/[\w./-]{1,80}\.php)['\"]")
_ALIAS = re.compile(
    rb"^\s*Route::(?:get|post|put|patch|delete|any|match|resource|apiResource|group|prefix|middleware)"
    rb"\(",
    re.MULTILINE,
)
_STEPS_MAX = 20
BLOCKS = frozenset({"anonymous_function", "arrow_function"})
CALLS = frozenset({*_VERBS, "match", "map", "resource", "apiResource", "group", "withRouting"})


class _Chain(NamedTuple):
    """What is said before a call: of `Route::prefix("a")->middleware("auth")` and the like."""

    root: str
    prefix: str
    passed: tuple[str, ...]
    controller: str


class _Block(NamedTuple):
    """`passed` is the middleware before its routes, the outer first."""

    end: int
    prefix: str
    passed: tuple[str, ...]
    controller: str


def wired(unit: Unit) -> list[Route | Mount]:
    """The routes of a file, and the files that others put below a prefix."""
    if named := middleware.named(unit):
        unit.facts.wiring = Wiring(middleware=named)
    found, mounted = _walk(unit)
    found += annotated.routes(unit, _ANNOTATED)
    return [*sorted(found, key=lambda each: (each.line, each.path, each.method)), *mounted]


def _walk(unit: Unit) -> tuple[list[Route], list[Mount]]:
    """Groups within groups, the outer first."""
    # Without a namespace, `Route` is the alias that Laravel gives to all files.
    is_alias = not unit.facts.package and not unit.proof.knows("Route")
    is_laravel = unit.proof.of("Route", _LARAVEL) or (
        is_alias and _ALIAS.search(unit.source.data) is not None
    )
    collectors = _collectors(unit)
    found: list[Route] = []
    mounted: list[Mount] = []
    if not collectors and not is_laravel:
        return found, [
            each
            for call in unit.called
            if call.name == "withRouting"
            for each in _of_application(unit, call)
        ]
    around: list[_Block] = []
    for call in sorted(unit.called, key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        while around and around[-1].end <= call.node.start_byte:
            around.pop()
        outer = around[-1] if around else _Block(0, "", (), "")
        chain = _chain(unit, call)
        if call.name == "withRouting":
            mounted += _of_application(unit, call)
        if call.name not in CALLS or not (
            (chain.root == "Route" and is_laravel) or chain.root in collectors
        ):
            continue
        block = _Block(
            call.node.end_byte,
            f"{outer.prefix}/{chain.prefix}".strip("/"),
            (*outer.passed, *chain.passed),
            chain.controller or outer.controller,
        )
        if call.name == "group":
            block, file = _group(unit, call, block)
            around.append(block)
            if file:
                prefix = joined("", block.prefix)
                mounted.append(Mount("", file, prefix, call.line, block.passed))
        else:
            found += _made(unit, call, block, collectors.get(chain.root, "Laravel"))
    return found, mounted


def _collectors(unit: Unit) -> dict[str, str]:
    """The variables that routes are put on, by what they are given or made with, and their
    framework."""
    types = {
        import_.bound[0].rpartition("\\")[2]: _COLLECTORS[name]
        for import_ in unit.facts.imports
        if (name := import_.name.lstrip("\\")) in _COLLECTORS and import_.bound
    }
    pairs = [(match[1], match[2]) for match in _TYPED.finditer(unit.source.data)] if types else []
    pairs += [(match[2], match[1]) for match in _MADE.finditer(unit.source.data)] if types else []
    named = ((type_.decode(), variable.decode()) for type_, variable in pairs)
    return {variable: types[type_] for type_, variable in named if type_ in types}


def _chain(unit: Unit, call: Called) -> _Chain:
    prefixes: list[str] = []
    passed: tuple[str, ...] = ()
    controller = ""
    node = call.node.child_by_field_name("object")
    scope = call.node.child_by_field_name("scope")
    for _ in range(_STEPS_MAX):
        if node is None or node.type not in _MEMBER_CALLS:
            break
        name = unit.source.part(node, "name")
        given = arguments(unit.source, node.child_by_field_name("arguments"))
        told = [text for each in given.at for text in texts(unit.source, each)]
        if name == "prefix":
            prefixes += [told[0].strip("/")] if told else []
        elif name == "middleware":
            passed = (*middleware.names(unit, given.at), *passed)
        elif name == "can" and told:
            passed = (f"can:{','.join(told)}", *passed)
        elif name == "controller" and given.at:
            controller = unit.source.text(given.at[0]).removesuffix("::class")
        scope = node.child_by_field_name("scope")
        node = node.child_by_field_name("object")
    root = unit.source.text(scope if scope is not None else node).lstrip("$")
    return _Chain(root, "/".join(reversed(prefixes)), passed, controller)


def _group(unit: Unit, call: Called, block: _Block) -> tuple[_Block, str]:
    """With what the group itself says, and the file that holds its routes ('' for a closure)."""
    given = unit.arguments(call)
    first = given.get(0)
    prefix, passed = block.prefix, block.passed
    if first is not None and first.type == "array_creation_expression" and len(given.at) > 1:
        options = _options(unit, first)
        prefix = "/".join(
            filter(None, [prefix, *(t.strip("/") for t in options.get("prefix", []))])
        )
        passed = (*passed, *middleware.names(unit, _values(unit, first, "middleware")))
    elif told := texts(unit.source, first):
        prefix = "/".join(filter(None, [prefix, told[0].strip("/")]))
    last = given.at[-1] if given.at else None
    file = _FILE.search(unit.source.text(last)[:300]) if last is not None else None
    is_block = last is not None and last.type in BLOCKS
    return block._replace(prefix=prefix, passed=passed), file[1] if file and not is_block else ""


def _options(unit: Unit, array: Node) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for named_child in array.named_children:
        inside = named_child.named_children
        if len(inside) == 2 and (key := texts(unit.source, inside[0])):
            options[key[0]] = texts(unit.source, inside[1])
    return options


def _values(unit: Unit, array: Node, key: str) -> Iterator[Node]:
    """The value that an array has by a key, if it has one."""
    for item in array.named_children:
        inside = item.named_children
        if len(inside) == 2 and texts(unit.source, inside[0]) == [key]:
            yield inside[1]


def _of_application(unit: Unit, call: Called) -> Iterator[Mount]:
    given = unit.arguments(call)
    for key, prefix in (("web", ""), ("api", unit.text(call, "apiPrefix") or "api")):
        match = _FILE.search(unit.source.text(given.get(key)))
        if match:
            start = joined("", prefix) if prefix else ""
            yield Mount("", match[1], start, call.line, (key,))


def _made(unit: Unit, call: Called, block: _Block, framework: str) -> Iterator[Route]:
    given = unit.arguments(call)
    modified: dict[str, list[str]] = defaultdict(list)
    passed, left = list(block.passed), set[str]()
    for name, behind in chained(unit, call.node):
        told = [text for each in behind.at for text in texts(unit.source, each)]
        modified[name] += told
        if name == "middleware":
            passed += middleware.names(unit, behind.at)
        elif name == "can" and told:
            passed.append(f"can:{','.join(told)}")
        elif name == "withoutMiddleware":
            left |= {*middleware.names(unit, behind.at)}
    kept = tuple(name for name in passed if name not in left)
    if call.name in ("resource", "apiResource"):
        yield from _resource(unit, call, block, kept, modified)
        return
    place = 1 if call.name in ("match", "map") else 0
    methods = (
        [_VERBS[call.name]]
        if not place
        else [text.upper() for text in texts(unit.source, given.get(0))]
    )
    path = texts(unit.source, given.get(place))
    handler = _handler(unit, given.get(place + 1), block.controller) or call.caller
    for method in methods if path else ():
        yield Route(
            method,
            joined(block.prefix, path[0]),
            call.line,
            handler,
            framework=framework,
            further=kept,
        )


def chained(unit: Unit, node: Node) -> Iterator[tuple[str, Arguments]]:
    """What is called on the result, and what it is given: `->only("index")`."""
    at = node.parent
    for _ in range(_STEPS_MAX):
        if at is None or at.type != "member_call_expression":
            return
        given = arguments(unit.source, at.child_by_field_name("arguments"))
        yield unit.source.part(at, "name"), given
        at = at.parent


def _resource(
    unit: Unit, call: Called, block: _Block, passed: tuple[str, ...], modified: dict[str, list[str]]
) -> Iterator[Route]:
    names = unit.text(call, 0).strip("/").split(".")
    if not names[0]:
        return
    stem = "/".join(f"{each}/{{{_parameter(each)}}}" for each in names[:-1])
    stem = "/".join(filter(None, [stem, names[-1]]))
    given = unit.arguments(call)
    controller = unit.source.text(given.get(1)).removesuffix("::class").strip("'\"")
    third = given.get(2)
    options = _options(unit, third) if third is not None else {}
    wanted = set(modified.get("only") or options.get("only") or _RESOURCE)
    wanted -= {*modified.get("except", ()), *options.get("except", ())}
    if call.name == "apiResource":
        wanted -= {"create", "edit"}
    for action, (method, rest) in _RESOURCE.items():
        if action in wanted:
            path = joined(block.prefix, stem + rest.replace("{}", f"{{{_parameter(names[-1])}}}"))
            handler = f"{controller}.{action}"
            yield Route(method, path, call.line, handler, framework="Laravel", further=passed)


def _parameter(name: str) -> str:
    return singular(name.replace("-", "_").rpartition("/")[2])


def _handler(unit: Unit, node: Node | None, controller: str) -> str:
    """`Orders.show` of `[Orders::class, "show"]`, `"Orders@show"`, `Orders::class . ":show"`."""
    if node is None:
        return ""
    told = unit.source.text(node)
    if told.endswith("::class"):
        return f"{told.removesuffix('::class')}.__invoke"
    if "::class" in told[:100] and node.type not in BLOCKS:
        method = re.search(r"['\"]:?(\w+)['\"]", told)
        return f"{told.partition('::class')[0].strip('[( ')}.{method[1]}" if method else ""
    text = next(iter(texts(unit.source, node)), "")
    if "@" in text or ":" in text:
        return re.sub(r"[@:]", ".", text, count=1)
    return f"{controller}.{text}" if controller and text else text
