"""Routes and policies of Sails: the tables that a module exports as `routes` and `policies`.

A policy is listed for an action (`users/show`, `UserController.show`), or for several (`users/*`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.routers import CLOSURE
from stationmaster.reading.code.languages.source import child, line_of
from stationmaster.reading.code.model import Route, Wiring

FRAMEWORK = "Sails"
OPEN, CLOSED = "true", "false"
"""What stands for policies where all requests may pass, or none."""
_ADDRESS = re.compile(
    r"(?:(all|get|post|put|patch|delete|head|options)[ \t]+)?(?:(/\S*)|r\|(.+)\|([\w,]*))",
    re.IGNORECASE,
)
_CAPTURED = re.compile(r"(?<!\\)\((?!\?)")
_TARGETS = frozenset({"action", "controller", "fn", "policy", "response", "target", "view"})
_NAMES = frozenset({"identifier", "member_expression"})


def read(module: Module) -> Iterator[Route | Wiring]:
    """The routes of the table, and what its policies say of actions."""
    for _, target, value in module.assigned:
        match module.text(target).removeprefix("module."):
            case "exports.routes":
                yield from _routes(module, module.members(value))
            case "exports.policies":
                listed = tuple(_policies(module, module.members(value)))
                yield Wiring(middleware=listed)


def _routes(module: Module, table: Mapping[str, Node]) -> Iterator[Route]:
    for address, target in table.items():
        match, handler = _ADDRESS.fullmatch(address), _handler(module, target)
        if match is None or handler is None:
            continue
        verb, line = (match[1] or "all").upper(), line_of(target.parent or target)
        path = match[2] or _named(match[3].replace(r"\\", "\\"), match[4].split(","))
        method = "ANY" if verb == "ALL" else verb
        yield Route(method, path, line, handler, "", "", FRAMEWORK)


def _named(pattern: str, names: Iterable[str]) -> str:
    """An expression whose groups have the names of what they capture, in order."""
    for name in names:
        pattern = _CAPTURED.sub(f"(?<{name or 'any'}>", pattern, count=1)
    return pattern


def _handler(module: Module, target: Node) -> str | None:
    """The action, or the function that is asked or makes one; '' for a view, an address or a
    function in its place, None for what is no target."""
    if target.type == "array":
        handlers = [_handler(module, it) for it in target.named_children]
        return next((it for it in reversed(handlers) if it), "" if handlers else None)
    text = module.value(target)
    if text is not None:
        return "" if text.startswith("/") or "://" in text else text
    members = module.members(target)
    if members and not members.keys() & _TARGETS:
        return None
    controller, action = (module.value(members.get(it)) for it in ("controller", "action"))
    if action is not None:
        return f"{controller}/{action}" if controller else action
    made = members.get("fn", target)
    function = child(made, "function") if made.type == "call_expression" else made
    if function is not None and function.type in _NAMES:
        return module.line(function, 100)
    return "" if members else None


def _policies(module: Module, table: Mapping[str, Node]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Actions with the policies that are asked for them, in order."""
    for name, value in table.items():
        if value.type == "object":
            yield from (
                (f"{name}.{action}", policies)
                for action, policies in _policies(module, module.members(value))
            )
            continue
        listed = value.named_children if value.type == "array" else (value,)
        nodes = [node for node in listed if node.type != "comment"]
        yield name, tuple(_policy(module, node) for node in nodes)


def _policy(module: Module, node: Node) -> str:
    if node.type in (OPEN, CLOSED):
        return node.type
    return module.value(node) or f"{CLOSURE}{line_of(node)}"
