"""A Python file once it is parsed: what its readers ask about.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from stationmaster.reading.code.languages.python.imports import exports_of, imports_of
from stationmaster.reading.code.languages.python.symbols import declared_in
from stationmaster.reading.code.languages.source import (
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
from stationmaster.reading.code.model import Import, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(decorated_definition definition: (_) @decorated) @decorators
(import_statement) @import
(import_from_statement) @from
(call function: [
  (identifier) @callee
  (attribute object: (_) @of attribute: (identifier) @callee)
]) @call
(module (expression_statement (assignment left: (identifier) @name) @top))
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name) @attribute))) @holder
(assignment left: (_) @variable right: (call function: (_) @maker) @made)
(assignment left: (_) @table right: (dictionary)) @tabled
(typed_parameter (identifier) @parameter type: (type) @type)
(type_alias_statement) @alias
(if_statement condition: (_) @condition consequence: (block) @types
  (#match? @condition "^(typing.)?TYPE_CHECKING$"))
(module (if_statement condition: (comparison_operator) @guard) @guarded
  (#match? @guard "__name__"))
(attribute object: (identifier) @conf attribute: (identifier) @setting
  (#eq? @conf "settings"))
(subscript value: (_) @environ subscript: (_) @key (#match? @environ "environ$"))
(comment) @comment
"""


class Definition(NamedTuple):
    """A class or a function, with the expressions of its decorators."""

    node: Node
    name: str
    body: Node
    decorators: tuple[Node, ...]
    is_class: bool


class Assigned(NamedTuple):
    """`name: type = value` at top level or in a class; nodes."""

    node: Node
    name: str
    type: Node | None
    value: Node | None


class Called(NamedTuple):
    """A call of `name`, on `of` where there is something before it."""

    node: Node
    name: str
    of: Node | None


