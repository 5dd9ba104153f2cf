"""Kotlin."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import items, jvm
from stationmaster.reading.code.languages.items import Called, Field, Form
from stationmaster.reading.code.languages.notes import Head
from stationmaster.reading.code.languages.source import Declared, Source, first_child, line_of
from stationmaster.reading.code.model import FileFacts, Import, SymbolKind

_KINDS = code.table("jvm.kotlin.kinds", dict[str, SymbolKind])
_HIDDEN = frozenset({"private", "protected", "internal"})
_BODIES = code.names("jvm.kotlin.bodies")
_OUTER = frozenset({"class_body", "enum_class_body", "source_file"})


def read(source: Source) -> FileFacts:
    """The facts of a Kotlin file: declarations, imports, calls, and what uses JVM frameworks."""
    return items.read(source, _FORM)


def _imports(source: Source, node: Node) -> Iterator[Import]:
    name = source.text(node.named_children[0]) if node.named_children else ""
    if any(child.type == "*" for child in node.children):
        yield Import(name, line_of(node), names=("*",), bound=("*",))
        return
    alias = node.named_children[-1] if len(node.named_children) > 1 else None
    bound = source.text(alias) if alias is not None else name.rpartition(".")[2]
    yield Import(name, line_of(node), bound=(bound,))


def _declared(source: Source, node: Node, head: Head) -> Iterator[Declared]:
    kind, words = _KINDS[node.type], head.words
    name = _name(source, node)
    if not name or not _counts(node, words):
        return
    if kind == "class" and ("interface" in words or "enum" in words):
        kind = "interface" if "interface" in words else "enum"
    if "const" in words:
        kind = "constant"
    if kind == "property" and "private" in words and not head.notes:
        return
    body = next((child for child in node.children if child.type in _BODIES), None)
    yield Declared(node, name, kind, body, words.isdisjoint(_HIDDEN))


def _counts(node: Node, words: frozenset[str]) -> bool:
    """Whether it is a declaration of its own: no variable of a function, no mere parameter."""
    if node.type == "class_parameter":
        return "val" in words or "var" in words
    return node.type != "property_declaration" or bool(node.parent and node.parent.type in _OUTER)


def _name(source: Source, node: Node) -> str:
    if node.type == "secondary_constructor":
        return "constructor"
    named = node.child_by_field_name("name") or node.child_by_field_name("type")
    if named is None:
        for child in node.named_children:
            if child.type == "identifier":
                named = child
            elif child.type == "variable_declaration":
                named = child.named_children[0]
            if named is not None:
                break
    return source.text(named).strip("`")


def _name_of(source: Source, annotation: Node) -> str:
    """`Foo` of `@Foo("x")` and of `@field:a.Foo`."""
    return source.text(annotation).partition("(")[0].lstrip("@").rpartition(":")[2].strip()


def _with_block(call: Called) -> Called:
    """With the block behind its arguments, which is a call around it in the grammar."""
    node, outer = call.node, call.node.parent
    given = first_child(node, "value_arguments")
    is_head = outer is not None and outer.type == node.type and outer.child(0) == node
    return call._replace(node=outer if outer is not None and is_head else node, given=given)


def _note(source: Source, node: Node) -> tuple[str, Node | None]:
    held = node.named_children[-1] if node.named_children else None
    given = held.named_children[-1] if held and held.type == "constructor_invocation" else None
    return _name_of(source, node), given


def _fields(source: Source, node: Node) -> list[Field]:
    """What a class keeps: its properties, those of its constructor first."""
    fields = []
    waiting = list(reversed(node.named_children))
    while waiting:
        each = waiting.pop()
        if each.type in ("primary_constructor", "class_parameters", "class_body"):
            waiting += reversed(each.named_children)
        elif each.type in ("class_parameter", "property_declaration"):
            made = _FORM.field(source, each, None, _type(source, each))
            fields.append(made._replace(name=_name(source, each)))
    return fields


def _type(source: Source, node: Node) -> str:
    """The type that a property or parameter declares; '' without one."""
    inside = node.named_children
    held = next((each for each in inside if each.type == "variable_declaration"), node)
    types = (each for each in held.named_children if each.type in ("user_type", "nullable_type"))
    return source.text(next(types, None))


_FORM = Form(
    _declared, _imports, _note, _fields, _KINDS, jvm.KNOWN, jvm.CALLS, jvm.READERS, call=_with_block
)
