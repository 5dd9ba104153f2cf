"""A Python file once it is parsed: what its readers ask about, what it takes from others and
declares public.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import module
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.scopes import Made, Scopes
from stationmaster.reading.code.languages.source import (
    Declared,
    Grammar,
    child,
    first_sentence,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Import, ImportKind, Option, SymbolKind
from stationmaster.reading.code.signatures import SETTING


class Assigned(NamedTuple):
    """`name: type = value` at top level or in a class; nodes."""

    node: Node
    name: str
    type: Node | None
    value: Node | None


class Module(module.Module):
    """`names` are dotted origins of what imports bind here, with the leading dots of relative
    ones."""

    PLAIN = frozenset({"integer", "float", "true", "false", "none"})
    PACKAGE_END = re.compile(r"\.")

    def __init__(self, data: bytes, root: Node, grammar: Grammar) -> None:
        super().__init__(data, root, grammar)
        self.constants = [
            self._assigned(match["top"], match["name"]) for match in self.matched["top"]
        ]
        self.attributes: dict[int, list[Assigned]] = defaultdict(list)
        """Of classes by the byte where they begin."""
        for match in self.matched["holder"]:
            self.attributes[match["holder"].start_byte].append(
                self._assigned(match["attribute"], match["name"])
            )
        self.environ = self.pairs_of("environ", "key")
        """What is subscripted, and by what."""
        self.conf = self.pairs_of("conf", "setting")
        """What is called `settings`, and what is asked of it."""
        self.typing = [
            (match["types"].start_byte, match["types"].end_byte)
            for match in self.matched["condition"]
        ]
        """Bytes that only checkers of types see."""
        self.assigned: dict[int, Mapping[str, list[Node]]] = {}
        """What functions and classes assign, by the byte where they begin, once it is asked."""

    @property
    def doc(self) -> str:
        """The first sentence of the text that the file begins with."""
        return first_sentence(self.docstring(self.root))

    @cached_property
    def makers(self) -> list[tuple[Node, Node, Node | None]]:
        """Variables, what makes what they hold (or its type), and the call."""
        made = [(m["variable"], m["maker"], m["made"]) for m in self.matched["variable"]]
        typed = [(m["parameter"], m["type"], None) for m in self.matched["parameter"]]
        return sorted([*made, *typed], key=lambda each: each[0].start_byte)

    @cached_property
    def definitions(self) -> list[Definition]:
        """The classes and functions, with the decorators of each."""
        decorators: dict[int, tuple[Called, ...]] = {}
        for match in self.matched["decorators"]:
            # A query that repeats decorators takes minutes where a function has thirty.
            decorators[match["decorated"].start_byte] = tuple(
                self._decorator(node.named_children[0])
                for node in match["decorators"].named_children
                if node.type == "decorator" and node.named_children
            )
        kinds: tuple[SymbolKind, ...] = ("class", "function")
        found = [(match[kind], match, kind) for kind in kinds for match in self.matched[kind]]
        return [
            Definition(
                node,
                self.text(match["name"]),
                match["body"],
                kind,
                match["name"].start_byte,
                decorators.get(node.start_byte, ()),
            )
            for node, match, kind in sorted(found, key=lambda each: each[0].start_byte)
        ]

    def _decorator(self, node: Node) -> Called:
        function = child(node, "function") or node
        name = self.part(function, "attribute")
        return self.call_at(node, name, child(function, "object"))

    def declared(self) -> Iterator[Declared]:
        """The classes and functions, constants where they are first assigned, then type aliases."""
        for each in self.definitions:
            yield _definition(self, each)
        for constant in {each.name: each for each in reversed(self.constants)}.values():
            yield _constant(self, constant)
        for node in self.nodes["alias"]:
            name = self.part(node, "left").partition("[")[0]
            yield Declared(node, name, "type", is_public=_is_public(self, name, node))

    def _assigned(self, node: Node, name: Node) -> Assigned:
        type_, value = child(node, "type"), child(node, "right")
        return Assigned(node, self.text(name), type_, value)

    def constant(self, name: Node) -> Node | None:
        """The value of a constant of this file."""
        return self.values_of.get(self.text(name))

    @cached_property
    def values_of(self) -> dict[str, Node]:
        """What constants at top level are made of, by their names."""
        return {
            constant.name: constant.value
            for constant in self.constants
            if constant.value is not None
        }

    def values(self, node: Node | None) -> tuple[str, ...]:
        """The literal texts in a list, a tuple or a set."""
        if node is None or node.type not in ("list", "tuple", "set"):
            return ()
        return tuple(
            text for named_child in node.named_children if (text := self.value(named_child))
        )

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports by place: `lazy` inside functions, `type` below `TYPE_CHECKING`."""
        imports: list[Import] = []
        for node in self.nodes_of("import", "from"):
            kind: ImportKind = "module"
            if any(start <= node.start_byte < end for start, end in self.typing):
                kind = "type"
            elif self.functions.at(node.start_byte):
                kind = "lazy"
            if node.type == "import_statement":
                imports += _import(self, node, kind)
            else:
                imports.append(_from(self, node, kind))
        return tuple(imports)

    @cached_property
    def exported(self) -> tuple[str, ...] | None:
        """The names in `__all__`, where they are all literal."""
        for constant in self.constants:
            if constant.name == "__all__" and constant.value is not None:
                items = constant.value.named_children
                if constant.value.type in ("list", "tuple"):
                    names = [self.literal(item) for item in items if item.type != "comment"]
                    return tuple(name for name in names if name) if all(names) else None
        return None

    @cached_property
    def names(self) -> dict[str, str]:
        """Dotted origins by what they are called here. `from .common import *` is believed to bring
        `os` where nothing else does: settings of Django are split so."""
        found: dict[str, str] = {}
        for each in self.imports:
            if not each.names:
                is_alias = each.bound[0] != each.name.partition(".")[0]
                found.setdefault(each.bound[0], each.name if is_alias else each.bound[0])
            start = "." * each.level + (f"{each.name}." if each.name else "")
            for name, bound in zip(each.names, each.bound, strict=False):
                found.setdefault(bound, start + name)
        if "*" in found:
            found.setdefault("os", "os")
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """Top names of packages that are imported from outside."""
        return frozenset(
            import_.name.partition(".")[0] for import_ in self.imports if not import_.level
        )

    def origin(self, node: Node | None) -> str:
        """The dotted name of something imported, '' for anything else."""
        if node is None or node.type not in ("identifier", "attribute", "type"):
            return ""
        first, dot, rest = self.text(node).partition(".")
        origin = self.names.get(first, "")
        return origin + dot + rest if origin else ""

    def reach(self, holder: Node | None, name: str) -> str:
        """The dotted name of what is called: something imported, or a method of what a framework
        made (`celery.Celery.task`; `….__call__` where that itself is called)."""
        if holder is None:
            origin = self.names.get(name, "")
            known = self._made.get(name) if not origin else None
            return f"{known[-1].maker}.__call__" if known else origin
        if holder.type not in ("identifier", "attribute"):
            return ""
        origin = self.origin(holder)
        if not origin:
            made = self.made(holder)
            origin = made.maker if made is not None else ""
        return f"{origin}.{name}" if origin else ""

    def held(self) -> Iterator[tuple[Node, str, Node | None]]:
        """What variables and parameters hold."""
        return ((variable, self.origin(maker), call) for variable, maker, call in self.makers)

    def made(self, variable: Node | None) -> Made | None:
        """What a variable holds: made in the same function, or else at top level."""
        return self.made_as(variable, self.text(variable)) if variable is not None else None

    @cached_property
    def functions(self) -> Scopes:
        """Which function holds a place."""
        return Scopes(
            sorted(
                (definition.node.start_byte, definition.node.end_byte, definition.name)
                for definition in self.definitions
                if not definition.is_class
            )
        )

    def bases(self, each: Definition) -> list[Node]:
        """The expressions of a class's bases, without keywords such as `metaclass`."""
        given = inside(each.node, "superclasses")
        return [node for node in given if node.type not in ("keyword_argument", "comment")]

    def parameters(self, each: Definition) -> tuple[str, ...]:
        """The names of a function's parameters that are given one by one."""
        words = (
            re.split("[:=]", self.text(node), maxsplit=1)[0].strip()
            for node in inside(each.node, "parameters")
        )
        return tuple(word for word in words if word.isidentifier())

    def docstring(self, body: Node | None) -> str:
        """'' where the first statement is no text."""
        for index in range(min(body.named_child_count, 5) if body is not None else 0):
            first = child(body, index)
            if first is None or first.type == "comment":
                continue
            text = child(first) if first.type == "expression_statement" else None
            return (self.literal(text) or "") if text is not None and text.type == "string" else ""
        return ""

    def command(
        self, each: Definition, words: Iterable[str], text: str | None, options: Iterable[Option]
    ) -> CliCommand:
        """The command that a function is, with a text or else its docstring as what it is for."""
        help_ = first_sentence(self.docstring(each.body) if text is None else text)
        handler = self.scopes.at(each.node.start_byte)
        return CliCommand(tuple(words), line_of(each.node), help_, handler, tuple(options))


