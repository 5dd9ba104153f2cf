"""Where declarations stand in a file of C or C++, through conditions, namespaces and classes."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import Source

_THROUGH = code.names("cfamily.grammar.through")
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_DEPTH_MAX = 60


class Item(NamedTuple):
    """A declaration. `whole` begins before `node` where that is a template. `space` are the dotted
    namespaces around it, `is_hidden` says that only this file sees it, `is_private` that only its
    class does; `owner` is the class that it stands in."""

    node: Node
    whole: Node
    space: str
    is_hidden: bool
    is_private: bool
    owner: str


class _Frame(NamedTuple):
    children: list[Node]
    template: Node | None
    space: str
    is_hidden: bool
    is_private: bool
    owner: str
    depth: int


def items(source: Source) -> tuple[Item, ...]:
    """By place; not those inside functions."""
    found: list[Item] = []
    waiting = [_Frame(source.root.named_children, None, "", False, False, "", 0)]
    while waiting:
        frame = waiting.pop()
        for node in frame.children:
            kind = node.type
            if kind == "access_specifier":
                frame = frame._replace(is_private=not source.text(node).startswith("public"))
            elif frame.depth >= _DEPTH_MAX or kind == "comment":
                continue
            elif kind in _THROUGH:
                is_template = kind == "template_declaration"
                waiting.append(
                    frame._replace(
                        children=node.named_children,
                        depth=frame.depth + 1,
                        template=(frame.template or node) if is_template else frame.template,
                    )
                )
            elif kind == "namespace_definition":
                waiting += _namespace(source, node, frame)
            else:
                found.append(
                    Item(
                        node,
                        frame.template or node,
                        frame.space,
                        frame.is_hidden,
                        frame.is_private,
                        frame.owner,
                    )
                )
                waiting += _class(source, node, frame)
    return tuple(sorted(found, key=lambda item: item.node.start_byte))


def _namespace(source: Source, node: Node, frame: _Frame) -> list[_Frame]:
    body = node.child_by_field_name("body")
    if body is None:
        return []
    name = source.part(node, "name").replace("::", ".").replace(" ", "")
    return [
        frame._replace(
            children=body.named_children,
            depth=frame.depth + 1,
            space=".".join(filter(None, [frame.space, name])),
            is_hidden=frame.is_hidden or not name,
        )
    ]


def _class(source: Source, node: Node, frame: _Frame) -> list[_Frame]:
    """The members of a class that a declaration makes."""
    made = node if node.type in _CLASSES else node.child_by_field_name("type")
    body = made.child_by_field_name("body") if made and made.type in _CLASSES else None
    name = source.part(made, "name") if made else ""
    if made is None or body is None or not name:
        return []
    return [
        frame._replace(
            children=body.named_children,
            depth=frame.depth + 1,
            template=None,
            is_private=made.type == "class_specifier",
            owner=name.partition("<")[0],
        )
    ]
