"""Kotlin."""

from __future__ import annotations

import tree_sitter_kotlin
from tree_sitter import Node

from stationmaster.reading.code.languages import docs, jvm, tagged
from stationmaster.reading.code.languages.items import Called, Field
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
(package_header (qualified_identifier) @package)
(import) @import
[
  (class_declaration) (object_declaration) (function_declaration) (property_declaration)
  (secondary_constructor) (enum_entry) (type_alias) (class_parameter)
] @declared
(object_literal (class_body) @anonymous)
[(line_comment) (block_comment)] @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "object_declaration": "object",
    "function_declaration": "function",
    "property_declaration": "property",
    "secondary_constructor": "constructor",
    "enum_entry": "constant",
    "type_alias": "type",
    "class_parameter": "property",
}
_HIDDEN = frozenset({"private", "protected", "internal"})
_BODIES = frozenset(
    {
        "function_body",
        "class_body",
        "enum_class_body",
        "getter",
        "setter",
        "property_delegate",
        "block",
        "=",
    }
)
_OUTER = frozenset({"class_body", "enum_class_body", "source_file"})


def grammar() -> object:
    """The tree-sitter grammar of Kotlin, as `tree_sitter.Language` takes it."""
    return tree_sitter_kotlin.language()


def read(source: Source) -> FileFacts:
    """The facts of a Kotlin file: declarations, imports, calls, and what uses JVM frameworks."""
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    package = found.get("package")
    facts = FileFacts(lines=source.lines, package=source.text(package[0]) if package else "")
    facts.imports = tuple(_import(source, node) for node in found.get("import", ()))
    noted: list[tuple[Node, list[Node]]] = []
    hidden = [(node.start_byte, node.end_byte) for node in found.get("anonymous", ())]
    declared = [
        made
        for node in found.get("declared", ())
        if not any(start <= node.start_byte < end for start, end in hidden)
        and (made := _declared(source, node, comments, noted)) is not None
    ]
    facts.symbols, scopes = declarations(source, declared)
    skipped = [*notes, *found.get("import", ()), *(package or ())]
    skipped.sort(key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, jvm.KNOWN)
    facts.calls, called, _ = tagged.calls(source, "kotlin", scopes, jvm.CALLS)
    called = [_with_block(call) for call in called]
    facts.marks = remarks(source, notes)
    wired = [_noted(source, node, each, scopes) for node, each in noted]
    jvm.wire(source, facts, wired, called, lambda node: _fields(source, node))
    return facts


def _import(source: Source, node: Node) -> Import:
    name = source.text(node.named_children[0]) if node.named_children else ""
    if any(child.type == "*" for child in node.children):
        return Import(name, line_of(node), names=("*",), bound=("*",))
    alias = node.named_children[-1] if len(node.named_children) > 1 else None
    bound = source.text(alias) if alias is not None else name.rpartition(".")[2]
    return Import(name, line_of(node), bound=(bound,))


def _declared(
    source: Source, node: Node, comments: Comments, noted: list[tuple[Node, list[Node]]]
) -> Declared | None:
    """`noted` takes what has annotations."""
    kind = _KINDS[node.type]
    words: set[str] = set()
    notes: list[Node] = []
    bases: tuple[str, ...] = ()
    first = body = None
    for child in node.children:
        match child.type:
            case "modifiers":
                for each in child.children:
                    if each.type == "annotation":
                        notes.append(each)
                    else:
                        words.add(source.text(each))
                        first = first or each
                continue
            case "interface" | "val" | "var":
                words.add(child.type)
            case "delegation_specifiers":
                bases = tuple(
                    one_line(source.text(named_child).partition("(")[0])
                    for named_child in child.named_children
                )
        first = first or child
        if child.type in _BODIES:
            body = body or child
    name = _name(source, node)
    if not name or not _counts(node, words):
        return None
    if notes:
        noted.append((node, notes))
    if kind == "class" and ("interface" in words or "enum" in words):
        kind = "interface" if "interface" in words else "enum"
    if "const" in words:
        kind = "constant"
    is_public = words.isdisjoint(_HIDDEN)
    if kind == "property" and "private" in words and not notes:
        return None
    return Declared(
        node, name, kind, body, is_public, docs.sentence(comments.before(node, ("/**",))), bases,
        tuple(_name_of(source, note) for note in notes), head=first,
    )  # fmt: skip


def _counts(node: Node, words: set[str]) -> bool:
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
    given = next((child for child in node.named_children if child.type == "value_arguments"), None)
    is_head = outer is not None and outer.type == node.type and outer.child(0) == node
    return call._replace(node=outer if outer is not None and is_head else node, given=given)


def _noted(source: Source, node: Node, notes: list[Node], scopes: Scopes) -> Noted:
    qualified = scopes.at(node.start_byte)
    kind = _KINDS[node.type]
    if kind == "function" and "." in qualified:
        kind = "method"
    return Noted(node, qualified.rpartition(".")[2], kind, qualified, _notes(source, notes))


def _notes(source: Source, nodes: list[Node]) -> dict[str, Note]:
    notes = {}
    for node in nodes:
        held = node.named_children[-1] if node.named_children else None
        given = held.named_children[-1] if held and held.type == "constructor_invocation" else None
        note = Note(source, _name_of(source, node), node, given)
        notes[note.written.rpartition(".")[2]] = note
    return notes


def _fields(source: Source, node: Node) -> list[Field]:
    """What a class keeps: its properties, those of its constructor first."""
    fields = []
    waiting = list(reversed(node.named_children))
    while waiting:
        each = waiting.pop()
        if each.type in ("primary_constructor", "class_parameters", "class_body"):
            waiting += reversed(each.named_children)
        elif each.type in ("class_parameter", "property_declaration"):
            notes = [
                note
                for child in each.children
                if child.type == "modifiers"
                for note in child.children
                if note.type == "annotation"
            ]
            fields.append(
                Field(
                    _name(source, each), _type(source, each), line_of(each), _notes(source, notes)
                )
            )
    return fields


def _type(source: Source, node: Node) -> str:
    """The type that a property or parameter declares; '' without one."""
    held = next(
        (
            named_child
            for named_child in node.named_children
            if named_child.type == "variable_declaration"
        ),
        node,
    )
    named_childs = (
        named_child
        for named_child in held.named_children
        if named_child.type in ("user_type", "nullable_type")
    )
    return one_line(source.text(next(named_childs, None)), 80)
