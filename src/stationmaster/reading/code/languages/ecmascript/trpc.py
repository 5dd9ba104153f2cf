"""Procedures of tRPC, which routers hold by name: `router({ add: procedure.mutation(…) })`.

Projects call routers and the beginnings of procedures as they like, and hand both from file to
file: only the shape tells them. The paths of procedures end in a dot, as do those of routers within
others, for the address is put together with dots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.source import Declared, above, child, line_of
from stationmaster.reading.code.model import Mount, Route

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.ecmascript.module import Module

FRAMEWORK = "tRPC"
_VERBS = {"query": "GET", "mutation": "POST", "subscription": "GET"}
_FUNCTIONS = frozenset({"arrow_function", "function_expression"})
_BEGIN = re.compile(r"(?:\w+\.){0,2}(\w*[Pp]rocedure\w*)")
_ROUTER = re.compile(r"(?i)(?:\w+\.)?(?:\w*(?<!browser)router|(mergeRouters))")
_SERVERS = re.compile(r"(?i)trpc|fetchRequestHandler|createExpressMiddleware")
_OTHERS = re.compile(r"(?i)openapi|vue-router|react-router|@tanstack/|@react-navigation/")
"""What serves routers in another form, and packages of routers of another kind."""
_LATER = re.compile(r"import\((['\"][^'\"]{1,200}['\"])\)(?:\.then\(\(?(\w+)\)? => \2(\.\w+)\))?")
"""What is imported once it is asked for: `lazy(() => import("./pets").then((m) => m.pets))`."""
_WORD = re.compile(r"[A-Z][a-z\d]*")
_OPEN = re.compile(r"(?i)maybe|optional")
"""In the name of what asks who sends a request, and lets those pass who do not say so."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_REFUSAL = re.compile(
    r"\bTRPCError\(\s*\{[^{}]{0,500}?\bcode:\s*['\"](?:UNAUTHORIZED|FORBIDDEN|PAYMENT_REQUIRED)['\"]"
)
_CONTEXT = re.compile(r"\bctx\b")
_PASSED = re.compile(r"\bnext\(")
_DEPTH_MAX = 12
_CHAIN_MAX = 40


class _Procedure(NamedTuple):
    """What `owner` holds behind `keys`, none for what it is itself. `node` is all of it, `begin`
    what its `chain` of calls begins with, `runs` what it is given to run."""

    owner: str
    keys: tuple[str, ...]
    node: Node
    chain: Node
    begin: str
    verb: str
    runs: Node


def read(module: Module) -> Iterator[Route | Mount]:
    """The procedures of a file, and the routers that it puts into others or serves."""
    for it in _procedures(module):
        is_here = it.runs.type in _FUNCTIONS
        name = ".".join((it.owner, *it.keys)) if is_here else module.line(it.runs, 100)
        guard = it.begin if _is_guard(module, it.begin) else ""
        uses = (module.line(node, 100) for node in _uses(module, it.chain)[1])
        further = tuple(f"@{each}" for each in (it.begin, *uses) if _NAME.fullmatch(each))
        at = line_of(it.node)
        yield Route(it.verb, _path(it.keys), at, name, it.owner, guard, FRAMEWORK, further)
    for called in module.calls:
        match = _ROUTER.fullmatch(called.name)
        place = _place(module, called.node) if match and not _OTHERS.search(called.origin) else None
        if match and place and not place[1]:
            for node in called.given.at if match[1] else called.given.at[:1]:
                yield from _held(module, place[0], node, ())
        elif _SERVERS.search(called.name) and not _OTHERS.search(called.name):
            members = module.members(called.given.get(0))
            before = module.given(above(called.node, "call_expression")).get(0)
            path = _endpoint(module, members.get("endpoint", before))
            if path and "router" in members:
                yield Mount("", module.line(members["router"], 100), path, called.line)


