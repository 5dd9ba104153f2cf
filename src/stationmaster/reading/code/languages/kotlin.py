"""Kotlin."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import jvm
from stationmaster.reading.code.languages.annotations import Annotated, Head
from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    child,
    first_child,
    line_of,
)
from stationmaster.reading.code.languages.unit import Called, Field
from stationmaster.reading.code.model import Import, SymbolKind

_KINDS = code.table("jvm.kotlin.kinds", dict[str, SymbolKind])
_HIDDEN = frozenset({"private", "protected", "internal"})
_BODIES = code.names("jvm.kotlin.bodies")
_OUTER = frozenset({"class_body", "enum_class_body", "source_file"})


class File(Annotated):
    """A file of Kotlin."""

    KINDS, KNOWN, CALLS = _KINDS, jvm.KNOWN, jvm.CALLS

    def importing(self, node: Node) -> Iterator[Import]:
        """The imports of a statement."""
        name = self.text(node.named_children[0]) if node.named_children else ""
        if any(part.type == "*" for part in node.children):
            yield Import(name, line_of(node), names=("*",), bound=("*",))
            return
        alias = node.named_children[-1] if len(node.named_children) > 1 else None
        bound = self.text(alias) if alias is not None else name.rpartition(".")[2]
        yield Import(name, line_of(node), bound=(bound,))

    def declaring(self, node: Node, head: Head) -> Iterator[Declared]:
        """The symbol of a declaration."""
        kind, words = _KINDS[node.type], head.words
        name = _name(self, node)
        if not name or not _counts(node, words):
            return
        if kind == "class" and ("interface" in words or "enum" in words):
            kind = "interface" if "interface" in words else "enum"
        if "const" in words:
            kind = "constant"
        if kind == "property" and "private" in words and not head.notes:
            return
        body = next((part for part in node.children if part.type in _BODIES), None)
        yield Declared(node, name, kind, body, words.isdisjoint(_HIDDEN))

    def note(self, node: Node) -> tuple[str, Node | None]:
        """The name of an annotation, and its arguments."""
        inner = node.named_children[-1] if node.named_children else None
        called = (
            inner.named_children[-1] if inner and inner.type == "constructor_invocation" else None
        )
        return _name_of(self, node), called

    def fields(self, node: Node) -> list[Field]:
        """The properties of a class, those of its constructor first."""
        fields = []
        waiting = list(reversed(node.named_children))
        while waiting:
            member = waiting.pop()
            if member.type in ("primary_constructor", "class_parameters", "class_body"):
                waiting += reversed(member.named_children)
            elif member.type in ("class_parameter", "property_declaration"):
                made = self.field(member, None, _type(self, member))
                fields.append(made._replace(name=_name(self, member)))
        return fields

    @cached_property
    def called(self) -> list[Called]:
        """The calls that readers use, each with the block behind its arguments, which is a call
        around it in the grammar."""
        return [self._with_block(call) for call in super().called]

    def _with_block(self, call: Called) -> Called:
        node, outer = call.node, call.node.parent
        is_head = outer is not None and outer.type == node.type and outer.child(0) == node
        call.node = outer if outer is not None and is_head else node
        call.listed = first_child(node, "value_arguments")
        return call


READERS = jvm.READERS


def _counts(node: Node, words: frozenset[str]) -> bool:
    """True for a declaration that is neither a variable of a function nor a plain parameter."""
    if node.type == "class_parameter":
        return "val" in words or "var" in words
    return node.type != "property_declaration" or bool(node.parent and node.parent.type in _OUTER)


def _name(source: Source, node: Node) -> str:
    if node.type == "secondary_constructor":
        return "constructor"
    named = child(node, "name") or child(node, "type")
    if named is None:
        for part in node.named_children:
            if part.type == "identifier":
                named = part
            elif part.type == "variable_declaration":
                named = part.named_children[0]
            if named is not None:
                break
    return source.text(named).strip("`")


def _name_of(source: Source, annotation: Node) -> str:
    """`Foo` of `@Foo("x")` and of `@field:a.Foo`."""
    return source.text(annotation).partition("(")[0].lstrip("@").rpartition(":")[2].strip()


def _type(source: Source, node: Node) -> str:
    """The type that a property or parameter declares; '' without one."""
    inside = node.named_children
    declaration = next(
        (child_node for child_node in inside if child_node.type == "variable_declaration"), node
    )
    types = (
        child_node
        for child_node in declaration.named_children
        if child_node.type in ("user_type", "nullable_type")
    )
    return source.text(next(types, None))
