"""Swift."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import Annotated
from stationmaster.reading.code.languages.source import child, first_child, inside, line_of
from stationmaster.reading.code.languages.swift import routes, symbols, work
from stationmaster.reading.code.languages.unit import Field
from stationmaster.reading.code.model import Import, ImportKind


class File(Annotated):
    """A file of Swift."""

    KINDS = symbols.KINDS
    KNOWN = code.names("swift.language.known")
    DOCUMENTING = ("///", "/**")
    HAS_MARKUP = False

    declaring = symbols.declared

    def fields(self, node: Node) -> list[Field]:
        """The properties of a type, of which the types are declared."""
        symbols = []
        for member in inside(node, "body"):
            if member.type == "property_declaration":
                name, type_ = child(member, "name"), first_child(member, "type_annotation")
                written = self.text(type_).removeprefix(":")
                symbols.append(self.field(member, name, written))
        return symbols

    def importing(self, node: Node) -> list[Import]:
        """`import struct A.B` takes one name; all others take everything that is public."""
        path = first_child(node, "identifier")
        steps = [self.text(step) for step in path.named_children] if path else []
        is_export = any("_exported" in self.text(n) for n in node.named_children)
        of_one = any(not child.is_named and child.type != "import" for child in node.children)
        names = (steps[-1],) if of_one and len(steps) > 1 else ("*",)
        kind: ImportKind = "reexport" if is_export else "module"
        return [Import(steps[0] if steps else "", line_of(node), kind, names, names)]

    def note(self, node: Node) -> tuple[str, Node | None]:
        """An attribute; the grammar has no list of its arguments: readers use the text."""
        return self.text(next(iter(node.named_children), None)), None


READERS = (
    work.entries,
    work.tests,
    work.settings,
    work.entities,
    routes.routes,
    work.commands,
)
