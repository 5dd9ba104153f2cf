"""A file of C or C++, with what it declares: their grammars name what they share alike.

Others may use what a header declares: one with a guard against being read twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    child,
    first_sentence,
    uncommented,
)
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Import, SymbolKind

_THROUGH = code.names("cfamily.grammar.through")
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_NAMESPACE = "namespace_definition"
_DEPTH_MAX = 60
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
_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*(\"[^\"\n]{1,300}\"|<[^>\n]{1,300}>)", re.MULTILINE
)
_FILE_DOC = re.compile(r"[@\\]file\b[^\n]*\n?")


class Item(NamedTuple):
    """A declaration. `template` is the one around it, `space` the dotted namespaces; `is_hidden`
    if only this file sees it, `is_private` if only its class does; `owner` is the class around
    it."""

    node: Node
    template: Node | None = None
    space: str = ""
    is_hidden: bool = False
    is_private: bool = False
    owner: str = ""

    @property
    def whole(self) -> Node:
        """The declaration from where its template begins."""
        return self.template or self.node


def items(source: Source) -> tuple[Item, ...]:
    """The declarations by place, without those inside functions."""
    rows: list[Item] = []
    waiting = [(source.root, Item(source.root), 0)]
    while waiting:
        holder, around, depth = waiting.pop()
        for node in holder.named_children if depth < _DEPTH_MAX else ():
            if node.type == "access_specifier":
                is_private = not source.text(node).startswith("public")
                around = around._replace(is_private=is_private)
            elif node.type != "comment":
                if node.type not in _THROUGH and node.type != _NAMESPACE:
                    rows.append(around._replace(node=node))
                if inner := _inside(source, node, around):
                    waiting.append((*inner, depth + 1))
    return tuple(sorted(rows, key=lambda item: item.node.start_byte))


def _inside(source: Source, node: Node, around: Item) -> tuple[Node, Item] | None:
    """The node with the declarations inside one, and the scope around them; None for others."""
    if node.type in _THROUGH:
        is_template = node.type == "template_declaration" and around.template is None
        return node, around._replace(template=node) if is_template else around
    made = node if node.type in _CLASSES else child(node, "type")
    if node.type == _NAMESPACE:
        made, name = node, source.part(node, "name").replace("::", ".").replace(" ", "")
        space = ".".join(filter(None, [around.space, name]))
        around = around._replace(space=space, is_hidden=around.is_hidden or not name)
    elif made is not None and made.type in _CLASSES and (name := source.part(made, "name")):
        is_private, owner = made.type == "class_specifier", name.partition("<")[0]
        around = around._replace(template=None, is_private=is_private, owner=owner)
    else:
        return None
    body = child(made, "body")
    return (body, around) if body is not None else None


class Named(NamedTuple):
    """The name in a declarator; `scope` are the classes and namespaces written before it."""

    name: str
    scope: tuple[str, ...]
    is_function: bool


def declared(file: File) -> Iterator[Declared]:
    """Types, functions, variables and macros; public only in a header with an include guard."""
    is_header = _GUARD.search(file.data) is not None
    defined = {_key(file, item) for item in file.items if item.node.type == "function_definition"}
    for item in file.items:
        kind = _KINDS.get(item.node.type)
        is_open = is_header and not item.is_hidden and not item.is_private
        if kind is not None:
            yield from _type(file, item, item.node, kind, is_open)
        elif item.node.type == "type_definition":
            yield from _typedef(file, item, is_open)
        elif item.node.type in ("function_definition", "declaration", "field_declaration"):
            inner = child(item.node, "type")
            if inner is not None and inner.type in _KINDS:
                yield from _type(file, item, inner, _KINDS[inner.type], is_open)
            yield from _declared(file, item, is_open, defined)


def plain(comment: str) -> str:
    """The text of a comment without its marks and Doxygen's `@brief`, `@short`, `@details`."""
    return _DOXYGEN.sub("", uncommented(comment))


def _doc(unit: Unit, item: Item) -> str:
    return first_sentence(_DOXYGEN.sub("", unit.comments.before(item.whole)))


def _type(
    unit: Unit, item: Item, node: Node, kind: SymbolKind, is_open: bool
) -> Iterator[Declared]:
    name = unit.part(node, "name").partition("<")[0]
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
        _doc(unit, item),
        tuple(_bases(unit, node)),
        within="" if is_macro or item.owner else item.space,
    )


def _bases(source: Source, node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type == "base_class_clause":
            for base in clause.named_children:
                if base.type in ("type_identifier", "qualified_identifier", "template_type"):
                    yield source.text(base)


def _typedef(unit: Unit, item: Item, is_open: bool) -> Iterator[Declared]:
    inner = child(item.node, "type")
    kind = _KINDS.get(inner.type, "type") if inner else "type"
    body = child(inner, "body")
    own = unit.part(inner, "name") if inner and body else ""
    declarators = item.node.children_by_field_name("declarator")
    for declarator in declarators:
        named = name_of(unit, declarator)
        if named is not None and named.name:
            yield Declared(
                _alone(item, declarators, declarator),
                named.name,
                kind if body else "type",
                body,
                is_open,
                _doc(unit, item),
                within=item.space,
            )
            own = "" if own == named.name else own
    if inner is not None and own:
        yield from _type(unit, item, inner, kind, is_open)


def _declared(
    unit: Unit, item: Item, is_open: bool, defined: set[tuple[str, ...]]
) -> Iterator[Declared]:
    is_definition = item.node.type == "function_definition"
    is_static = b"static" in _specifiers(unit, item.node) and not item.owner
    declarators = item.node.children_by_field_name("declarator")
    for declarator in declarators:
        named = name_of(unit, declarator)
        if named is None or (is_definition and not _is_function(unit, item.node)):
            continue
        if not named.is_function and (item.owner or named.scope):
            continue
        if named.is_function and not is_definition and _key(unit, item) in defined:
            continue
        body = child(item.node, "body") or child(declarator, "value")
        yield Declared(
            _alone(item, declarators, declarator),
            named.name,
            _kind(item, named),
            body,
            is_open and not is_static,
            _doc(unit, item),
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


class File(Unit):
    """A file of C or C++."""

    items = cached_property(items)

    @property
    def package(self) -> str:
        """The outermost part of the first namespace."""
        return next((item.space.partition(".")[0] for item in self.items if item.space), "")

    @property
    def doc(self) -> str:
        """The comment that documents the file itself."""
        for node in self.nodes["comment"][:3]:
            text = self.text(node)
            if _FILE_DOC.search(text[:300]):
                text = plain("\n".join(text[:2_000].splitlines()))
                return first_sentence(_FILE_DOC.sub("", text))
        return ""

    declared = declared

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The files that are included."""
        return tuple(_included(self.data, self.nodes["comment"]))


def _included(data: bytes, comments: list[Node]) -> list[Import]:
    """The includes; `<x.h>` keeps its brackets, and one that is named by a macro is left out. They
    are read from the text, since no grammar expects a list that is included into an `enum`."""
    made = []
    hidden = [(node.start_byte, node.end_byte) for node in reversed(comments)]
    line, counted = 1, 0
    for match in _INCLUDE.finditer(data):
        while hidden and hidden[-1][1] <= match.start():
            hidden.pop()
        if not hidden or match.start() < hidden[-1][0]:
            line, counted = line + data.count(b"\n", counted, match.start(1)), match.start(1)
            name = match[1].decode(errors="replace")
            made.append(Import(name.strip('"'), line, "include"))
    return made
