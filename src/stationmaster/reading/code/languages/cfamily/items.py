"""The declarations in a file of C or C++, through conditions, namespaces and classes."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import Source, child

_THROUGH = code.names("cfamily.grammar.through")
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_NAMESPACE = "namespace_definition"
_DEPTH_MAX = 60


class Item(NamedTuple):
    """A declaration. `template` is the one around it, `space` the dotted namespaces; `is_hidden`
    if only this file sees it, `is_private` if only its class does; `owner` is the class around
    it."""

    node: Node
    template: Node | None = None
    space: str = ""
    is_hidden: bool = False
    is_private: bool = False
    owner: str = ""

    @property
    def whole(self) -> Node:
        """The declaration from where its template begins."""
        return self.template or self.node


def items(source: Source) -> tuple[Item, ...]:
    """The declarations by place, without those inside functions."""
    rows: list[Item] = []
    waiting = [(source.root, Item(source.root), 0)]
    while waiting:
        holder, around, depth = waiting.pop()
        for node in holder.named_children if depth < _DEPTH_MAX else ():
            if node.type == "access_specifier":
                is_private = not source.text(node).startswith("public")
                around = around._replace(is_private=is_private)
            elif node.type != "comment":
                if node.type not in _THROUGH and node.type != _NAMESPACE:
                    rows.append(around._replace(node=node))
                if inner := _inside(source, node, around):
                    waiting.append((*inner, depth + 1))
    return tuple(sorted(rows, key=lambda item: item.node.start_byte))


def _inside(source: Source, node: Node, around: Item) -> tuple[Node, Item] | None:
    """The node with the declarations inside one, and the scope around them; None for others."""
    if node.type in _THROUGH:
        is_template = node.type == "template_declaration" and around.template is None
        return node, around._replace(template=node) if is_template else around
    made = node if node.type in _CLASSES else child(node, "type")
    if node.type == _NAMESPACE:
        made, name = node, source.part(node, "name").replace("::", ".").replace(" ", "")
        space = ".".join(filter(None, [around.space, name]))
        around = around._replace(space=space, is_hidden=around.is_hidden or not name)
    elif made is not None and made.type in _CLASSES and (name := source.part(made, "name")):
        is_private, owner = made.type == "class_specifier", name.partition("<")[0]
        around = around._replace(template=None, is_private=is_private, owner=owner)
    else:
        return None
    body = child(made, "body")
    return (body, around) if body is not None else None