def _import(module: Module, node: Node, kind: ImportKind) -> Iterator[Import]:
    for named_child in node.named_children:
        if named_child.type == "aliased_import":
            name = module.part(named_child, "name")
            bound = module.part(named_child, "alias")
        elif named_child.type == "dotted_name":
            name = module.text(named_child)
            bound = name.partition(".")[0]
        else:
            continue
        yield Import(name, line_of(node), kind, bound=(bound,))


def _from(module: Module, node: Node, kind: ImportKind) -> Import:
    written = module.part(node, "module_name")
    bare = written.lstrip(".")
    names, bound = [], []
    for each in node.children_by_field_name("name"):
        if each.type == "aliased_import":
            names.append(module.part(each, "name"))
            bound.append(module.part(each, "alias"))
        else:
            names.append(module.text(each))
            bound.append(names[-1])
    if any(named_child.type == "wildcard_import" for named_child in node.named_children):
        names, bound = ["*"], ["*"]
    level = len(written) - len(bare)
    aliased = [
        named_child for named_child in node.named_children if named_child.type == "aliased_import"
    ]
    is_same = any(name == here for name, here in zip(names, bound, strict=True) if aliased)
    if kind == "module" and (is_same or set(bound).intersection(module.exported or ())):
        kind = "reexport"
    return Import(bare, line_of(node), kind, tuple(names), tuple(bound), level)


