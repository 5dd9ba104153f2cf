"""PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_php
from tree_sitter import Node

from stationmaster.reading.code.languages import docs, tagged
from stationmaster.reading.code.languages.items import Field, unit
from stationmaster.reading.code.languages.notes import Note, Noted, Proof
from stationmaster.reading.code.languages.php import data, web, work
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Scopes,
    Source,
    declarations,
    line_of,
    literal,
    one_line,
    references,
    remarks,
)
from stationmaster.reading.code.model import FileFacts, Import, SymbolKind

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
(subscript_expression) @index
(comment) @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
    "method_declaration": "method",
    "function_definition": "function",
    "const_declaration": "constant",
    "property_declaration": "property",
    "enum_case": "constant",
}
_NAMED = re.compile(
    rb"'(?:[^'\\]|\\.)*+'"
    rb'|"(?:[^"\\]|\\.)*+"|\\[\'"]'
    rb"|(?<![\w$\\>:])(\\?[A-Z]\w*(?:\\\w+)*)"
)
KNOWN = frozenset(
    {
        "ArrayAccess",
        "Closure",
        "Countable",
        "DateTime",
        "DateTimeImmutable",
        "DateTimeInterface",
        "Exception",
        "FALSE",
        "Generator",
        "InvalidArgumentException",
        "Iterator",
        "IteratorAggregate",
        "JsonException",
        "LogicException",
        "NULL",
        "PHP_EOL",
        "RuntimeException",
        "SplFileInfo",
        "Stringable",
        "TRUE",
        "Throwable",
        "Traversable",
        "UnexpectedValueException",
    }
)
"""Names that need no import and are the language's own."""

_CALLS = web.CALLS | data.CALLS | work.CALLS


def grammar() -> object:
    """The tree-sitter grammar of PHP within HTML, as `tree_sitter.Language` takes it."""
    return tree_sitter_php.language_php()


def read(source: Source) -> FileFacts:
    """The facts of a PHP file: declarations, imports, calls, and what uses known frameworks."""
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    facts = FileFacts(lines=source.lines)
    spaces = found.get("namespace", [])
    facts.package = source.text(spaces[0]) if spaces else ""
    facts.imports = tuple(each for node in found.get("use", ()) for each in _uses(source, node))
    noted: list[tuple[Node, list[Node]]] = []
    hidden = [(node.start_byte, node.end_byte) for node in found.get("anonymous", ())]
    declared = [
        each
        for node in found.get("declared", ())
        if not any(start <= node.start_byte < end for start, end in hidden)
        for each in _declared(source, node, comments, noted)
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
    facts.calls, called, _ = tagged.calls(source, "php", scopes, _CALLS)
    facts.marks = remarks(source, notes)
    wired = [_noted(source, node, each, scopes) for node, each in noted]
    proof = Proof(facts.imports, "\\")
    wiring = unit(source, facts, wired, called, lambda node: _fields(source, node), proof)
    facts.routes, facts.mounts = web.wired(wiring)
    facts.settings = tuple(data.settings(wiring, found.get("index", [])))
    facts.entities = tuple(data.entities(wiring))
    facts.jobs = tuple(work.jobs(wiring))
    facts.tests = tuple(work.tests(wiring))
    facts.commands = tuple(work.commands(wiring))
    facts.entries = tuple(work.entries(wiring))
    facts.marks = wiring.marks("Deprecated")
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


def _declared(
    source: Source, node: Node, comments: Comments, noted: list[tuple[Node, list[Node]]]
) -> list[Declared]:
    """`noted` takes what has attributes."""
    kind = _KINDS[node.type]
    words: set[str] = set()
    notes: list[Node] = []
    bases: list[str] = []
    names = [node.child_by_field_name("name")]
    first = None
    for child in node.children:
        match child.type:
            case "attribute_list":
                notes += _attributes(child)
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
    if notes:
        noted.append((node, notes))
    if kind == "property" and not is_public and not notes:
        return []
    body = node.child_by_field_name("body")
    marks = tuple(source.text(each.named_children[0]) for each in notes)
    return [
        Declared(
            node,
            source.text(name).lstrip("$"),
            kind,
            body,
            is_public,
            docs.sentence(comment),
            tuple(bases),
            marks,
            head=first,
        )
        for name in names
        if name is not None
    ]


def _attributes(lists: Node) -> list[Node]:
    return [each for group in lists.named_children for each in group.named_children]


def _noted(source: Source, node: Node, notes: list[Node], scopes: Scopes) -> Noted:
    qualified = scopes.at(node.start_byte)
    name = qualified.rpartition(".")[2]
    return Noted(node, name, _KINDS[node.type], qualified, _notes(source, notes))


def _notes(source: Source, nodes: list[Node]) -> dict[str, Note]:
    found = {}
    for each in nodes:
        written = source.text(each.named_children[0]).lstrip("\\")
        given = each.child_by_field_name("parameters")
        found[written.rpartition("\\")[2]] = Note(source, written, each, given)
    return found


def _fields(source: Source, node: Node) -> list[Field]:
    """The properties of a class."""
    body = node.child_by_field_name("body")
    found = []
    for each in body.named_children if body is not None else ():
        if each.type == "property_declaration":
            attributes = each.child_by_field_name("attributes")
            notes = _attributes(attributes) if attributes is not None else []
            told = one_line(source.text(each.child_by_field_name("type")), 80)
            found += [
                Field(source.text(name).lstrip("$"), told, line_of(name), _notes(source, notes))
                for child in each.named_children
                if child.type == "property_element"
                and (name := child.child_by_field_name("name")) is not None
            ]
    return found
