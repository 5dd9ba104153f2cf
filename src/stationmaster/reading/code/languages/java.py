"""Java."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import jvm
from stationmaster.reading.code.languages.annotations import Annotated, Head, head_of
from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    child,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.unit import Called, Field
from stationmaster.reading.code.model import Import, SymbolKind

_KINDS = code.table("jvm.java.kinds", dict[str, SymbolKind])
_OPEN = frozenset({"interface_body", "annotation_type_body"})
"""What is in these is public without saying so."""
_TAKING = frozenset({"method_declaration", "constructor_declaration"})
_ANNOTATED = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*")
_MADE_OF = re.compile(r"\A([^<]*+)<.*>", re.DOTALL)


_LITERALS = {
    "class_literal": "Class",
    "string_literal": "String",
    "true": "boolean",
    "false": "boolean",
}
"""The types of literals, which select one of several overloads."""


class File(Annotated):
    """A file of Java."""

    KINDS, KNOWN, CALLS = _KINDS, jvm.KNOWN, jvm.CALLS

    def importing(self, node: Node) -> Iterator[Import]:
        """The imports of a statement."""
        words = [part.type for part in node.children]
        name = self.text(node.named_children[0])
        if "asterisk" in words:
            yield Import(name, line_of(node), names=("*",), bound=("*",))
            return
        holder, _, bound = name.rpartition(".")
        is_static = "static" in words
        names = (bound,) if is_static else ()
        yield Import(holder if is_static else name, line_of(node), names=names, bound=(bound,))

    def declaring(self, node: Node, head: Head) -> list[Declared]:
        """The symbols of a declaration."""
        words = head.words
        is_public = "public" in words or node.type == "enum_constant"
        if not is_public and words.isdisjoint(("private", "protected")):
            is_public = node.parent is not None and node.parent.type in _OPEN
        kind = _KINDS.get(node.type)
        if kind is None:
            if "private" in words and not head.notes:
                return []
            is_fixed = node.type == "constant_declaration" or {"static", "final"} <= words
            kind = "constant" if is_fixed else "property"
        name = child(node, "name")
        holders = [] if name else node.children_by_field_name("declarator")
        names = [name, *(child(holder, "name") for holder in holders)]
        body = child(node, "body") or child(node, "value")
        made = Declared(node, "", kind, body, is_public, takes=_takes(self, node))
        return made.named(self, names)

    def note(self, node: Node) -> tuple[str, Node | None]:
        """The name of an annotation, and its arguments."""
        return self.part(node, "name"), child(node, "arguments")

    def fields(self, node: Node) -> list[Field]:
        """The fields of a class that are not static, and the components of a record."""
        fields = []
        for member in (*inside(node, "parameters"), *inside(node, "body")):
            is_field = member.type in ("field_declaration", "formal_parameter")
            if is_field and "static" not in head_of(self, member).words:
                holder = child(member, "declarator") or member
                if name := child(holder, "name"):
                    fields.append(self.field(member, name, self.part(member, "type")))
        return fields

    def taken(self, call: Called) -> tuple[str, ...] | None:
        """The types of arguments that are literals, '' for others."""
        if call.listed is None:
            return None
        kinds = [argument.type for argument in call.listed.named_children]
        return tuple(_LITERALS.get(kind, "") for kind in kinds if not kind.endswith("comment"))


READERS = jvm.READERS


def _takes(source: Source, node: Node) -> str:
    """The types that a method or constructor takes, `…` behind one that it takes any number of."""
    if node.type not in _TAKING:
        return ""
    types = []
    for parameter in inside(node, "parameters"):
        if parameter.type == "formal_parameter":
            types.append(
                _simple(source.part(parameter, "type") + source.part(parameter, "dimensions"))
            )
        elif parameter.type == "spread_parameter":
            holder = next((it for it in parameter.children if it.type == "..."), parameter)
            before = holder.prev_sibling
            types.append(f"{_simple(source.text(before))}…")
    return one_line(f"({', '.join(types)})")


def _simple(type_: str) -> str:
    """The name of a type without its package, annotations and what it is made of."""
    bare = _MADE_OF.sub(r"\1", _ANNOTATED.sub("", type_))
    return "".join(bare.split()).rpartition(".")[2]
