"""What a Python file takes from others, and what it declares public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Import, ImportKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.python.module import Module


def imports_of(module: Module) -> tuple[Import, ...]:
    """The imports by place: `lazy` inside functions, `type` below `TYPE_CHECKING`."""
    imports: list[Import] = []
    for node in module.import_nodes:
        kind: ImportKind = "module"
        if any(start <= node.start_byte < end for start, end in module.typing):
            kind = "type"
        elif module.functions.at(node.start_byte):
            kind = "lazy"
        if node.type == "import_statement":
            imports += _import(module, node, kind)
        else:
            imports.append(_from(module, node, kind))
    return tuple(imports)


def _import(module: Module, node: Node, kind: ImportKind) -> Iterator[Import]:
    for named_child in node.named_children:
        if named_child.type == "aliased_import":
            name = module.part(named_child, "name")
            bound = module.part(named_child, "alias")
        elif named_child.type == "dotted_name":
            name = module.text(named_child)
            bound = name.partition(".")[0]
        else:
            continue
        yield Import(name, line_of(node), kind, bound=(bound,))


def _from(module: Module, node: Node, kind: ImportKind) -> Import:
    written = module.part(node, "module_name")
    bare = written.lstrip(".")
    names, bound = [], []
    for each in node.children_by_field_name("name"):
        if each.type == "aliased_import":
            names.append(module.part(each, "name"))
            bound.append(module.part(each, "alias"))
        else:
            names.append(module.text(each))
            bound.append(names[-1])
    if any(named_child.type == "wildcard_import" for named_child in node.named_children):
        names, bound = ["*"], ["*"]
    level = len(written) - len(bare)
    aliased = [
        named_child for named_child in node.named_children if named_child.type == "aliased_import"
    ]
    is_same = any(name == here for name, here in zip(names, bound, strict=True) if aliased)
    if kind == "module" and (is_same or set(bound).intersection(module.exports or ())):
        kind = "reexport"
    return Import(bare, line_of(node), kind, tuple(names), tuple(bound), level)


def exports_of(module: Module) -> tuple[str, ...] | None:
    """The names in `__all__`, where they are all literal."""
    for constant in module.constants:
        if constant.name == "__all__" and constant.value is not None:
            items = constant.value.named_children
            if constant.value.type in ("list", "tuple"):
                names = [module.literal(item) for item in items if item.type != "comment"]
                return tuple(name for name in names if name) if all(names) else None
    return None
