"""Java."""

from __future__ import annotations

import tree_sitter_java
from tree_sitter import Node

from stationmaster.reading.code.languages import docs, jvm, tagged
from stationmaster.reading.code.languages.items import Field
from stationmaster.reading.code.languages.notes import Note, Noted
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Scopes,
    Source,
    declarations,
    line_of,
    one_line,
    references,
    remarks,
)
from stationmaster.reading.code.model import FileFacts, Import, SymbolKind

_QUERY = """
(package_declaration (_) @package .)
(import_declaration) @import
[
  (class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
  (annotation_type_declaration) (method_declaration) (constructor_declaration)
  (annotation_type_element_declaration) (enum_constant)
  (field_declaration) (constant_declaration)
] @declared
(object_creation_expression (class_body) @anonymous)
[(line_comment) (block_comment)] @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "class",
    "annotation_type_declaration": "interface",
    "method_declaration": "method",
    "constructor_declaration": "constructor",
    "annotation_type_element_declaration": "method",
    "enum_constant": "constant",
}
_OPEN = frozenset({"interface_body", "annotation_type_body"})
"""What is in these is public without saying so."""
_ANNOTATIONS = frozenset({"annotation", "marker_annotation"})
_BASES = frozenset({"superclass", "super_interfaces", "extends_interfaces"})


def grammar() -> object:
    """The tree-sitter grammar of Java, as `tree_sitter.Language` takes it."""
    return tree_sitter_java.language()


def read(source: Source) -> FileFacts:
    """The facts of a Java file: declarations, imports, calls, and what uses JVM frameworks."""
    found = source.captures(_QUERY)
    comments = Comments(source, found.get("comment", ()))
    package = found.get("package")
    facts = FileFacts(lines=source.lines, package=source.text(package[0]) if package else "")
    facts.imports = tuple(_import(source, node) for node in found.get("import", ()))
    noted: list[tuple[Node, list[Node]]] = []
    hidden = [(node.start_byte, node.end_byte) for node in found.get("anonymous", ())]
    declared = [
        each
        for node in found.get("declared", ())
        if not any(start <= node.start_byte < end for start, end in hidden)
        for each in _declared(source, node, comments, noted)
    ]
    facts.symbols, scopes = declarations(source, declared)
    facts.imports += references(source, found.get("comment", ()), facts, jvm.KNOWN)
    facts.calls, called, _ = tagged.calls(source, "java", scopes, jvm.CALLS)
    facts.marks = remarks(source, found.get("comment", ()))
    wired = [_noted(source, node, notes, scopes) for node, notes in noted]
    jvm.wire(source, facts, wired, called, lambda node: _fields(source, node))
    return facts


def _import(source: Source, node: Node) -> Import:
    words = [child.type for child in node.children]
    name = source.text(node.named_children[0])
    if "asterisk" in words:
        return Import(name, line_of(node), names=("*",), bound=("*",))
    bound = name.rpartition(".")[2]
    if "static" in words:
        return Import(name.rpartition(".")[0], line_of(node), names=(bound,), bound=(bound,))
    return Import(name, line_of(node), bound=(bound,))


def _declared(
    source: Source, node: Node, comments: Comments, noted: list[tuple[Node, list[Node]]]
) -> list[Declared]:
    """`noted` takes what has annotations."""
    words: set[str] = set()
    notes: list[Node] = []
    first = node.child(0)
    if first is not None and first.type == "modifiers":
        for child in first.children:
            if child.type in _ANNOTATIONS:
                notes.append(child)
            else:
                words.add(child.type)
    if notes:
        noted.append((node, notes))
    is_public = "public" in words or node.type == "enum_constant"
    if not is_public and words.isdisjoint(("private", "protected")):
        parent = node.parent
        is_public = parent is not None and parent.type in _OPEN
    marks = tuple(source.text(note.child_by_field_name("name")) for note in notes)
    kind = _KINDS.get(node.type)
    if kind is None:
        if "private" in words and not notes:
            return []
        is_fixed = node.type == "constant_declaration" or {"static", "final"} <= words
        kind = "constant" if is_fixed else "property"
    names = [node.child_by_field_name("name")]
    if names[0] is None:
        names = [
            each.child_by_field_name("name") for each in node.children_by_field_name("declarator")
        ]
    bases = tuple(
        base
        for child in (node.children if kind in ("class", "interface", "enum") else ())
        if child.type in _BASES
        for base in _types(source, child)
    )
    doc = docs.sentence(comments.before(node, ("/**",)))
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    return [
        Declared(
            node, source.text(name), kind, body, is_public, doc, bases, marks, head=_head(node)
        )
        for name in names
        if name is not None
    ]


def _head(node: Node) -> Node | None:
    """What follows the annotations of a declaration."""
    first = node.child(0)
    if first is None or first.type != "modifiers":
        return None
    after = next((child for child in first.children if child.type not in _ANNOTATIONS), None)
    return after or node.child(1)


def _types(source: Source, node: Node) -> list[str]:
    held = node.named_children
    if held and held[0].type == "type_list":
        held = held[0].named_children
    return [one_line(source.text(each)) for each in held]


def _noted(source: Source, node: Node, notes: list[Node], scopes: Scopes) -> Noted:
    qualified = scopes.at(node.start_byte)
    kind = _KINDS.get(node.type, "property")
    return Noted(node, qualified.rpartition(".")[2], kind, qualified, _notes(source, notes))


def _notes(source: Source, nodes: list[Node]) -> dict[str, Note]:
    made = [
        Note(
            source,
            source.text(node.child_by_field_name("name")),
            node,
            node.child_by_field_name("arguments"),
        )
        for node in nodes
    ]
    return {each.written.rpartition(".")[2]: each for each in made}


def _fields(source: Source, node: Node) -> list[Field]:
    """What a class keeps: fields that are not static, components of a record."""
    body = node.child_by_field_name("body")
    given = node.child_by_field_name("parameters")
    fields = []
    for each in (*(given.named_children if given else ()), *(body.named_children if body else ())):
        if each.type not in ("field_declaration", "formal_parameter"):
            continue
        first = each.child(0)
        modifiers = first.children if first is not None and first.type == "modifiers" else []
        if any(child.type == "static" for child in modifiers):
            continue
        notes = _notes(source, [child for child in modifiers if child.type in _ANNOTATIONS])
        holder = each.child_by_field_name("declarator") or each
        name = holder.child_by_field_name("name")
        if name is not None:
            text = source.text(each.child_by_field_name("type"))
            fields.append(Field(source.text(name), one_line(text, 80), line_of(name), notes))
    return fields
