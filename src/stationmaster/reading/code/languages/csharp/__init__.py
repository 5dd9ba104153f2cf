"""C#."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import Annotated, Head
from stationmaster.reading.code.languages.csharp import data, web, work
from stationmaster.reading.code.languages.source import Declared, child, inside, line_of
from stationmaster.reading.code.languages.unit import Field
from stationmaster.reading.code.model import Import, ImportKind, SymbolKind

_KINDS = code.table("csharp.grammar.kinds", dict[str, SymbolKind])
_TYPES = frozenset({"class", "interface", "struct"})
_HIDDEN = frozenset({"private", "protected", "internal"})
KNOWN = code.names("csharp.language.known")


class File(Annotated):
    """A file of C#."""

    KINDS, KNOWN = _KINDS, KNOWN
    CALLS = web.CALLS | data.CALLS | work.CALLS
    DOCUMENTING = ("///", "/**")

    def importing(self, node: Node) -> list[Import]:
        """`using A;`, `using static A.B;`, `using X = A.B;`; a global one hands its name on."""
        words = [part.type for part in node.children]
        alias = child(node, "name")
        named = node.named_children
        if not named or (alias is not None and len(named) < 2):
            return []
        name = self.text(named[-1]).partition("<")[0].removeprefix("global::")
        kind: ImportKind = "reexport" if "global" in words else "module"
        if alias is not None:
            return [Import(name, line_of(node), kind, bound=(self.text(alias),))]
        if "static" in words:
            return [Import(name, line_of(node), kind, bound=(name.rpartition(".")[2],))]
        return [Import(name, line_of(node), kind, names=("*",), bound=("*",))]

    def declaring(self, node: Node, head: Head) -> list[Declared]:
        """The symbols of a declaration."""
        kind = _KINDS[node.type]
        is_public = "public" in head.words or kind == "constant"
        if not is_public and head.words.isdisjoint(_HIDDEN) and kind not in _TYPES:
            parent = node.parent
            is_public = bool(
                parent and parent.parent and parent.parent.type == "interface_declaration"
            )
        if kind == "property" and not is_public and not head.notes:
            return []
        name = child(node, "name")
        names = _variables(node) if name is None else [name]
        if name is None and ("const" in head.words or {"static", "readonly"} <= head.words):
            kind = "constant"
        fields = (child(node, each) for each in ("body", "accessors", "value"))
        body = next(filter(None, fields), None)
        return Declared(node, "", kind, body, is_public).named(self, names)

    def note(self, node: Node) -> tuple[str, Node | None]:
        """The name of an attribute, and its arguments."""
        given = (each for each in node.named_children if each.type == "attribute_argument_list")
        return self.part(node, "name").removesuffix("Attribute"), next(given, None)

    def fields(self, node: Node) -> list[Field]:
        """The properties of a class."""
        return [
            self.field(each, child(each, "name"), self.part(each, "type"))
            for each in inside(node, "body")
            if each.type == "property_declaration"
        ]


READERS = (
    web.routes,
    data.settings,
    data.entities,
    work.jobs,
    work.tests,
    work.entries,
    work.commands,
)


def _variables(node: Node) -> list[Node]:
    """The names that one declaration of fields gives."""
    return [
        name
        for part in node.named_children
        if part.type == "variable_declaration"
        for each in part.named_children
        if each.type == "variable_declarator" and (name := child(each, "name")) is not None
    ]