def refusing(module: Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The variables that hold middleware or the beginning of procedures, with what of it refuses
    requests: `@NAME` for what another variable holds, the variable itself for what it adds."""
    for variable, value in module.variables:
        name = module.text(variable)
        root, uses = _uses(module, value)
        if not (_BEGIN.fullmatch(root) or "TRPCError" in module.names):
            continue
        guards = [f"@{root}"] if root and uses else []
        for node in uses or (value,):
            if _NAME.fullmatch(word := module.line(node, 100)):
                guards += (f"@{word}",) if uses else ()
            elif _refuses(module, node):
                guards.append(name)
        if guards:
            yield name, tuple(dict.fromkeys(guards))


def declared(module: Module) -> Iterator[Declared]:
    """The functions of procedures that an object holds."""
    for it in _procedures(module):
        if it.keys and it.runs.type in _FUNCTIONS:
            *within, name = it.keys
            body, doc = child(it.runs, "body"), module.sentence(it.node)
            yield Declared(it.node, name, "method", body, doc=doc, within=".".join(within))


def function_of(module: Module, value: Node | None) -> Node | None:
    """The function that a procedure runs, of a value that is one."""
    name = module.part(child(value, "function"), "property") if value is not None else ""
    if value is None or name not in _VERBS or not _BEGIN.match(module.text(value)[:120]):
        return None
    runs = module.given(value).get(0)
    return runs if runs is not None and runs.type in _FUNCTIONS else None


def _uses(module: Module, chain: Node) -> tuple[str, list[Node]]:
    """The name that a chain of calls begins with, '' for none, and what its calls of `use` are
    given, the first one first."""
    uses: list[Node] = []
    for _ in range(_CHAIN_MAX):
        if chain.type != "call_expression":
            break
        function = child(chain, "function")
        before = child(function, "object")
        if before is None:
            return "", uses
        if module.part(function, "property") == "use":
            uses[:0] = module.given(chain).at[:1]
        chain = before
    return module.text(chain) if chain.type == "identifier" else "", uses


def _refuses(module: Module, node: Node) -> bool:
    """Does a function, or that which a call is given, refuse by what is known of a request before
    it lets any pass?"""
    runs = module.given(node).get(0) if node.type == "call_expression" else node
    if runs is None or runs.type not in _FUNCTIONS:
        return False
    text = module.text(child(runs, "body"))
    refusal, passed = _REFUSAL.search(text), _PASSED.search(text)
    before = text[: refusal.start()] if refusal else ""
    return bool(_CONTEXT.search(before)) and (passed is None or passed.start() > len(before))


def _procedures(module: Module) -> Iterator[_Procedure]:
    for called in module.calls:
        begin = _BEGIN.match(module.text(called.node)[:120]) if called.name in _VERBS else None
        runs = called.given.get(0) if begin else None
        place = _place(module, called.node) if runs is not None else None
        if begin and runs is not None and place:
            owner, keys, node = place
            yield _Procedure(owner, keys, node, called.node, begin[1], _VERBS[called.name], runs)


def _place(module: Module, node: Node) -> tuple[str, tuple[str, ...], Node] | None:
    """The variable that holds a value, or `default`, the keys of objects that lead to it there, and
    the node that names it."""
    keys: list[str] = []
    named: Node | None = None
    for _ in range(_DEPTH_MAX):
        outer = node.parent
        if outer is None:
            return None
        if outer.type == "pair":
            keys.insert(0, module.text(child(outer, "key")).strip("'\""))
            named = named or outer
        elif outer.type in ("variable_declarator", "export_statement"):
            name = module.part(outer, "name") or "default"
            return name, tuple(keys), named or outer
        elif outer.type == "call_expression":
            if not _ROUTER.fullmatch(module.text(child(outer, "function"))):
                return None
        elif outer.type not in ("arguments", "object", "satisfies_expression", "as_expression"):
            return None
        node = outer
    return None


def _held(module: Module, owner: str, node: Node, keys: tuple[str, ...]) -> Iterator[Mount]:
    """The routers and procedures that an object names, also in routers within it."""
    if node.type in ("identifier", "member_expression", "shorthand_property_identifier"):
        yield Mount(owner, module.line(node, 100), _path(keys), line_of(node))
        return
    if node.type == "call_expression":
        is_router = _ROUTER.fullmatch(module.text(child(node, "function")))
        if later := None if is_router else _LATER.search(module.line(node, 400)):
            child_name = f"import({later[1]}){later[3] or ''}"
            yield Mount(owner, child_name, _path(keys), line_of(node))
        node = (module.given(node).get(0) if is_router else None) or node
    for key, value in module.members(node).items() if len(keys) < _DEPTH_MAX else ():
        yield from _held(module, owner, value, (*keys, key))


def _path(keys: tuple[str, ...]) -> str:
    return "".join(f"{key}." for key in keys)


def _endpoint(module: Module, node: Node | None) -> str:
    """The path that a server answers below, also as the only thing that a function is given, or as
    the name of a constant."""
    if node is not None and node.type == "identifier" and module.value(node) is None:
        return f"{{{module.text(node)}}}"
    return module.value(node) or module.value(module.given(node).get(0)) or ""


def _is_guard(module: Module, name: str) -> bool:
    """Does the beginning of a chain let only some pass, by its name or by that of what makes it?"""
    made = module.values_of.get(name)
    begin = _BEGIN.match(module.text(made)[:120]) if made is not None else None
    names = (name, begin[1] if begin else "")
    if any(map(_OPEN.search, names)):
        return False
    parts = (it[match.start() :] for it in names for match in _WORD.finditer(it))
    return any(map(is_guard, (*names, *parts)))
