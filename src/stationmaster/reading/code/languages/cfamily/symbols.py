"""What a file of C or C++ declares.

Others may use what a header declares: one with a guard against being read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.cfamily.items import Item
from stationmaster.reading.code.languages.source import (
    Comments,
    Declared,
    Source,
    child,
    first_sentence,
    uncommented,
)
from stationmaster.reading.code.model import SymbolKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.cfamily.file import File

_KINDS = code.table("cfamily.grammar.kinds", dict[str, SymbolKind])
_WRAPPERS = code.names("cfamily.grammar.wrappers")
_GUARD = re.compile(
    rb"^[ \t]*#[ \t]*(?:pragma[ \t]+once"
    rb"|ifndef[ \t]+(\w+)\s+#[ \t]*define[ \t]+\1\b"
    rb"|if[ \t]+!defined[ \t(]+(\w+)[ \t)]*\s+#[ \t]*define[ \t]+\2\b)",
    re.MULTILINE,
)
_DOXYGEN = re.compile(r"[@\\](?:brief|short|details)[ \t]+")
_STEPS_MAX = 20


class Named(NamedTuple):
    """The name in a declarator; `scope` are the classes and namespaces written before it."""

    name: str
    scope: tuple[str, ...]
    is_function: bool


def declared(file: File) -> Iterator[Declared]:
    """Types, functions, variables and macros; public only in a header with an include guard."""
    comments = file.comments
    is_header = _GUARD.search(file.data) is not None
    defined = {_key(file, item) for item in file.items if item.node.type == "function_definition"}
    for item in file.items:
        kind = _KINDS.get(item.node.type)
        is_open = is_header and not item.is_hidden and not item.is_private
        if kind is not None:
            yield from _type(file, item, item.node, kind, comments, is_open)
        elif item.node.type == "type_definition":
            yield from _typedef(file, item, comments, is_open)
        elif item.node.type in ("function_definition", "declaration", "field_declaration"):
            inner = child(item.node, "type")
            if inner is not None and inner.type in _KINDS:
                yield from _type(file, item, inner, _KINDS[inner.type], comments, is_open)
            yield from _declared(file, item, comments, is_open, defined)


def plain(comment: str) -> str:
    """The text of a comment without its marks and Doxygen's `@brief`, `@short`, `@details`."""
    return _DOXYGEN.sub("", uncommented(comment))


def _doc(comments: Comments, item: Item) -> str:
    return first_sentence(_DOXYGEN.sub("", comments.before(item.whole)))


def _type(
    source: Source, item: Item, node: Node, kind: SymbolKind, comments: Comments, is_open: bool
) -> Iterator[Declared]:
    name = source.part(node, "name").partition("<")[0]
    body = child(node, "body")
    value = child(node, "value")
    is_macro = kind == "macro"
    if not name or (is_macro and value is None) or (not is_macro and kind != "type" and not body):
        return
    yield Declared(
        item.whole if node == item.node else node,
        name,
        kind,
        value if is_macro else body,
        is_open,
        _doc(comments, item),
        tuple(_bases(source, node)),
        within="" if is_macro or item.owner else item.space,
    )


def _bases(source: Source, node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type == "base_class_clause":
            for base in clause.named_children:
                if base.type in ("type_identifier", "qualified_identifier", "template_type"):
                    yield source.text(base)


def _typedef(source: Source, item: Item, comments: Comments, is_open: bool) -> Iterator[Declared]:
    inner = child(item.node, "type")
    kind = _KINDS.get(inner.type, "type") if inner else "type"
    body = child(inner, "body")
    own = source.part(inner, "name") if inner and body else ""
    declarators = item.node.children_by_field_name("declarator")
    for declarator in declarators:
        named = name_of(source, declarator)
        if named is not None and named.name:
            yield Declared(
                _alone(item, declarators, declarator),
                named.name,
                kind if body else "type",
                body,
                is_open,
                _doc(comments, item),
                within=item.space,
            )
            own = "" if own == named.name else own
    if inner is not None and own:
        yield from _type(source, item, inner, kind, comments, is_open)


def _declared(
    source: Source, item: Item, comments: Comments, is_open: bool, defined: set[tuple[str, ...]]
) -> Iterator[Declared]:
    is_definition = item.node.type == "function_definition"
    is_static = b"static" in _specifiers(source, item.node) and not item.owner
    declarators = item.node.children_by_field_name("declarator")
    for declarator in declarators:
        named = name_of(source, declarator)
        if named is None or (is_definition and not _is_function(source, item.node)):
            continue
        if not named.is_function and (item.owner or named.scope):
            continue
        if named.is_function and not is_definition and _key(source, item) in defined:
            continue
        body = child(item.node, "body") or child(declarator, "value")
        yield Declared(
            _alone(item, declarators, declarator),
            named.name,
            _kind(item, named),
            body,
            is_open and not is_static,
            _doc(comments, item),
            within="" if item.owner else ".".join(filter(None, [item.space, *named.scope])),
        )
        if named.is_function:
            return


def _alone(item: Item, declarators: list[Node], declarator: Node) -> Node:
    """The node of the whole declaration where it declares only one name."""
    return item.whole if len(declarators) == 1 else declarator


def _kind(item: Item, named: Named) -> SymbolKind:
    if not named.is_function:
        return "variable"
    owner = item.owner or (named.scope[-1] if named.scope else "")
    if not owner:
        return "function"
    return "constructor" if owner == named.name else "method"


def _is_function(source: Source, node: Node) -> bool:
    """Not what a macro makes that takes a name: `TEST(Suite, Name) { … }`."""
    named = name_of(source, child(node, "declarator"))
    is_loud = named is not None and named.name.isupper()
    return named is not None and (not is_loud or child(node, "type") is not None)


def _key(source: Source, item: Item) -> tuple[str, ...]:
    named = name_of(source, child(item.node, "declarator"))
    return (item.space, item.owner, *named.scope, named.name) if named else ()


def _specifiers(source: Source, node: Node) -> set[bytes]:
    return {
        source.data[child.start_byte : child.end_byte]
        for child in node.named_children
        if child.type == "storage_class_specifier"
    }


def name_of(source: Source, node: Node | None) -> Named | None:
    """The name in a declarator, whatever is around it."""
    last = ""
    for _ in range(_STEPS_MAX):
        if node is None or node.type not in _WRAPPERS:
            break
        if node.type != "parenthesized_declarator":
            last = node.type
        node = child(node, "declarator") or next(
            (n for n in node.named_children if n.type in _WRAPPERS or "identifier" in n.type), None
        )
    scope: list[str] = []
    while node is not None and node.type == "qualified_identifier" and len(scope) < _STEPS_MAX:
        scope.append(source.part(node, "scope").partition("<")[0])
        node = child(node, "name")
    if node is None or not (
        "identifier" in node.type or node.type in ("operator_name", "destructor_name")
    ):
        return None
    name = "".join(source.text(node).split())
    return Named(name, tuple(filter(None, scope)), last == "function_declarator")
