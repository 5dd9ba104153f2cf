"""Swift."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import items
from stationmaster.reading.code.languages.items import Field, Form
from stationmaster.reading.code.languages.source import Source, first_child, line_of
from stationmaster.reading.code.languages.swift import routes, symbols, work
from stationmaster.reading.code.model import FileFacts, Import, ImportKind


def read(source: Source) -> FileFacts:
    """The facts of a Swift file: declarations, imports, calls, and what uses known frameworks."""
    return items.read(source, _FORM)


def _imports(source: Source, node: Node) -> list[Import]:
    """`import struct A.B` takes one name; all others take everything that is public."""
    path = first_child(node, "identifier")
    steps = [source.text(each) for each in path.named_children] if path else []
    is_export = any("_exported" in source.text(n) for n in node.named_children)
    of_one = any(not child.is_named and child.type != "import" for child in node.children)
    names = (steps[-1],) if of_one and len(steps) > 1 else ("*",)
    kind: ImportKind = "reexport" if is_export else "module"
    return [Import(steps[0] if steps else "", line_of(node), kind, names, names)]


def _note(source: Source, node: Node) -> tuple[str, Node | None]:
    """Arguments of attributes are no list in the grammar: who asks for them reads the text."""
    return source.text(next(iter(node.named_children), None)), None


def _fields(source: Source, node: Node) -> list[Field]:
    return symbols.fields(source, node, _FORM)


_FORM = Form(
    symbols.declared,
    _imports,
    _note,
    _fields,
    symbols.KINDS,
    code.names("swift.language.known"),
    frozenset(),
    (
        work.entries,
        work.deprecated,
        work.tests,
        work.settings,
        work.entities,
        work.jobs,
        routes.routes,
        work.commands,
    ),
    deprecated="",
    documenting=("///", "/**"),
    has_markup=False,
)