class Module:
    """`names` are dotted origins of what imports bind here, with the leading dots of relative
    ones."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.definitions: list[Definition] = []
        self.constants: list[Assigned] = []
        self.attributes: dict[int, list[Assigned]] = defaultdict(list)
        """Of classes by the byte where they begin."""
        self.calls: list[Called] = []
        self.comments: list[Node] = []
        self.environ: list[tuple[Node, Node]] = []
        """What is subscripted, and by what."""
        self.conf: list[tuple[Node, Node]] = []
        """What is called `settings`, and what is asked of it."""
        self.guards: list[Node] = []
        self.tables: list[Node] = []
        """Assignments of dictionaries."""
        self.import_nodes: list[Node] = []
        self.typing: list[tuple[int, int]] = []
        """Bytes that only checkers of types see."""
        self.makers: list[tuple[Node, Node, Node | None]] = []
        """Variables, what makes what they hold (or its type), and the call."""
        self.aliases: list[Node] = []
        self._find(source)

    def _find(self, source: Source) -> None:
        decorators: dict[int, tuple[Node, ...]] = {}
        defined: list[tuple[Node, Node, Node, bool]] = []
        for _, found in source.matches(QUERY):
            if "call" in found:
                of = found.get("of")
                self.calls.append(
                    Called(found["call"][0], source.text(found["callee"][0]), of[0] if of else None)
                )
            elif "made" in found:
                self.makers.append((found["variable"][0], found["maker"][0], found["made"][0]))
            elif "function" in found:
                defined.append((found["function"][0], found["name"][0], found["body"][0], False))
            elif "class" in found:
                defined.append((found["class"][0], found["name"][0], found["body"][0], True))
            elif "decorated" in found:
                # A query that repeats decorators takes minutes where a function has thirty.
                decorators[found["decorated"][0].start_byte] = tuple(
                    named_child.named_children[0]
                    for named_child in found["decorators"][0].named_children
                    if named_child.type == "decorator" and named_child.named_children
                )
            elif "parameter" in found:
                self.makers.append((found["parameter"][0], found["type"][0], None))
            elif "top" in found:
                self.constants.append(self._assigned(found["top"][0], found["name"][0]))
            elif "attribute" in found:
                self.attributes[found["holder"][0].start_byte].append(
                    self._assigned(found["attribute"][0], found["name"][0])
                )
            else:
                self._rare(found)
        self.definitions = [
            Definition(node, source.text(name), body, decorators.get(node.start_byte, ()), is_class)
            for node, name, body, is_class in defined
        ]

    def _rare(self, found: dict[str, list[Node]]) -> None:
        if "comment" in found:
            self.comments += found["comment"]
        elif "types" in found:
            self.typing += [(each.start_byte, each.end_byte) for each in found["types"]]
        elif "environ" in found:
            self.environ.append((found["environ"][0], found["key"][0]))
        elif "conf" in found:
            self.conf.append((found["conf"][0], found["setting"][0]))
        elif "tabled" in found:
            self.tables += found["tabled"]
        elif "guarded" in found:
            self.guards += found["guarded"]
        elif "alias" in found:
            self.aliases += found["alias"]
        else:
            self.import_nodes += found.get("import") or found["from"]

    def _assigned(self, node: Node, name: Node) -> Assigned:
        return Assigned(
            node,
            self.source.text(name),
            node.child_by_field_name("type"),
            node.child_by_field_name("right"),
        )

    def text(self, node: Node | None) -> str:
        """The source of a node, '' for None."""
        return self.source.text(node)

    def literal(self, node: Node | None) -> str | None:
        """The content of a string without holes; None for anything else."""
        return literal(self.source, node)

    def value(self, node: Node | None) -> str | None:
        """A literal text, or that of a constant of this file."""
        if node is not None and node.type == "identifier":
            node = self._constants.get(self.text(node))
        return self.literal(node)

    def constant(self, name: Node) -> Node | None:
        """The value of a constant of this file."""
        return self._constants.get(self.text(name))

    @cached_property
    def _constants(self) -> dict[str, Node]:
        return {
            constant.name: constant.value
            for constant in self.constants
            if constant.value is not None
        }

    def told(self, node: Node | None) -> str:
        """What a text is, or which expression stands for it, in braces."""
        value = self.value(node)
        return value if value is not None else f"{{{self.source.line(node, 60)}}}"

    def values(self, node: Node | None) -> tuple[str, ...]:
        """The literal texts in a list, a tuple or a set."""
        if node is None or node.type not in ("list", "tuple", "set"):
            return ()
        return tuple(
            text for named_child in node.named_children if (text := self.value(named_child))
        )

    def pairs(self, node: Node | None) -> dict[str, Node]:
        """The values of a dictionary whose keys are literal texts."""
        found: dict[str, Node] = {}
        if node is not None and node.type == "dictionary":
            for named_child in node.named_children:
                key = self.literal(named_child.child_by_field_name("key"))
                value = named_child.child_by_field_name("value")
                if key is not None and value is not None:
                    found.setdefault(key, value)
        return found

    def arguments(self, call: Node | None) -> Arguments:
        """Of a call."""
        if call is None or call.type != "call":
            return Arguments()
        return arguments(self.source, call.child_by_field_name("arguments"))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports by place, with those inside functions."""
        return imports_of(self)

    @cached_property
    def exports(self) -> tuple[str, ...] | None:
        """The names of `__all__`; None without such a list of literal names."""
        return exports_of(self)

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

    @cached_property
    def _reached(self) -> dict[str, list[tuple[Called, str]]]:
        found: dict[str, list[tuple[Called, str]]] = defaultdict(list)
        for call in self.calls:
            origin = self.reach(call.of, call.name)
            if origin:
                found[origin.partition(".")[0]].append((call, origin))
        return found

    def calls_of(self, *packages: str) -> Iterator[tuple[Called, str]]:
        """Calls of what packages provide, with the dotted names of it."""
        for package in packages:
            yield from self._reached.get(package, ())

    @cached_property
    def _made(self) -> dict[str, list[Made]]:
        made: dict[str, list[Made]] = defaultdict(list)
        for variable, maker, call in self.makers:
            origin = self.origin(maker)
            if origin:
                place = variable.start_byte - 1
                made[self.text(variable)].append(Made(origin, call, place))
        return made

    def made(self, variable: Node | None) -> Made | None:
        """What a variable holds: made in the same function, or else at top level."""
        if variable is None:
            return None
        known = self._made.get(self.text(variable))
        if not known:
            return None
        return innermost(known, variable, self.scopes)

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

    @cached_property
    def _declared(self) -> tuple[tuple[Symbol, ...], Scopes]:
        return declarations(self.source, declared_in(self))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The declarations with their containers, by place."""
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        """Which declaration holds a byte of the file."""
        return self._declared[1]

    def bases(self, each: Definition) -> list[Node]:
        """The expressions of a class's bases, without keywords such as `metaclass`."""
        given = each.node.child_by_field_name("superclasses")
        if given is None:
            return []
        return [
            node
            for node in given.named_children
            if node.type not in ("keyword_argument", "comment")
        ]

    def docstring(self, body: Node) -> str:
        """'' where the first statement is no text."""
        for index in range(min(body.named_child_count, 5)):
            first = body.named_child(index)
            if first is None or first.type == "comment":
                continue
            text = child(first) if first.type == "expression_statement" else None
            return (self.literal(text) or "") if text is not None and text.type == "string" else ""
        return ""
