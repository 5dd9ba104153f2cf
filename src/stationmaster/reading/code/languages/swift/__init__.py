"""Swift, read as the other languages are."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import tagged
from stationmaster.reading.code.languages.notes import references
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    first_child,
    line_of,
    remarks,
)
from stationmaster.reading.code.languages.swift import commands, routes, symbols, work
from stationmaster.reading.code.model import FileFacts, Import, ImportKind

_OWN = code.names("swift.language.known")


def read(source: Source) -> FileFacts:
    """The facts of a Swift file: declarations, imports, calls, and what uses known frameworks."""
    found = source.captures("file")
    comments = Comments(source, found["comment"])
    items = symbols.items(source)
    made, scopes = declarations(source, symbols.declared(source, items, comments))
    facts = FileFacts(
        lines=source.lines,
        symbols=made,
        imports=tuple(_import(source, node) for node in found["import"]),
        calls=tagged.calls(source, scopes).every,
        marks=remarks(source, found["comment"]),
    )
    modules = {each.name for each in facts.imports}
    facts.add(work.entries(source, items))
    facts.add(work.deprecated(items))
    facts.add(work.tests(source, items, modules))
    facts.add(work.settings(source, found["call"], modules))
    facts.add(routes.read(source, scopes, found["call"], modules))
    if "ArgumentParser" in modules:
        facts.add(commands.read(source, items, comments))
    if modules & {"Fluent", "FluentKit"}:
        facts.add(work.entities(source, items))
    if modules & {"Queues", "QueuesRedisDriver", "QueuesFluentDriver"}:
        facts.add(work.jobs(items))
    skipped = sorted(found["comment"] + found["import"], key=lambda node: node.start_byte)
    facts.imports += references(source, skipped, facts, _OWN)
    return facts


def _import(source: Source, node: Node) -> Import:
    """`import struct A.B` takes one name; all others take everything that is public."""
    path = first_child(node, "identifier")
    steps = [source.text(each) for each in path.named_children] if path else []
    is_export = any("_exported" in source.text(n) for n in node.named_children)
    of_one = any(not child.is_named and child.type != "import" for child in node.children)
    names = (steps[-1],) if of_one and len(steps) > 1 else ("*",)
    kind: ImportKind = "reexport" if is_export else "module"
    return Import(steps[0] if steps else "", line_of(node), kind, names, names)
