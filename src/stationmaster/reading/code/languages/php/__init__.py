"""PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs, items
from stationmaster.reading.code.languages.items import Field, Form, Unit
from stationmaster.reading.code.languages.php import data, events, web, work
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Source,
    inside,
    line_of,
    literal,
    one_line,
)
from stationmaster.reading.code.model import FileFacts, Import, SymbolKind

_KINDS = code.table("php.grammar.kinds", dict[str, SymbolKind])
_NAMED = re.compile(
    rb"'(?:[^'\\]|\\.)*+'"
    rb'|"(?:[^"\\]|\\.)*+"|\\[\'"]'
    rb"|(?<![\w$\\>:])(\\[A-Z]\w*(?:\\\w+)*|[A-Z]\w*+(?:\\\w++)*+(?!\\))"
)
KNOWN = code.names("php.language.known")


def read(source: Source) -> FileFacts:
    """The facts of a PHP file: declarations, imports, calls, and what uses known frameworks."""
    facts = items.read(source, _FORM)
    spaces = {it.bound[0]: it.name for it in facts.imports if it.bound and it.kind != "reference"}
    facts.imports = tuple(it for import_ in facts.imports for it in _whole(import_, spaces))
    return facts


def _whole(import_: Import, spaces: Mapping[str, str]) -> Iterator[Import]:
    """An import as it is; of `Api\\Orders`, where `use Shop\\Api` stands, that of the class."""
    first, sign, rest = import_.name.partition("\\")
    if import_.kind != "reference" or not (first and sign):
        yield import_
    elif first in spaces:
        yield Import(f"{spaces[first]}\\{rest}", import_.line, bound=import_.bound)


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


def _includes(unit: Unit) -> Iterator[Import]:
    for node in unit.nodes["include"]:
        if name := _included(unit.source, node):
            yield Import(name, line_of(node), "include")


def _included(source: Source, node: Node) -> str:
    """The path that is included, seen from the file's folder; '' for what is no literal."""
    given: Node | None = node.named_children[0] if node.named_children else None
    while given is not None and given.type == "parenthesized_expression":
        given = given.named_children[0]
    if given is not None and given.type == "binary_expression":
        left = source.part(given, "left")
        if left not in ("__DIR__", "dirname(__FILE__)"):
            return ""
        return "." + (literal(source, given.child_by_field_name("right")) or "")
    return literal(source, given) or ""


def _declared(source: Source, node: Node, comments: Comments) -> list[Declared]:
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
    if kind == "property" and not is_public and not notes:
        return []
    body, doc = node.child_by_field_name("body"), docs.sentence(comment)
    made = Declared(node, "", kind, body, is_public, doc, tuple(bases))
    return made._replace(head=first, notes=tuple(notes)).named(source, names, "$")


def _attributes(lists: Node) -> list[Node]:
    return [each for group in lists.named_children for each in group.named_children]


def _note(source: Source, node: Node) -> tuple[str, Node | None]:
    return source.text(node.named_children[0]), node.child_by_field_name("parameters")


def _fields(source: Source, node: Node) -> list[Field]:
    """The properties of a class."""
    found = []
    for each in inside(node, "body"):
        if each.type == "property_declaration":
            attributes = each.child_by_field_name("attributes")
            notes = _attributes(attributes) if attributes is not None else []
            told = one_line(source.part(each, "type"), 80)
            found += [
                Field(
                    source.text(name).lstrip("$"), told, line_of(name), _FORM.notes(source, notes)
                )
                for child in each.named_children
                if child.type == "property_element"
                and (name := child.child_by_field_name("name")) is not None
            ]
    return found


_FORM = Form(
    _declared,
    _uses,
    _note,
    _fields,
    _KINDS,
    KNOWN,
    web.CALLS | data.CALLS | work.CALLS | events.CALLS,
    (
        _includes,
        web.wired,
        data.settings,
        data.entities,
        work.jobs,
        events.events,
        work.tests,
        work.commands,
        work.entries,
    ),
    sign="\\",
    named=_NAMED,
)
