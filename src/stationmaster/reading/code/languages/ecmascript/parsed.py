"""A JavaScript or TypeScript file once it is parsed: its parts, by what they are."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from stationmaster.reading.code.languages.ecmascript.symbols import FUNCTIONS
from stationmaster.reading.code.languages.source import (
    Arguments,
    Source,
    arguments,
    literal,
)
from stationmaster.reading.code.model import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(call_expression function: [
  (identifier) @callee
  (member_expression object: (_) @of property: (property_identifier) @callee)
]) @call
(call_expression function: (call_expression function: (member_expression
  object: (_) @of property: (property_identifier) @callee))
  (#match? @callee "^(each|for|skipIf|runIf)$")) @call
(new_expression constructor: (_) @callee) @new
(call_expression function: (import)) @dynamic
(class_declaration name: (_) @name body: (_) @body) @class
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_body (method_definition name: (_) @name body: (_) @body) @method)
(program (lexical_declaration (variable_declarator name: (identifier) @name) @top))
(program (variable_declaration (variable_declarator name: (identifier) @name) @top))
(program (export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @top)))
(program (export_statement
  declaration: (variable_declaration (variable_declarator name: (identifier) @name) @top)))
(variable_declarator name: (_) @variable
  value: [(call_expression) (new_expression) (await_expression) (member_expression)] @made)
(assignment_expression left: [(identifier) (member_expression)] @variable
  right: [(call_expression) (new_expression)] @made)
(program (expression_statement (assignment_expression
  left: (member_expression) @target right: (_) @value) @assigned))
(import_statement) @import
(export_statement) @export
(decorator (_) @decorator)
(member_expression object: (_) @env property: (property_identifier) @key
  (#match? @env "^(process|import.meta|Bun|Deno).env$"))
(subscript_expression object: (_) @env index: (string) @key
  (#match? @env "^(process|import.meta|Bun|Deno).env$"))
(comment) @comment
"""
JAVASCRIPT = f"""{_QUERY}
(class_body (field_definition property: (_) @name) @field)
(jsx_opening_element name: (_) @callee) @element
(jsx_self_closing_element name: (_) @callee) @element
"""
TYPESCRIPT = f"""{_QUERY}
(class_body (public_field_definition name: (_) @name) @field)
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(class_body (abstract_method_signature name: (_) @name) @method)
(function_signature name: (_) @name) @function
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name value: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_) @body) @module
(required_parameter pattern: (identifier) @parameter type: (type_annotation (_) @annotation))
"""
TSX = f"""{TYPESCRIPT}
(jsx_opening_element name: (_) @callee) @element
(jsx_self_closing_element name: (_) @callee) @element
"""
_KINDS: tuple[SymbolKind, ...] = (
    "function",
    "method",
    "class",
    "interface",
    "type",
    "enum",
    "module",
)
CHAIN_MAX = 60
OURS = (".", "@/", "~/", "#")
"""How the paths of imports from the repository itself begin."""
"""Calls on what calls return, in one expression."""


class Definition(NamedTuple):
    """`place` is the byte where its name begins."""

    node: Node
    name: str
    body: Node | None
    kind: SymbolKind
    place: int
    decorators: tuple[Node, ...] = ()


class Called(NamedTuple):
    """A call of `name`, on `of` where there is something before it."""

    node: Node
    name: str
    of: Node | None