_ENUMS = code.names("python.symbols.enums")
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def _is_public(module: Module, name: str, node: Node) -> bool:
    if module.exported is not None and node.start_point[1] == 0:
        return name in module.exported
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _definition(module: Module, each: Definition) -> Declared:
    marks = tuple(one_line(module.text(d.node).partition("(")[0], 80) for d in each.decorators)
    kind: SymbolKind = "class" if each.is_class else "function"
    bases: tuple[str, ...] = ()
    if each.is_class:
        bases = tuple(one_line(module.text(base), 80) for base in module.bases(each))
        if any(base.rpartition(".")[2] in _ENUMS for base in bases):
            kind = "enum"
        elif any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in bases):
            kind = "protocol"
    elif _PROPERTIES.intersection(marks) or any(mark.endswith(SETTING) for mark in marks):
        kind = "property"
    return Declared(
        each.node,
        each.name,
        kind,
        each.body,
        _is_public(module, each.name, each.node),
        first_sentence(module.docstring(each.body)),
        bases,
        marks,
    )


def _constant(module: Module, each: Assigned) -> Declared:
    kind: SymbolKind = "constant" if each.name.isupper() else "variable"
    if module.text(each.type).endswith("TypeAlias"):
        kind = "type"
    is_public = _is_public(module, each.name, each.node)
    return Declared(each.node, each.name, kind, each.value, is_public)
