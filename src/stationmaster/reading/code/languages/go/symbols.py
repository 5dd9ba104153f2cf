"""What a file of Go declares."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Comments, Declared, Source, first_sentence
from stationmaster.reading.code.model import SymbolKind

_TYPES: dict[str, SymbolKind] = {"struct_type": "struct", "interface_type": "interface"}


def declared(source: Source, comments: Comments, is_main: bool) -> Iterator[Declared]:
    """Everything at top level, and the methods that interfaces ask for; public for no other package
    where the file is of the package `main`."""
    for node in source.root.named_children:
        match node.type:
            case "function_declaration" | "method_declaration":
                yield _function(source, node, comments, is_main)
            case "type_declaration":
                for spec in _specs(node):
                    yield from _type(source, node, spec, comments, is_main)
            case "const_declaration" | "var_declaration":
                for spec in _specs(node):
                    yield from _values(source, node, spec, comments, is_main)


def is_exported(name: str) -> bool:
    """True for a name that begins with a capital letter: other packages may use it."""
    return name[:1].isupper()


def receiver_of(source: Source, node: Node) -> str:
    """The name of the type that a method belongs to."""
    told = source.part(node, "receiver").strip("() \t\n,")
    return told.rpartition("*")[2].partition("[")[0].split(" ")[-1] if told else ""


def _function(source: Source, node: Node, comments: Comments, is_main: bool) -> Declared:
    name = source.part(node, "name")
    within = receiver_of(source, node)
    return Declared(
        node,
        name,
        "method" if within else "function",
        node.child_by_field_name("body"),
        not is_main and is_exported(name) and (not within or is_exported(within)),
        comments.sentence(node),
        within=within,
    )


def _specs(node: Node) -> list[Node]:
    found = []
    for child in node.named_children:
        if child.type == "var_spec_list":
            found += child.named_children
        else:
            found.append(child)
    return [each for each in found if each.type.endswith(("_spec", "_alias"))]


def _type(
    source: Source, node: Node, spec: Node, comments: Comments, is_main: bool
) -> Iterator[Declared]:
    name = source.part(spec, "name")
    type_ = spec.child_by_field_name("type")
    kind = _TYPES.get(type_.type, "type") if type_ else "type"
    is_public = not is_main and is_exported(name)
    body = None
    if type_ is not None and kind == "struct":
        body = next(iter(type_.named_children), None)
    elif type_ is not None and kind == "interface":
        body = next((n for n in type_.children if n.type == "{"), None)
    yield Declared(
        _whole(node, spec),
        name,
        kind,
        body,
        is_public,
        first_sentence(comments.before(spec) or comments.before(_whole(node, spec))),
        tuple(_bases(source, type_)) if type_ else (),
    )
    if type_ is not None and kind == "interface":
        for method in type_.named_children:
            if method.type == "method_elem":
                text = source.part(method, "name")
                yield Declared(
                    method,
                    text,
                    "method",
                    None,
                    is_public and is_exported(text),
                    comments.sentence(method),
                )


def _bases(source: Source, type_: Node) -> Iterator[str]:
    """Types that are embedded."""
    if type_.type == "interface_type":
        for element in type_.named_children:
            if element.type == "type_elem" and len(element.named_children) == 1:
                yield source.text(element)
    if type_.type == "struct_type":
        for body in type_.named_children:
            for field in body.named_children:
                if field.type == "field_declaration" and not field.child_by_field_name("name"):
                    yield source.part(field, "type")


def _values(
    source: Source, node: Node, spec: Node, comments: Comments, is_main: bool
) -> Iterator[Declared]:
    kind: SymbolKind = "constant" if spec.type == "const_spec" else "variable"
    value = spec.child_by_field_name("value")
    names = [each for each in spec.children_by_field_name("name") if each.is_named]
    for named in names:
        name = source.text(named)
        if name != "_":
            yield Declared(
                _whole(node, spec) if len(names) == 1 else named,
                name,
                kind,
                value if len(names) == 1 else None,
                not is_main and is_exported(name),
                first_sentence(comments.before(spec) or comments.before(_whole(node, spec))),
            )


def _whole(node: Node, spec: Node) -> Node:
    """The declaration where it declares one thing alone."""
    return node if len(_specs(node)) == 1 else spec
