"""Swift, read as the other languages are."""

from __future__ import annotations

import tree_sitter_swift
from tree_sitter import Node

from stationmaster.reading.code.languages import tagged
from stationmaster.reading.code.languages.source import (
    Comments,
    Scopes,
    Source,
    declarations,
    line_of,
    references,
    remarks,
)
from stationmaster.reading.code.languages.swift import commands, programs, routes, running, symbols
from stationmaster.reading.code.languages.swift.symbols import Item
from stationmaster.reading.code.model import FileFacts, Import

_QUERY = """
[(comment) (multiline_comment)] @comment
(import_declaration) @import
(call_expression) @call
"""
_OWN = frozenset(
    {
        "Any",
        "AnyObject",
        "Array",
        "Bool",
        "Character",
        "Codable",
        "Comparable",
        "Decodable",
        "Dictionary",
        "Double",
        "Encodable",
        "Equatable",
        "Error",
        "Float",
        "Hashable",
        "Int",
        "Never",
        "Optional",
        "Result",
        "Self",
        "Sendable",
        "Set",
        "String",
        "Substring",
        "UInt",
        "UInt8",
        "Void",
    }
)


def grammar() -> object:
    """The tree-sitter grammar of Swift, as `tree_sitter.Language` takes it."""
    return tree_sitter_swift.language()


def read(source: Source) -> FileFacts:
    """The facts of a Swift file: declarations, imports, calls, and what uses known frameworks."""
    found = source.captures(_QUERY)
    comments = Comments(source, found["comment"])
    items = symbols.items(source)
    made, scopes = declarations(source, symbols.declared(source, items, comments))
    facts = FileFacts(
        lines=source.lines,
        symbols=made,
        imports=tuple(_import(source, node) for node in found["import"]),
        calls=tagged.calls(source, "swift", scopes).every,
        marks=remarks(source, found["comment"]),
    )
    facts.entries = programs.entries(source, items)
    facts.marks += tuple(programs.deprecated(source, items))
    facts.tests = programs.tests(source, items, facts.imports)
    _frameworks(source, facts, items, found["call"], comments, scopes)
    skipped = sorted(found["comment"] + found["import"], key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, _OWN)
    return facts


def _frameworks(
    source: Source,
    facts: FileFacts,
    items: tuple[Item, ...],
    calls: list[Node],
    comments: Comments,
    scopes: Scopes,
) -> None:
    """Add what the modules that a file imports make of it."""
    modules = {each.name for each in facts.imports}
    facts.settings = running.settings(source, calls, modules)
    if "Vapor" in modules:
        facts.routes, facts.mounts = routes.routes(source, scopes)
    if "ArgumentParser" in modules:
        facts.commands = commands.commands(source, items, comments)
    if modules & {"Fluent", "FluentKit"}:
        facts.entities = tuple(running.entities(source, items))
    if modules & {"Queues", "QueuesRedisDriver", "QueuesFluentDriver"}:
        facts.jobs = tuple(running.jobs(source, items))


def _import(source: Source, node: Node) -> Import:
    """`import struct A.B` takes one name; all others take everything that is public."""
    path = next((n for n in node.named_children if n.type == "identifier"), None)
    steps = [source.text(each) for each in path.named_children] if path else []
    is_export = any("_exported" in source.text(n) for n in node.named_children)
    of_one = any(not child.is_named and child.type != "import" for child in node.children)
    names = (steps[-1],) if of_one and len(steps) > 1 else ("*",)
    return Import(
        steps[0] if steps else "",
        line_of(node),
        "reexport" if is_export else "module",
        names,
        names,
    )
