"""C#."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import items
from stationmaster.reading.code.languages.csharp import data, web, work
from stationmaster.reading.code.languages.items import Field, Form
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Source,
    first_sentence,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.model import FileFacts, Import, ImportKind, SymbolKind

_KINDS = code.table("csharp.grammar.kinds", dict[str, SymbolKind])
_TYPES = frozenset({"class", "interface", "struct"})
_HIDDEN = frozenset({"private", "protected", "internal"})
_SUMMARY = re.compile(r"<summary>(.{0,4000}?)</summary>", re.DOTALL)
_CREF = re.compile(r"<\w+ (?:cref|name|langword|href)=\"(?:\w:)?([^\"]*)\"\s*/>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
KNOWN = code.names("csharp.language.known")


def read(source: Source) -> FileFacts:
    """The facts of a C# file: declarations, imports, calls, and what uses .NET's frameworks."""
    return items.read(source, _FORM)


def _using(source: Source, node: Node) -> list[Import]:
    """`using A;`, `using static A.B;` and `using X = A.B;`; a global one hands on what it names."""
    words = [child.type for child in node.children]
    alias = node.child_by_field_name("name")
    named = node.named_children
    if not named or (alias is not None and len(named) < 2):
        return []
    name = source.text(named[-1]).partition("<")[0].removeprefix("global::")
    kind: ImportKind = "reexport" if "global" in words else "module"
    if alias is not None:
        return [Import(name, line_of(node), kind, bound=(source.text(alias),))]
    if "static" in words:
        return [Import(name, line_of(node), kind, bound=(name.rpartition(".")[2],))]
    return [Import(name, line_of(node), kind, names=("*",), bound=("*",))]


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


def _declared(source: Source, node: Node, comments: Comments) -> list[Declared]:
    kind = _KINDS[node.type]
    header = _header(source, node)
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
    made = Declared(node, "", kind, body, is_public, doc, header.bases)
    return made._replace(head=header.first, notes=header.notes).named(source, names)


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


def _note(source: Source, node: Node) -> tuple[str, Node | None]:
    given = (each for each in node.named_children if each.type == "attribute_argument_list")
    return source.part(node, "name").removesuffix("Attribute"), next(given, None)


def _fields(source: Source, node: Node) -> list[Field]:
    """The properties of a class."""
    return [
        Field(
            source.part(each, "name"),
            one_line(source.part(each, "type"), 80),
            line_of(each.child_by_field_name("name") or each),
            _FORM.notes(source, _header(source, each).notes),
        )
        for each in inside(node, "body")
        if each.type == "property_declaration"
    ]


_FORM = Form(
    _declared,
    _using,
    _note,
    _fields,
    _KINDS,
    KNOWN,
    web.CALLS | data.CALLS | work.CALLS,
    (
        web.routes,
        web.wiring,
        data.settings,
        data.entities,
        work.jobs,
        work.tests,
        work.entries,
        work.commands,
    ),
    deprecated="Obsolete",
)
