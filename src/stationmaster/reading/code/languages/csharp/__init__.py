"""C#."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import tree_sitter_c_sharp
from tree_sitter import Node

from stationmaster.reading.code.languages import tagged
from stationmaster.reading.code.languages.csharp import data, web, work
from stationmaster.reading.code.languages.items import Field, unit
from stationmaster.reading.code.languages.notes import Note, Noted, Proof
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Scopes,
    Source,
    declarations,
    first_sentence,
    line_of,
    one_line,
    references,
    remarks,
)
from stationmaster.reading.code.model import FileFacts, Import, ImportKind, SymbolKind

_QUERY = """
[(namespace_declaration) (file_scoped_namespace_declaration)] @namespace
(using_directive) @using
[
  (class_declaration) (interface_declaration) (struct_declaration) (record_declaration)
  (enum_declaration) (delegate_declaration) (enum_member_declaration)
  (method_declaration) (constructor_declaration) (property_declaration)
  (field_declaration) (event_field_declaration)
] @declared
(element_access_expression) @index
(compilation_unit (global_statement) @top)
(comment) @comment
"""
_KINDS: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "struct_declaration": "struct",
    "record_declaration": "class",
    "enum_declaration": "enum",
    "delegate_declaration": "type",
    "enum_member_declaration": "constant",
    "method_declaration": "method",
    "constructor_declaration": "constructor",
    "property_declaration": "property",
    "field_declaration": "property",
    "event_field_declaration": "property",
}
_TYPES = frozenset({"class", "interface", "struct"})
_HIDDEN = frozenset({"private", "protected", "internal"})
_SUMMARY = re.compile(r"<summary>(.{0,4000}?)</summary>", re.DOTALL)
_CREF = re.compile(r"<\w+ (?:cref|name|langword|href)=\"(?:\w:)?([^\"]*)\"\s*/>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
KNOWN = frozenset(
    {
        "Action",
        "ArgumentException",
        "ArgumentNullException",
        "Array",
        "Attribute",
        "Boolean",
        "CancellationToken",
        "Console",
        "Convert",
        "DateTime",
        "DateTimeOffset",
        "Dictionary",
        "Encoding",
        "Enum",
        "Environment",
        "Equals",
        "Exception",
        "Func",
        "GetHashCode",
        "Guid",
        "HttpClient",
        "ICollection",
        "IDictionary",
        "IDisposable",
        "IEnumerable",
        "IList",
        "IReadOnlyCollection",
        "IReadOnlyDictionary",
        "IReadOnlyList",
        "Int32",
        "Int64",
        "InvalidOperationException",
        "List",
        "Math",
        "NotImplementedException",
        "NotSupportedException",
        "Nullable",
        "Object",
        "Random",
        "Regex",
        "Stream",
        "String",
        "StringBuilder",
        "StringComparison",
        "T",
        "TKey",
        "TValue",
        "Task",
        "TimeSpan",
        "ToString",
        "Tuple",
        "Type",
        "Uri",
        "ValueTask",
    }
)
"""Names of the library that every file may use."""

_CALLS = web.CALLS | data.CALLS | work.CALLS


def grammar() -> object:
    """The tree-sitter grammar of C#, as `tree_sitter.Language` takes it."""
    return tree_sitter_c_sharp.language()


def read(source: Source) -> FileFacts:
    """The facts of a C# file: declarations, imports, calls, and what uses .NET's frameworks."""
    found = source.captures(_QUERY)
    notes = found.get("comment", [])
    comments = Comments(source, notes)
    facts = FileFacts(lines=source.lines)
    spaces = [node.child_by_field_name("name") for node in found.get("namespace", ())]
    facts.package = source.text(spaces[0]) if spaces else ""
    facts.imports = tuple(
        each for node in found.get("using", ()) if (each := _using(source, node)) is not None
    )
    noted: list[tuple[Node, tuple[Node, ...]]] = []
    declared = [
        each
        for node in found.get("declared", ())
        for each in _declared(source, node, comments, noted)
    ]
    facts.symbols, scopes = declarations(source, declared)
    skipped = [*notes, *found.get("using", ()), *filter(None, spaces)]
    skipped.sort(key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, KNOWN)
    facts.calls, called, made = tagged.calls(source, "csharp", scopes, _CALLS)
    facts.marks = remarks(source, notes)
    wired = [_noted(source, node, each, scopes) for node, each in noted]
    proof = Proof(facts.imports)
    wiring = unit(source, facts, wired, called, lambda node: _fields(source, node), proof)
    facts.routes = tuple(web.routes(wiring, scopes))
    facts.wiring, facts.mounts = web.wiring(wiring, facts.routes)
    facts.settings = tuple(data.settings(wiring, found.get("index", [])))
    facts.entities = tuple(data.entities(wiring))
    facts.jobs = tuple(work.jobs(wiring))
    facts.tests = tuple(work.tests(wiring))
    facts.entries = tuple(work.entries(wiring, found.get("top", [])))
    facts.commands = tuple(work.commands(wiring, made))
    facts.marks = wiring.marks("Obsolete")
    return facts


