"""Kotlin. Source: wiki reference, 6.5."""

from __future__ import annotations

import tree_sitter_kotlin
from tree_sitter import Node

from stationmaster.code.languages import docs, jvm
from stationmaster.code.languages.source import (
    Comments,
    Declared,
    Scopes,
    Source,
    declarations,
    line_of,
    one_line,
    receiver,
    references,
    remarks,
)
from stationmaster.code.model import Call, FileFacts, Import, SymbolKind

_QUERY = """
(package_header (qualified_identifier) @package)
(import) @import
[
  (class_declaration) (object_declaration) (function_declaration) (property_declaration)
  (secondary_constructor) (enum_entry) (type_alias) (class_parameter)
] @declared
(object_literal (class_body) @anonymous)
(call_expression) @call
[(line_comment) (block_comment)] @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class", "object_declaration": "object",
    "function_declaration": "function", "property_declaration": "property",
    "secondary_constructor": "constructor", "enum_entry": "constant", "type_alias": "type",
    "class_parameter": "property",
}  # fmt: skip
_HIDDEN = frozenset({"private", "protected", "internal"})
_BODIES = frozenset({
    "function_body", "class_body", "enum_class_body", "getter", "setter", "property_delegate",
    "block", "=",
})  # fmt: skip
_OUTER = frozenset({"class_body", "enum_class_body", "source_file"})


def grammar() -> object:
    return tree_sitter_kotlin.language()


def read(source: Source) -> FileFacts:
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    package = found.get("package")
    facts = FileFacts(lines=source.lines, package=source.text(package[0]) if package else "")
    facts.imports = tuple(_import(source, node) for node in found.get("import", ()))
    hidden = [(node.start_byte, node.end_byte) for node in found.get("anonymous", ())]
    declared = [
        made
        for node in found.get("declared", ())
        if not any(start <= node.start_byte < end for start, end in hidden)
        and (made := _declared(source, node, comments)) is not None
    ]
    facts.symbols, scopes = declarations(source, declared)
    skipped = [*notes, *found.get("import", ()), *(package or ())]
    skipped.sort(key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, jvm.KNOWN)
    facts.calls = _calls(source, found.get("call", []), scopes)
    facts.marks = remarks(source, notes)
    return facts


def _import(source: Source, node: Node) -> Import:
    name = source.text(node.named_children[0]) if node.named_children else ""
    if any(child.type == "*" for child in node.children):
        return Import(name, line_of(node), names=("*",), bound=("*",))
    alias = node.named_children[-1] if len(node.named_children) > 1 else None
    bound = source.text(alias) if alias is not None else name.rpartition(".")[2]
    return Import(name, line_of(node), bound=(bound,))


def _declared(source: Source, node: Node, comments: Comments) -> Declared | None:
    kind = _KINDS[node.type]
    words: set[str] = set()
    marks: list[str] = []
    bases: tuple[str, ...] = ()
    first = body = None
    for child in node.children:
        match child.type:
            case "modifiers":
                for each in child.children:
                    if each.type == "annotation":
                        marks.append(_name_of(source, each))
                    else:
                        words.add(source.text(each))
                        first = first or each
                continue
            case "interface" | "val" | "var":
                words.add(child.type)
            case "delegation_specifiers":
                bases = tuple(
                    one_line(source.text(each).partition("(")[0]) for each in child.named_children
                )
        first = first or child
        if child.type in _BODIES:
            body = body or child
    name = _name(source, node)
    if not name or not _counts(node, words):
        return None
    if kind == "class" and ("interface" in words or "enum" in words):
        kind = "interface" if "interface" in words else "enum"
    if "const" in words:
        kind = "constant"
    is_public = words.isdisjoint(_HIDDEN)
    if kind == "property" and "private" in words and not marks:
        return None
    return Declared(
        node, name, kind, body, is_public, docs.sentence(comments.before(node, ("/**",))), bases,
        tuple(marks), head=first,
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


def _calls(source: Source, nodes: list[Node], scopes: Scopes) -> tuple[Call, ...]:
    calls = []
    for node in nodes:
        called = node.child(0)
        of: Node | None = None
        if called is not None and called.type == "navigation_expression":
            of = called.child(0)
            called = called.named_children[-1]
        if called is not None and called.type == "identifier":
            on = receiver(source, of)
            at = scopes.at(node.start_byte)
            calls.append(Call(source.text(called), line_of(called), on, at))
    return tuple(sorted(calls, key=lambda each: each.line))
