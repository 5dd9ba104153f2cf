"""PHP. Source: wiki reference, 6.9."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_php
from tree_sitter import Node

from stationmaster.code.languages import docs
from stationmaster.code.languages.source import (
    Comments,
    Declared,
    Source,
    declarations,
    line_of,
    literal,
    one_line,
    receiver,
    references,
    remarks,
)
from stationmaster.code.model import Call, FileFacts, Import, SymbolKind

_QUERY = """
(namespace_definition name: (_) @namespace)
(namespace_use_declaration) @use
[
  (class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)
  (method_declaration) (function_definition) (const_declaration) (property_declaration)
  (enum_case)
] @declared
(anonymous_class body: (_) @anonymous)
(use_declaration) @trait
[
  (require_expression) (require_once_expression) (include_expression) (include_once_expression)
] @include
[
  (member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression)
  (function_call_expression) (object_creation_expression)
] @call
(comment) @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class", "interface_declaration": "interface",
    "trait_declaration": "trait", "enum_declaration": "enum", "method_declaration": "method",
    "function_definition": "function", "const_declaration": "constant",
    "property_declaration": "property", "enum_case": "constant",
}  # fmt: skip
_NAMED = re.compile(
    rb"'(?:[^'\\]|\\.)*+'"
    rb'|"(?:[^"\\]|\\.)*+"'
    rb"|(?<![\w$\\>:])(\\?[A-Z]\w*(?:\\\w+)*)"
)
KNOWN = frozenset({
    "ArrayAccess", "Closure", "Countable", "DateTime", "DateTimeImmutable", "DateTimeInterface",
    "Exception", "FALSE", "Generator", "InvalidArgumentException", "Iterator", "IteratorAggregate",
    "JsonException", "LogicException", "NULL", "PHP_EOL", "RuntimeException", "SplFileInfo",
    "Stringable", "TRUE", "Throwable", "Traversable", "UnexpectedValueException",
})  # fmt: skip
"""Names that need no import and are the language's own."""


def grammar() -> object:
    return tree_sitter_php.language_php()


def read(source: Source) -> FileFacts:
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    facts = FileFacts(lines=source.lines)
    spaces = found.get("namespace", [])
    facts.package = source.text(spaces[0]) if spaces else ""
    facts.imports = tuple(each for node in found.get("use", ()) for each in _uses(source, node))
    hidden = [(node.start_byte, node.end_byte) for node in found.get("anonymous", ())]
    declared = [
        each
        for node in found.get("declared", ())
        if not any(start <= node.start_byte < end for start, end in hidden)
        for each in _declared(source, node, comments)
    ]
    facts.symbols, scopes = declarations(source, declared)
    skipped = [*notes, *found.get("use", ()), *spaces]
    skipped.sort(key=lambda node: node.start_byte)
    named = references(source, skipped, facts, KNOWN, _NAMED)
    facts.imports += tuple(
        each for each in named if "\\" not in each.name[1:] or each.name[0] == "\\"
    )
    facts.imports += tuple(
        Import(name, line_of(node), "include")
        for node in found.get("include", ())
        if (name := _included(source, node))
    )
    facts.calls = tuple(
        Call(name, line_of(at), of, scopes.at(node.start_byte))
        for node in found.get("call", ())
        for name, of, at in _call(source, node)
    )
    facts.marks = remarks(source, notes)
    return facts


def _uses(source: Source, node: Node) -> Iterator[Import]:
    """`use A\\B;`, `use A\\{B, C as D};`, `use function A\\b;`"""
    group = node.child_by_field_name("body")
    prefix = source.text(node.named_children[0]) + "\\" if group is not None else ""
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause":
            continue
        alias = clause.child_by_field_name("alias")
        name = prefix + source.text(clause.named_children[0]).lstrip("\\")
        bound = source.text(alias) if alias is not None else name.rpartition("\\")[2]
        yield Import(name, line_of(clause), bound=(bound,))


def _included(source: Source, node: Node) -> str:
    """The path that is included, seen from the file's folder; '' for what is no literal."""
    given: Node | None = node.named_children[0] if node.named_children else None
    while given is not None and given.type == "parenthesized_expression":
        given = given.named_children[0]
    if given is not None and given.type == "binary_expression":
        left = source.text(given.child_by_field_name("left"))
        if left not in ("__DIR__", "dirname(__FILE__)"):
            return ""
        return "." + (literal(source, given.child_by_field_name("right")) or "")
    return literal(source, given) or ""


def _declared(source: Source, node: Node, comments: Comments) -> list[Declared]:
    kind = _KINDS[node.type]
    words: set[str] = set()
    marks: list[str] = []
    bases: list[str] = []
    names = [node.child_by_field_name("name")]
    first = None
    for child in node.children:
        match child.type:
            case "attribute_list":
                marks += [
                    source.text(each.named_children[0])
                    for group in child.named_children
                    for each in group.named_children
                ]
                continue
            case "visibility_modifier":
                words.add(source.text(child))
            case "base_clause" | "class_interface_clause":
                bases += [one_line(source.text(each)) for each in child.named_children]
            case "const_element":
                names.append(child.named_children[0])
            case "property_element":
                names.append(child.child_by_field_name("name"))
        first = first or child
    comment = comments.before(node, ("/**",))
    is_public = words.isdisjoint(("private", "protected")) and "@internal" not in comment
    if kind == "property" and not is_public and not marks:
        return []
    body = node.child_by_field_name("body")
    return [
        Declared(
            node, source.text(name).lstrip("$"), kind, body, is_public, docs.sentence(comment),
            tuple(bases), tuple(marks), head=first,
        )
        for name in names
        if name is not None
    ]  # fmt: skip


def _call(source: Source, node: Node) -> Iterator[tuple[str, str, Node]]:
    """The name that is called, on what, and where."""
    if node.type == "object_creation_expression":
        made = node.named_children[0] if node.named_children else None
        if made is not None and made.type in ("name", "qualified_name"):
            yield source.text(made).rpartition("\\")[2], "", made
        return
    name = node.child_by_field_name("name") or node.child_by_field_name("function")
    if name is None or name.type not in ("name", "qualified_name"):
        return
    of = node.child_by_field_name("object") or node.child_by_field_name("scope")
    yield source.text(name).rpartition("\\")[2], receiver(source, of).lstrip("$"), name
