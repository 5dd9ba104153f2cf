"""A JavaScript or TypeScript file once it is parsed: what its readers ask about.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from stationmaster.code.languages.ecmascript.imports import Exports, exports_of, imports_of
from stationmaster.code.languages.ecmascript.symbols import FUNCTIONS, declared_in
from stationmaster.code.languages.source import (
    Arguments,
    Made,
    Scopes,
    Source,
    arguments,
    child,
    declarations,
    innermost,
    literal,
)
from stationmaster.code.model import Import, Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(call_expression function: [
  (identifier) @callee
  (member_expression object: (_) @of property: (property_identifier) @callee)
]) @call
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
    "function", "method", "class", "interface", "type", "enum", "module",
)  # fmt: skip
_CHAIN_MAX = 60
"""Calls on what calls return, in one expression."""


class Definition(NamedTuple):
    node: Node
    name: str
    body: Node | None
    kind: SymbolKind
    decorators: tuple[Node, ...] = ()


class Called(NamedTuple):
    """A call of `name`, on `of` where there is something before it."""

    node: Node
    name: str
    of: Node | None


class Module:
    """`names` are origins of what imports bind here: `module` for all of it or its default,
    `module:name` for one name of it."""

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
        name = self.source.text(found["name"][0])
        body = found.get("body", [None])[0]
        for kind in _KINDS:
            if kind in found:
                self.definitions.append(Definition(found[kind][0], name, body, kind))
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
        self.definitions.append(Definition(node, name, body, told))

    def _decorate(self) -> None:
        """Give each decorator to the declaration that follows it; parameters have none here."""
        if not self._decorators:
            return
        self.definitions.sort(key=lambda each: each.node.start_byte)
        ends = [(each.body or each.node).start_byte for each in self.definitions]
        given: dict[int, list[Node]] = defaultdict(list)
        for decorator in self._decorators:
            holder = decorator.parent.parent if decorator.parent else None
            if holder is None or holder.type.endswith("parameter"):
                continue
            index = bisect_left(ends, decorator.end_byte)
            if index < len(self.definitions):
                given[index].append(decorator)
        for index, nodes in given.items():
            self.definitions[index] = self.definitions[index]._replace(decorators=tuple(nodes))

    def text(self, node: Node | None) -> str:
        return self.source.text(node)

    def literal(self, node: Node | None) -> str | None:
        return literal(self.source, node)

    def arguments(self, call: Node | None) -> Arguments:
        """Of a call or a `new`."""
        if call is None:
            return Arguments()
        return arguments(self.source, call.child_by_field_name("arguments"))

    def is_inside_function(self, node: Node) -> bool:
        around = node.parent
        for _ in range(_CHAIN_MAX):
            if around is None or around.type == "program":
                return False
            if around.type in FUNCTIONS or around.type.endswith(("_definition", "_declaration")):
                return around.type not in ("lexical_declaration", "variable_declaration")
            around = around.parent
        return False

    def is_top(self, node: Node) -> bool:
        return node.parent is None or node.parent.type == "program"

    def members(self, node: Node | None) -> dict[str, Node]:
        """The values in an object literal, by name."""
        if node is None or node.type != "object":
            return {}
        found: dict[str, Node] = {}
        for each in node.named_children:
            if each.type == "pair":
                key = each.child_by_field_name("key")
                value = each.child_by_field_name("value")
                if key is not None and value is not None:
                    found.setdefault(self.literal(key) or self.text(key), value)
            elif each.type == "shorthand_property_identifier":
                found.setdefault(self.text(each), each)
            elif each.type == "method_definition":
                found.setdefault(self.text(each.child_by_field_name("name")), each)
        return found

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        return imports_of(self)

    @cached_property
    def exports(self) -> Exports:
        return exports_of(self)

    @cached_property
    def names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for each in self.imports:
            if each.kind == "reexport":
                continue
            if not each.names and each.bound:
                found.setdefault(each.bound[0], each.name)
            for name, bound in zip(each.names, each.bound, strict=False):
                found.setdefault(bound, each.name if name == "default" else f"{each.name}:{name}")
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """Modules that are imported, as written."""
        return frozenset(each.name for each in self.imports)

    def origin(self, node: Node | None) -> str:
        """Where something imported comes from, '' for anything else."""
        for _ in range(4):
            if node is None or node.type not in ("call_expression", "generic_type"):
                break
            if self.text(node.child_by_field_name("function")) == "require":
                return self.literal(self.arguments(node).get(0)) or ""
            if node.type == "call_expression":
                return ""
            node = node.child_by_field_name("name")
        if node is None:
            return ""
        if node.type == "member_expression":
            start = self.origin(node.child_by_field_name("object"))
            name = self.text(node.child_by_field_name("property"))
            return f"{start}{'.' if ':' in start else ':'}{name}" if start else ""
        first, dot, rest = self.text(node).partition(".")
        start = self.names.get(first, "")
        if not dot or not start:
            return start
        return f"{start}{'.' if ':' in start else ':'}{rest}"

    def maker(self, node: Node | None) -> tuple[str, Node | None]:
        """What an expression is made by, at the begin of its chain of calls, and that call."""
        call = None
        for _ in range(_CHAIN_MAX):
            if node is None:
                break
            if node.type == "await_expression":
                node = child(node)
            elif node.type == "new_expression":
                return self.origin(node.child_by_field_name("constructor")), node
            elif node.type == "call_expression":
                call = node
                function = node.child_by_field_name("function")
                origin = self.origin(function)
                if origin:
                    return origin, call
                node = function
            elif node.type == "member_expression":
                node = node.child_by_field_name("object")
            else:
                return "", None
        return "", None

    @cached_property
    def _made(self) -> dict[str, list[Made]]:
        made: dict[str, list[Made]] = defaultdict(list)
        for variable, value in self.variables:
            if variable.type == "identifier":
                origin, call = self.maker(value)
                if origin:
                    made[self.text(variable)].append(Made(origin, call, variable.start_byte - 1))
        for name, annotation in self.parameters:
            origin = self.origin(annotation)
            if origin:
                made[self.text(name)].append(Made(origin, None, name.start_byte - 1))
        return made

    def made(self, variable: Node | None) -> Made | None:
        """What a name or a chain of calls holds."""
        if variable is None:
            return None
        if variable.type in ("call_expression", "new_expression"):
            origin, call = self.maker(variable)
            if origin:
                return Made(origin, call, variable.start_byte)
        name = self.root_of(variable) if "call" in variable.type else variable
        known = self._made.get(self.text(name))
        if not known:
            return None
        return innermost(known, variable, self.scopes)

    def root_of(self, node: Node | None) -> Node | None:
        """The name that a chain of calls begins with; None for any other expression."""
        for _ in range(2 * _CHAIN_MAX):
            if node is None or node.type == "identifier":
                return node
            if node.type == "call_expression":
                node = node.child_by_field_name("function")
            elif node.type == "member_expression":
                node = node.child_by_field_name("object")
            else:
                return None
        return None

    def made_by(self, *makers: str) -> Iterator[tuple[str, Made]]:
        """Variables that hold what these make."""
        for name, known in self._made.items():
            for each in known:
                if each.maker in makers:
                    yield name, each

    @cached_property
    def _declared(self) -> tuple[tuple[Symbol, ...], Scopes]:
        return declarations(self.source, declared_in(self))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        """Which of them holds a place."""
        return self._declared[1]