def _using(source: Source, node: Node) -> Import | None:
    """`using A;`, `using static A.B;` and `using X = A.B;`; a global one hands on what it names."""
    words = [child.type for child in node.children]
    alias = node.child_by_field_name("name")
    named = node.named_children
    if not named or (alias is not None and len(named) < 2):
        return None
    name = source.text(named[-1]).partition("<")[0].removeprefix("global::")
    kind: ImportKind = "reexport" if "global" in words else "module"
    if alias is not None:
        return Import(name, line_of(node), kind, bound=(source.text(alias),))
    if "static" in words:
        return Import(name, line_of(node), kind, bound=(name.rpartition(".")[2],))
    return Import(name, line_of(node), kind, names=("*",), bound=("*",))


class _Header(NamedTuple):
    """What stands before and behind the name of a declaration. `first` follows its attributes."""

    words: frozenset[str]
    notes: tuple[Node, ...]
    bases: tuple[str, ...]
    first: Node


def _header(source: Source, node: Node) -> _Header:
    words: list[str] = []
    notes: list[Node] = []
    bases: tuple[str, ...] = ()
    first = None
    for child in node.children:
        match child.type:
            case "modifier":
                words.append(source.text(child))
            case "attribute_list":
                notes += [each for each in child.named_children if each.type == "attribute"]
                continue
            case "base_list":
                bases = tuple(
                    one_line(source.text(each).partition("(")[0])
                    for each in child.named_children
                    if each.type != "argument_list"
                )
        first = first or child
    return _Header(frozenset(words), tuple(notes), bases, first or node)


def _declared(
    source: Source, node: Node, comments: Comments, noted: list[tuple[Node, tuple[Node, ...]]]
) -> list[Declared]:
    """`noted` takes what has attributes."""
    kind = _KINDS[node.type]
    header = _header(source, node)
    if header.notes:
        noted.append((node, header.notes))
    is_public = "public" in header.words or kind == "constant"
    if not is_public and header.words.isdisjoint(_HIDDEN) and kind not in _TYPES:
        parent = node.parent
        is_public = bool(parent and parent.parent and parent.parent.type == "interface_declaration")
    if kind == "property" and not is_public and not header.notes:
        return []
    name = node.child_by_field_name("name")
    names = _variables(node) if name is None else [name]
    if name is None and ("const" in header.words or {"static", "readonly"} <= header.words):
        kind = "constant"
    fields = (node.child_by_field_name(each) for each in ("body", "accessors", "value"))
    body = next(filter(None, fields), None)
    doc = _summary(comments.before(node, ("///", "/**")))
    marks = tuple(
        source.text(each.child_by_field_name("name")).removesuffix("Attribute")
        for each in header.notes
    )
    return [
        Declared(
            node,
            source.text(each),
            kind,
            body,
            is_public,
            doc,
            header.bases,
            marks,
            head=header.first,
        )
        for each in names
    ]


def _variables(node: Node) -> list[Node]:
    """The names that one declaration of fields gives."""
    return [
        name
        for child in node.named_children
        if child.type == "variable_declaration"
        for each in child.named_children
        if each.type == "variable_declarator"
        and (name := each.child_by_field_name("name")) is not None
    ]


def _summary(comment: str) -> str:
    """The first sentence of an XML comment."""
    if not comment:
        return ""
    found = _SUMMARY.search(comment)
    told = found[1] if found else comment
    if "<" in told:
        told = _TAG.sub("", _CREF.sub(r"\1", told))
    return first_sentence(told)


def _noted(source: Source, node: Node, notes: Iterable[Node], scopes: Scopes) -> Noted:
    qualified = scopes.at(node.start_byte)
    name = qualified.rpartition(".")[2]
    return Noted(node, name, _KINDS[node.type], qualified, _notes(source, notes))


def _notes(source: Source, nodes: Iterable[Node]) -> dict[str, Note]:
    found = {}
    for each in nodes:
        written = source.text(each.child_by_field_name("name"))
        given = next((c for c in each.named_children if c.type == "attribute_argument_list"), None)
        simple = written.rpartition(".")[2].removesuffix("Attribute")
        found[simple] = Note(source, written, each, given)
    return found


def _fields(source: Source, node: Node) -> list[Field]:
    """The properties of a class."""
    body = node.child_by_field_name("body")
    return [
        Field(
            source.text(each.child_by_field_name("name")),
            one_line(source.text(each.child_by_field_name("type")), 80),
            line_of(each.child_by_field_name("name") or each),
            _notes(source, _header(source, each).notes),
        )
        for each in (body.named_children if body is not None else ())
        if each.type == "property_declaration"
    ]
