"""What a file of Go declares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    above,
    child,
    first_child,
    first_sentence,
    inside,
)
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import SymbolKind

_KINDS: dict[str, SymbolKind] = {
    "const_spec": "constant",
    "function_declaration": "function",
    "interface_type": "interface",
    "method_declaration": "method",
    "method_elem": "method",
    "struct_type": "struct",
    "var_spec": "variable",
}
_MARK = re.compile(
    r"^[ \t]*@((?i:accept|deprecated|description|failure|id|param|produce|router|security|success"
    r"|summary|tags|title|version))\b(.*)",
    re.MULTILINE,
)
_GODOC = re.compile(r"^[\w.]+ godoc\b")
_VALUES = frozenset({"const_spec", "var_spec"})
_TYPES = frozenset({"type_alias", "type_spec"})
_LISTS = ("const_declaration", "type_declaration", "var_declaration")


def declared(unit: Unit) -> Iterator[Declared]:
    """Everything at top level, and the methods that interfaces ask for; public for no other package
    where the file is of the package `main`."""
    comments, is_main = unit.comments, unit.package == "main"
    for node in unit.nodes["declared"]:
        type_ = child(node, "type") if node.type in _TYPES else None
        kind = _KINDS.get(type_.type if type_ else node.type, "type")
        whole, within = _whole(node), receiver_of(unit, node)
        # Only a declaration in one line has its keyword: `const (` begins a group, also of one.
        is_grouped = node.type in _VALUES and whole.start_point.row != node.start_point.row
        doc = first_sentence(_unmarked(comments.before(node) or comments.before(whole)))
        bases = tuple(_bases(unit, type_)) if type_ else ()
        names = [name for name in node.children_by_field_name("name") if name.is_named]
        for named in names:
            name = unit.text(named)
            if name != "_" or node.type not in _VALUES:
                is_public = not is_main and is_exported(name)
                is_public = is_public and (not within or is_exported(within))
                is_alone = len(names) == 1
                place, body = (
                    (node if is_grouped else whole, _body(node, type_))
                    if is_alone
                    else (named, None)
                )
                yield Declared(place, name, kind, body, is_public, doc, bases, within=within)


def _unmarked(comment: str) -> str:
    """A comment without the marks that an OpenAPI description is made from: what they describe,
    else sum up, else what stands before them."""
    marks = _MARK.findall(comment)
    if not marks:
        return comment
    for name in ("description", "summary"):
        if told := " ".join(text.strip() for mark, text in marks if mark.lower() == name):
            return told
    return _GODOC.sub("", comment.partition("@")[0])


def is_exported(name: str) -> bool:
    """True for a name that begins with a capital letter: other packages may use it."""
    return name[:1].isupper()


def receiver_of(source: Source, node: Node) -> str:
    """The name of the type that a method belongs to."""
    told = source.part(node, "receiver").strip("() \t\n,")
    return told.rpartition("*")[2].partition("[")[0].split(" ")[-1] if told else ""


def _whole(node: Node) -> Node:
    """The declaration around a name where it declares one thing alone."""
    around = above(node, *_LISTS) if node.type in _TYPES | _VALUES else None
    if around is None:
        return node
    specs = inside(first_child(around, "var_spec_list") or around)
    return around if sum(spec.type in _TYPES | _VALUES for spec in specs) == 1 else node


def _body(node: Node, type_: Node | None) -> Node | None:
    """Where the signature ends."""
    if type_ is not None and type_.type == "interface_type":
        return next((sign for sign in type_.children if sign.type == "{"), None)
    if type_ is not None:
        return child(type_) if type_.type == "struct_type" else None
    return node.child_by_field_name("value" if node.type in _VALUES else "body")


def _bases(source: Source, type_: Node) -> Iterator[str]:
    """Types that are embedded."""
    if type_.type == "interface_type":
        for element in type_.named_children:
            if element.type == "type_elem" and len(element.named_children) == 1:
                yield source.text(element)
    if type_.type == "struct_type":
        for body in type_.named_children:
            for field in body.named_children:
                if field.type == "field_declaration" and not child(field, "name"):
                    yield source.part(field, "type")
