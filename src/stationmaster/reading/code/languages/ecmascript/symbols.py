"""The declarations of a JavaScript or TypeScript file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript import trpc
from stationmaster.reading.code.languages.source import Declared, child
from stationmaster.reading.code.model import SymbolKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.ecmascript.module import Module
    from stationmaster.reading.code.languages.module import Definition


_OBJECTS_MAX = 3
"""Objects within objects that a module hands out."""
METHODS_MIN = 3
FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})


def declared_in(module: Module) -> Iterator[Declared]:
    """The declarations of a module, then functions assigned to exports, objects and prototypes."""
    owners, classes = _owners(module), _constructors(module)
    for definition in module.definitions:
        declared = _declaration(module, definition)
        if definition.name in owners and declared.kind in ("constant", "variable"):
            yield declared._replace(kind="object", is_public=True)
        elif definition.name in classes and declared.kind == "function":
            yield declared._replace(kind="class", is_public=_is_out(module, definition.name))
        else:
            yield declared
    yield from trpc.declared(module)
    for node, target, value in module.assigned:
        yield from _assignment(module, node, target, value)
        if module.text(target) in ("exports", "module.exports"):
            yield from _handed_out(module, value)


def _owners(module: Module) -> frozenset[str]:
    """Objects that are given methods one by one."""
    counts = Counter(
        module.text(target).partition(".")[0]
        for _, target, value in module.assigned
        if value.type in FUNCTIONS
    )
    return frozenset(name for name, count in counts.items() if count >= METHODS_MIN)


def _constructors(module: Module) -> frozenset[str]:
    """Functions whose prototypes are given methods."""
    targets = (
        module.text(target).split(".")
        for _, target, value in module.assigned
        if value.type in FUNCTIONS
    )
    return frozenset(parts[0] for parts in targets if len(parts) == 3 and parts[1] == "prototype")


def _is_out(module: Module, name: str) -> bool:
    """Do others get a class, or what a function returns that is made of it?"""
    return name in module.exports.local or f"return new {name}(".encode() in module.data


def _declaration(module: Module, each: Definition) -> Declared:
    if each.kind in ("method", "property"):
        is_public = not each.name.startswith(("#", "_")) and not _is_hidden(module, each.node)
    else:
        is_public = each.name in module.exports.local
    kind: SymbolKind = "constructor" if each.name == "constructor" else each.kind
    first = each.decorators[0].node if each.decorators else each.node
    bases: tuple[str, ...] = ()
    if each.kind in ("class", "interface"):
        bases = _bases(module, each)
    return Declared(
        each.node,
        each.name,
        kind,
        each.body,
        is_public,
        module.sentence(first),
        bases,
        tuple(module.line(d.node, 80).partition("(")[0] for d in each.decorators),
        head=_head(each),
    )


def _handed_out(module: Module, value: Node, depth: int = _OBJECTS_MAX) -> Iterator[Declared]:
    """The functions of an object that others get: `module.exports = { show() {}, feed: {…} }`."""
    for name, member in module.members(value).items() if depth else ():
        node = member if member.type == "method_definition" else member.parent
        if node is None or not name.isidentifier():
            continue
        body = child(member, "body")
        doc = module.sentence(node)
        if member.type == "method_definition" or member.type in FUNCTIONS:
            yield Declared(node, name, "function", body, doc=doc)
        elif inner := list(_handed_out(module, member, depth - 1)):
            yield Declared(node, name, "object", member, doc=doc)
            yield from inner


def _assignment(module: Module, node: Node, target: Node, value: Node) -> Iterator[Declared]:
    """`exports.name = function…`, `name.name = function…`, `Name.prototype.name = function…`."""
    parts = module.text(target).split(".")
    if value.type not in FUNCTIONS or not all(part.isidentifier() for part in parts):
        return
    body = child(value, "body")
    doc = module.sentence(node)
    if parts[0] == "exports" or parts[:2] == ["module", "exports"]:
        name = parts[-1]
        if name == "exports":  # `module.exports = function name…`
            name = module.part(value, "name")
        if name:
            yield Declared(node, name, "function", body, doc=doc)
    elif len(parts) == 2:
        is_public = not parts[1].startswith("_")
        yield Declared(node, parts[1], "method", body, is_public, doc, within=parts[0])
    elif len(parts) == 3 and parts[1] == "prototype":
        is_public = _is_out(module, parts[0]) and not parts[2].startswith("_")
        yield Declared(node, parts[2], "method", body, is_public, doc, within=parts[0])


def _head(each: Definition) -> Node | None:
    """What follows decorators that are part of a declaration."""
    if not each.decorators:
        return None
    last = each.decorators[-1].node.end_byte
    return next((part for part in each.node.children if part.start_byte >= last), None)


def _is_hidden(module: Module, node: Node) -> bool:
    for part in node.named_children:
        if part.type == "accessibility_modifier":
            return module.text(part) != "public"
        if part.type != "decorator":
            break
    return False


def _bases(module: Module, each: Definition) -> tuple[str, ...]:
    heads = [
        part
        for part in each.node.named_children
        if part.type in ("class_heritage", "extends_type_clause")
    ]
    bases: list[str] = []
    for head in heads:
        for part in head.named_children:
            inside = part.named_children if part.type.endswith("_clause") else [part]
            bases += [module.line(base, 80) for base in inside if base.type != "type_arguments"]
    return tuple(bases)