class Parsed:
    """What the query finds."""

    def __init__(self, source: Source, query: str) -> None:
        self.source = source
        self.definitions: list[Definition] = []
        self.calls: list[Called] = []
        self.news: list[Called] = []
        self.elements: list[Called] = []
        self.comments: list[Node] = []
        self.environ: list[tuple[Node, Node]] = []
        """Where a variable of the environment is read, and its name."""
        self.variables: list[tuple[Node, Node]] = []
        """Names or patterns, and the values that they are made of."""
        self.parameters: list[tuple[Node, Node]] = []
        """Names and their types."""
        self.statements: list[Node] = []
        """Imports and exports."""
        self.dynamic: list[Node] = []
        self.assigned: list[tuple[Node, Node, Node]] = []
        """At top level: the assignment, its target and its value."""
        self._decorators: list[Node] = []
        for _, found in source.matches(query):
            if "call" in found:
                of = found.get("of")
                name = source.text(found["callee"][0])
                self.calls.append(Called(found["call"][0], name, of[0] if of else None))
            elif "comment" in found:
                self.comments += found["comment"]
            elif "made" in found:
                self.variables.append((found["variable"][0], found["made"][0]))
            elif "parameter" in found:
                self.parameters.append((found["parameter"][0], found["annotation"][0]))
            elif "name" in found:
                self._define(found)
            else:
                self._rare(found)
        self._decorate()

    def _rare(self, found: dict[str, list[Node]]) -> None:
        if "new" in found:
            name = self.source.text(found["callee"][0])
            self.news.append(Called(found["new"][0], name, None))
        elif "element" in found:
            name = self.source.text(found["callee"][0])
            self.elements.append(Called(found["element"][0], name, None))
        elif "env" in found:
            self.environ.append((found["env"][0], found["key"][0]))
        elif "assigned" in found:
            self.assigned.append((found["assigned"][0], found["target"][0], found["value"][0]))
        elif "decorator" in found:
            self._decorators += found["decorator"]
        elif "dynamic" in found:
            self.dynamic += found["dynamic"]
        else:
            self.statements += found.get("import") or found["export"]

    def _define(self, found: dict[str, list[Node]]) -> None:
        name, place = self.source.text(found["name"][0]), found["name"][0].start_byte
        body = found.get("body", [None])[0]
        for kind in _KINDS:
            if kind in found:
                self.definitions.append(Definition(found[kind][0], name, body, kind, place))
                return
        is_field = "field" in found
        node = found["field" if is_field else "top"][0]
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            body = value.child_by_field_name("body")
            told: SymbolKind = "method" if is_field else "function"
        elif is_field:
            body, told = value, "property"
        else:
            body, told = value, "constant" if name.isupper() else "variable"
        self.definitions.append(Definition(node, name, body, told, place))

    def _decorate(self) -> None:
        """Give each decorator to the declaration that follows it; parameters have none here."""
        if not self._decorators:
            return
        self.definitions.sort(key=lambda each: each.place)
        places = [definition.place for definition in self.definitions]
        given: dict[int, list[Node]] = defaultdict(list)
        for decorator in self._decorators:
            holder = decorator.parent.parent if decorator.parent else None
            if holder is None or holder.type.endswith("parameter"):
                continue
            index = bisect_left(places, decorator.end_byte)
            if index < len(self.definitions):
                given[index].append(decorator)
        for index, nodes in given.items():
            self.definitions[index] = self.definitions[index]._replace(decorators=tuple(nodes))

    def text(self, node: Node | None) -> str:
        """The source of a node, '' for None."""
        return self.source.text(node)

    def literal(self, node: Node | None) -> str | None:
        """The content of a string without holes; None for anything else."""
        return literal(self.source, node)

    def arguments(self, call: Node | None) -> Arguments:
        """Of a call or a `new`."""
        if call is None:
            return Arguments()
        return arguments(self.source, call.child_by_field_name("arguments"))

    def is_inside_function(self, node: Node) -> bool:
        """True where a function or class is nearer around a node than a variable's declaration."""
        around = node.parent
        for _ in range(CHAIN_MAX):
            if around is None or around.type == "program":
                return False
            if around.type in FUNCTIONS or around.type.endswith(("_definition", "_declaration")):
                return around.type not in ("lexical_declaration", "variable_declaration")
            around = around.parent
        return False

    def is_top(self, node: Node) -> bool:
        """True for a statement at top level."""
        return node.parent is None or node.parent.type == "program"

    def members(self, node: Node | None) -> dict[str, Node]:
        """The values in an object literal, by name."""
        if node is None or node.type != "object":
            return {}
        found: dict[str, Node] = {}
        for named_child in node.named_children:
            if named_child.type == "pair":
                key = named_child.child_by_field_name("key")
                value = named_child.child_by_field_name("value")
                if key is not None and value is not None:
                    found.setdefault(self.literal(key) or self.text(key), value)
            elif named_child.type == "shorthand_property_identifier":
                found.setdefault(self.text(named_child), named_child)
            elif named_child.type == "method_definition":
                found.setdefault(self.text(named_child.child_by_field_name("name")), named_child)
        return found

    def value(self, node: Node | None) -> str | None:
        """A literal text, or that of a constant of this file."""
        if node is not None and node.type == "identifier":
            node = self._values.get(self.text(node))
        return self.literal(node)

    @cached_property
    def _values(self) -> dict[str, Node]:
        return {
            definition.name: definition.body
            for definition in self.definitions
            if definition.body is not None
        }

    def values(self, node: Node | None) -> tuple[str, ...]:
        """The literal texts in a list, or the only one."""
        nodes = node.named_children if node is not None and node.type == "array" else [node]
        return tuple(text for each in nodes if (text := self.value(each)) is not None)
