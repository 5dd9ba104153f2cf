"""The declarations of a Python file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import Declared, first_sentence, one_line
from stationmaster.reading.code.model import SymbolKind
from stationmaster.reading.code.signatures import SETTING

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.module import Definition
    from stationmaster.reading.code.languages.python.module import Assigned, Module


_ENUMS = code.names("python.symbols.enums")
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def declared_in(module: Module) -> Iterator[Declared]:
    """The classes and functions, constants where they are first assigned, then type aliases."""
    for each in module.definitions:
        yield _definition(module, each)
    for constant in {each.name: each for each in reversed(module.constants)}.values():
        yield _constant(module, constant)
    for node in module.aliases:
        name = module.part(node, "left").partition("[")[0]
        yield Declared(node, name, "type", is_public=_is_public(module, name, node))


def _is_public(module: Module, name: str, node: Node) -> bool:
    if module.exports is not None and node.start_point[1] == 0:
        return name in module.exports
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _definition(module: Module, each: Definition) -> Declared:
    marks = tuple(one_line(module.text(d.node).partition("(")[0], 80) for d in each.decorators)
    kind: SymbolKind = "class" if each.is_class else "function"
    bases: tuple[str, ...] = ()
    if each.is_class:
        bases = tuple(one_line(module.text(base), 80) for base in module.bases(each))
        if any(base.rpartition(".")[2] in _ENUMS for base in bases):
            kind = "enum"
        elif any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in bases):
            kind = "protocol"
    elif _PROPERTIES.intersection(marks) or any(mark.endswith(SETTING) for mark in marks):
        kind = "property"
    return Declared(
        each.node,
        each.name,
        kind,
        each.body,
        _is_public(module, each.name, each.node),
        first_sentence(module.docstring(each.body)),
        bases,
        marks,
    )


def _constant(module: Module, each: Assigned) -> Declared:
    kind: SymbolKind = "constant" if each.name.isupper() else "variable"
    if module.text(each.type).endswith("TypeAlias"):
        kind = "type"
    is_public = _is_public(module, each.name, each.node)
    return Declared(each.node, each.name, kind, each.value, is_public)
