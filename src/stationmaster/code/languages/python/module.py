"""A Python file once it is parsed: what its readers ask about.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from stationmaster.code.languages.source import (
    Arguments,
    Declared,
    Made,
    Scopes,
    Source,
    arguments,
    declarations,
    first_sentence,
    innermost,
    line_of,
    literal,
    one_line,
)
from stationmaster.code.model import Import, ImportKind, Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(decorated_definition (decorator (_) @decorator)+ definition: (_) @decorated)
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
(typed_parameter (identifier) @parameter type: (type) @type)
(type_alias_statement) @alias
(if_statement condition: (_) @condition consequence: (block) @types
  (#match? @condition "^(typing.)?TYPE_CHECKING$"))
(module (if_statement condition: (comparison_operator) @guard) @guarded
  (#match? @guard "__name__"))
(subscript value: (_) @environ subscript: (_) @key (#match? @environ "environ$"))
(comment) @comment
"""
_ENUMS = frozenset(
    {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices"}
)
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


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
        self.guards: list[Node] = []
        self._imports: list[Node] = []
        self._typing: list[tuple[int, int]] = []
        self._makers: list[tuple[str, Node, Node | None]] = []
        self._aliases: list[Node] = []
        decorators: dict[int, tuple[Node, ...]] = {}
        defined: list[tuple[Node, Node, Node, bool]] = []
        for _, found in source.matches(QUERY):
            if "call" in found:
                of = found.get("of")
                self.calls.append(Called(
                    found["call"][0], source.text(found["callee"][0]), of[0] if of else None
                ))  # fmt: skip
            elif "made" in found:
                variable = source.text(found["variable"][0])
                self._makers.append((variable, found["maker"][0], found["made"][0]))
            elif "function" in found:
                defined.append((found["function"][0], found["name"][0], found["body"][0], False))
            elif "class" in found:
                defined.append((found["class"][0], found["name"][0], found["body"][0], True))
            elif "decorated" in found:
                decorators[found["decorated"][0].start_byte] = tuple(found["decorator"])
            elif "parameter" in found:
                name = source.text(found["parameter"][0])
                self._makers.append((name, found["type"][0], None))
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
            self._typing += [(each.start_byte, each.end_byte) for each in found["types"]]
        elif "environ" in found:
            self.environ.append((found["environ"][0], found["key"][0]))
        elif "guarded" in found:
            self.guards += found["guarded"]
        elif "alias" in found:
            self._aliases += found["alias"]
        else:
            self._imports += found.get("import") or found["from"]

    def _assigned(self, node: Node, name: Node) -> Assigned:
        return Assigned(
            node, self.source.text(name),
            node.child_by_field_name("type"), node.child_by_field_name("right"),
        )  # fmt: skip

    def text(self, node: Node | None) -> str:
        return self.source.text(node)

    def literal(self, node: Node | None) -> str | None:
        return literal(self.source, node)

    def arguments(self, call: Node | None) -> Arguments:
        """Of a call."""
        if call is None or call.type != "call":
            return Arguments()
        return arguments(self.source, call.child_by_field_name("arguments"))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        found: list[Import] = []
        for node in self._imports:
            kind: ImportKind = "module"
            if any(start <= node.start_byte < end for start, end in self._typing):
                kind = "type"
            elif self.functions.at(node.start_byte):
                kind = "lazy"
            if node.type == "import_statement":
                found += self._import(node, kind)
            else:
                found.append(self._from(node, kind))
        return tuple(found)

    def _import(self, node: Node, kind: ImportKind) -> Iterator[Import]:
        for child in node.named_children:
            if child.type == "aliased_import":
                name = self.text(child.child_by_field_name("name"))
                bound = self.text(child.child_by_field_name("alias"))
            elif child.type == "dotted_name":
                name = self.text(child)
                bound = name.partition(".")[0]
            else:
                continue
            yield Import(name, line_of(node), kind, bound=(bound,))

    def _from(self, node: Node, kind: ImportKind) -> Import:
        module = self.text(node.child_by_field_name("module_name"))
        bare = module.lstrip(".")
        names, bound = [], []
        for child in node.children_by_field_name("name"):
            if child.type == "aliased_import":
                names.append(self.text(child.child_by_field_name("name")))
                bound.append(self.text(child.child_by_field_name("alias")))
            else:
                names.append(self.text(child))
                bound.append(names[-1])
        if any(child.type == "wildcard_import" for child in node.named_children):
            names, bound = ["*"], ["*"]
        level = len(module) - len(bare)
        return Import(bare, line_of(node), kind, tuple(names), tuple(bound), level)

    @cached_property
    def names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for each in self.imports:
            if not each.names:
                is_alias = each.bound[0] != each.name.partition(".")[0]
                found.setdefault(each.bound[0], each.name if is_alias else each.bound[0])
            start = "." * each.level + (f"{each.name}." if each.name else "")
            for name, bound in zip(each.names, each.bound, strict=False):
                found.setdefault(bound, start + name)
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """Top names of packages that are imported from outside."""
        return frozenset(each.name.partition(".")[0] for each in self.imports if not each.level)

    def origin(self, node: Node | None) -> str:
        """The dotted name of something imported, '' for anything else."""
        if node is None or node.type not in ("identifier", "attribute", "type"):
            return ""
        first, dot, rest = self.text(node).partition(".")
        origin = self.names.get(first, "")
        return origin + dot + rest if origin else ""

    @cached_property
    def _made(self) -> dict[str, list[Made]]:
        made: dict[str, list[Made]] = defaultdict(list)
        for variable, maker, call in self._makers:
            origin = self.origin(maker)
            if origin:
                made[variable].append(Made(origin, call, maker.start_byte))
        return made

    def made(self, variable: Node | None) -> Made | None:
        """What a variable holds: made in the same function, or else at top level."""
        if variable is None:
            return None
        known = self._made.get(self.text(variable))
        if not known:
            return None
        return innermost(known, variable, self.scopes)

    def made_by(self, *makers: str) -> Iterator[tuple[str, Made]]:
        """Variables that hold objects of these classes."""
        for name, known in self._made.items():
            for each in known:
                if each.maker in makers:
                    yield name, each

    @cached_property
    def functions(self) -> Scopes:
        """Which function holds a place."""
        return Scopes(sorted(
            (each.node.start_byte, each.node.end_byte, each.name)
            for each in self.definitions if not each.is_class
        ))  # fmt: skip

    @cached_property
    def exports(self) -> tuple[str, ...] | None:
        """The names in `__all__`, where they are all literal."""
        for each in self.constants:
            if each.name == "__all__" and each.value is not None:
                items = each.value.named_children
                if each.value.type in ("list", "tuple"):
                    names = [self.literal(item) for item in items if item.type != "comment"]
                    return tuple(name for name in names if name) if all(names) else None
        return None

    @cached_property
    def _declared(self) -> tuple[tuple[Symbol, ...], Scopes]:
        return declarations(self.source, [
            *map(self._definition, self.definitions),
            *map(self._constant, {each.name: each for each in reversed(self.constants)}.values()),
            *map(self._alias, self._aliases),
        ])  # fmt: skip

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        return self._declared[1]

    def _is_public(self, name: str) -> bool:
        return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))

    def _definition(self, each: Definition) -> Declared:
        marks = tuple(one_line(self.text(d).partition("(")[0], 80) for d in each.decorators)
        kind: SymbolKind = "class" if each.is_class else "function"
        bases: tuple[str, ...] = ()
        if each.is_class:
            bases = tuple(one_line(self.text(base), 80) for base in self.bases(each))
            if any(base.rpartition(".")[2] in _ENUMS for base in bases):
                kind = "enum"
            elif any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in bases):
                kind = "protocol"
        elif _PROPERTIES.intersection(marks):
            kind = "property"
        return Declared(
            each.node, each.name, kind, each.body, self._is_public(each.name),
            first_sentence(self.docstring(each.body)), bases, marks,
        )  # fmt: skip

    def _constant(self, each: Assigned) -> Declared:
        kind: SymbolKind = "constant" if each.name.isupper() else "variable"
        if self.text(each.type).endswith("TypeAlias"):
            kind = "type"
        return Declared(each.node, each.name, kind, each.value, self._is_public(each.name))

    def _alias(self, node: Node) -> Declared:
        name = self.text(node.child_by_field_name("left")).partition("[")[0]
        return Declared(node, name, "type", is_public=self._is_public(name))

    def bases(self, each: Definition) -> list[Node]:
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
            text = first.named_child(0) if first.type == "expression_statement" else None
            return (self.literal(text) or "") if text is not None and text.type == "string" else ""
        return ""
