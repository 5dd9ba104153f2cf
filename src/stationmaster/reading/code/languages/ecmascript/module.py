"""What the names in a JavaScript or TypeScript file stand for: what its readers ask about."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs, module
from stationmaster.reading.code.languages.ecmascript import trpc
from stationmaster.reading.code.languages.ecmascript.imports import exports_of, imports_of
from stationmaster.reading.code.languages.ecmascript.symbols import FUNCTIONS, declared_in
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.scopes import Made
from stationmaster.reading.code.languages.source import Grammar, child, inside, line_of, uncommented
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import SymbolKind

_NAMES = code.names("ecmascript.grammar.names")
_KINDS: tuple[SymbolKind, ...] = (
    "function",
    "method",
    "class",
    "interface",
    "type",
    "enum",
    "module",
)
_WRAPPERS = code.names("ecmascript.components.wrappers")
_ABOUT = ("@fileoverview", "@file", "@module", "@packageDocumentation")
_PARTS_MAX = 8
"""Of a name with dots that may be a framework's."""
GIVING = FUNCTIONS | {"function_declaration", "method_definition"}
"""What has parameters."""
CHAIN_MAX = 60
"""Calls on what calls return, in one expression."""
OURS = (".", "@/", "~/", "#")
"""How the paths of imports from the repository itself begin."""


class Module(module.Module):
    """`names` are origins of what imports bind here: `module` for all of it or its default,
    `module:name` for one name of it; Node's own without `node:`."""

    DOCUMENTING, HAS_MARKUP = ("/**",), False
    PLAIN = frozenset({"number", "true", "false", "null", "undefined"})
    PACKAGE_END = re.compile("[:>]")

    def __init__(self, data: bytes, root: Node, grammar: Grammar) -> None:
        super().__init__(data, root, grammar)
        self.news = self.calls_as("new")
        self.environ = self.pairs_of("env", "key")
        """Where a variable of the environment is read, and its name."""
        self.variables = self.pairs_of("variable", "made")
        """Names or patterns, and the values that they are made of."""
        self.statements = self.nodes_of("import", "export")
        self.assigned = [
            (match["assigned"], match["target"], match["value"])
            for match in self.matched["assigned"]
        ]
        """At top level: the assignment, its target and its value."""

    @property
    def doc(self) -> str:
        """The first sentence of a comment that says that it is about the whole file."""
        for node in self.nodes["comment"][:3]:
            text = self.text(node)
            if text.startswith("/**") and any(sign in text for sign in _ABOUT):
                comment = uncommented(text)
                for sign in ("@fileoverview", "@file"):
                    before, found, after = comment.partition(sign)
                    comment = after if found else before
                return docs.sentence(comment, has_markup=self.HAS_MARKUP)
        return ""

    @cached_property
    def every(self) -> list[Called]:
        """The calls, what makes objects, and elements that are components."""
        elements = [it for it in self.calls_as("element") if it.name[:1].isupper()]
        return [*self.calls, *self.news, *elements]

    @cached_property
    def definitions(self) -> list[Definition]:
        """The declarations; a decorator belongs to the one that follows it, parameters have none
        here."""
        found = [
            self._definition(match, kind)
            for kind in (*_KINDS, "field", "top")
            for match in self.matched[kind]
        ]
        found.sort(key=lambda each: each.place)
        places = [definition.place for definition in found]
        given: dict[int, list[Called]] = defaultdict(list)
        for decorator in self.nodes["decorator"]:
            holder = decorator.parent.parent if decorator.parent else None
            index = bisect_left(places, decorator.end_byte)
            is_of_one = holder is not None and not holder.type.endswith("parameter")
            if is_of_one and index < len(found):
                given[index].append(self.call_at(decorator))
        for index, decorators in given.items():
            found[index] = found[index]._replace(decorators=tuple(decorators))
        return found

    def _definition(self, match: dict[str, Node], found: str) -> Definition:
        node, name = match[found], self.text(match["name"])
        body, place = match.get("body"), match["name"].start_byte
        for kind in _KINDS:
            if kind == found:
                return Definition(node, name, body, kind, place)
        value, is_field = child(node, "value"), found == "field"
        value = trpc.function_of(self, value) or self._wrapped(value)
        kind = "property" if is_field else "constant" if name.isupper() else "variable"
        if value is not None and value.type in FUNCTIONS:
            body, kind = child(value, "body"), "method" if is_field else "function"
        else:
            body = value
        return Definition(node, name, body, kind, place)

    def _wrapped(self, value: Node | None) -> Node | None:
        """What functions such as `memo` are given, else the value itself."""
        inner = value
        while inner is not None and inner.type == "call_expression":
            if self.part(inner, "function").rpartition(".")[2] not in _WRAPPERS:
                return value
            inner = self.given(inner).get(0)
        return inner

    declared = declared_in
    imports = cached_property(imports_of)
    exports = cached_property(exports_of)

    def held(self) -> Iterator[tuple[Node, str, Node | None]]:
        """What variables and parameters hold."""
        for variable, value in self.variables:
            if variable.type in ("identifier", "member_expression"):
                yield variable, *self.maker(value)
        for match in (*self.matched["parameter"], *self.matched["annotation"]):
            yield match["parameter"], self.origin(match["annotation"]), None

    def made(self, variable: Node | None) -> Made | None:
        """What a name or a chain of calls holds."""
        if variable is None:
            return None
        if variable.type in ("call_expression", "new_expression"):
            origin, call = self.maker(variable)
            if origin:
                return Made(origin, call, variable.start_byte)
        name = self.root_of(variable) if "call" in variable.type else variable
        text = self.text(name)
        return self.made_as(variable, text, text.removeprefix("this."))

    @property
    def exported(self) -> tuple[str, ...] | None:
        """The names that the module exports; None for what is no module."""
        return self.exports.names if self.exports.is_module else None

    @property
    def default(self) -> str:
        """The name here of what the module exports by default."""
        return self.exports.default

    @cached_property
    def names(self) -> dict[str, str]:
        """Origins by the name that an import binds here; the first import of a name counts."""
        found: dict[str, str] = {}
        for import_ in self.imports:
            if import_.kind == "reexport":
                continue
            module = import_.name.removeprefix("node:")
            if not import_.names and import_.bound:
                found.setdefault(import_.bound[0], module)
            for name, bound in zip(import_.names, import_.bound, strict=False):
                found.setdefault(bound, module if name == "default" else f"{module}:{name}")
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """Modules that are imported, as written."""
        return frozenset(import_.name for import_ in self.imports)

    def origin(self, node: Node | None) -> str:
        """Where something imported comes from, '' for anything else."""
        names: list[str] = []
        for _ in range(_PARTS_MAX):
            if node is None or node.type not in ("member_expression", "generic_type"):
                break
            if node.type == "member_expression":
                names.insert(0, self.part(node, "property"))
                node = child(node, "object")
            else:
                node = child(node, "name")
        start = ""
        if node is not None and node.type == "call_expression":
            function = child(node, "function")
            if function is not None and function.type == "identifier":
                is_require = self.text(function) == "require"
                start = (self.literal(self.given(node).get(0)) or "") if is_require else ""
        elif node is not None and node.type in _NAMES:
            first, dot, rest = self.text(node).partition(".")
            start = self.names.get(first, "")
            names = [*rest.split("."), *names] if dot else names
        if not start or not names:
            return start
        return f"{start}{'.' if ':' in start else ':'}{'.'.join(names)}"

    def maker(self, node: Node | None) -> tuple[str, Node | None]:
        """What an expression is made by, at the begin of its chain of calls, and that call."""
        call = None
        for _ in range(CHAIN_MAX):
            if node is None:
                break
            if node.type == "await_expression":
                node = child(node)
            elif node.type == "new_expression":
                return self.origin(child(node, "constructor")), node
            elif node.type == "call_expression":
                call = node
                function = child(node, "function")
                origin = self.origin(function)
                if origin:
                    return origin, call
                node = function
            elif node.type == "member_expression":
                node = child(node, "object")
            else:
                return "", None
        return "", None

    def reach(self, holder: Node | None, name: str) -> str:
        """The origin of what is called: something imported (`node-cron:schedule`), or a method of
        what was made by something imported (`hono:Hono>get`)."""
        if holder is None:
            return self.names.get(name, "")
        origin = self.origin(holder)
        if origin:
            return f"{origin}{'.' if ':' in origin else ':'}{name}"
        made = self.made(holder)
        return f"{made.maker}>{name}" if made is not None else ""

    def owner(self, holder: Node | None) -> str:
        """The variable that an expression begins with, or that it is being made for; `default` for
        what is exported as it is made."""
        root = self.root_of(holder)
        is_made = root is not None and root is not holder and self._is_foreign(root)
        if root is not None and not is_made:
            return self.text(root)
        if holder is None or holder.type == "member_expression":
            return self.line(holder, 80)
        around = [
            variable
            for variable, value in self.variables
            if value.start_byte <= holder.start_byte < value.end_byte
        ]
        return self.text(around[-1]) if around else "default" if is_made else ""

    def _is_foreign(self, name: Node) -> bool:
        """Does a package of others provide it? A chain that begins with it makes something new."""
        origin = self.names.get(self.text(name), "")
        return bool(origin) and not origin.startswith(OURS)

    def root_of(self, node: Node | None) -> Node | None:
        """The name that a chain of calls begins with; None for any other expression."""
        for _ in range(2 * CHAIN_MAX):
            if node is None or node.type == "identifier":
                return node
            if node.type == "call_expression":
                node = child(node, "function")
            elif node.type == "member_expression":
                node = child(node, "object")
            else:
                return None
        return None

    def made_by(self, *makers: str) -> Iterator[tuple[str, Made]]:
        """Variables that hold what these make."""
        for name, known in self._made.items():
            yield from ((name, each) for each in known if each.maker in makers)

    def parameters(self, function: Node) -> list[str]:
        """The names of parameters that are plain ones."""
        single = child(function, "parameter")
        if single is not None:
            return [self.text(single)]
        nodes = inside(function, "parameters")
        return [self.text(child(each, "pattern") or each) for each in nodes]

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
                key = child(named_child, "key")
                value = child(named_child, "value")
                if key is not None and value is not None:
                    found.setdefault(self.literal(key) or self.text(key), value)
            elif named_child.type == "shorthand_property_identifier":
                found.setdefault(self.text(named_child), named_child)
            elif named_child.type == "method_definition":
                found.setdefault(self.part(named_child, "name"), named_child)
        return found

    @cached_property
    def values_of(self) -> dict[str, Node]:
        """What declarations are made of, by their names."""
        return {
            definition.name: definition.body
            for definition in self.definitions
            if definition.body is not None
        }

    def values(self, node: Node | None) -> tuple[str, ...]:
        """The literal texts in a list, or the only one."""
        nodes = node.named_children if node is not None and node.type == "array" else [node]
        return tuple(text for each in nodes if (text := self.value(each)) is not None)


def line_of_method(call: Called) -> int:
    """Where a method is called: in a chain, its name stands lines below the begin."""
    function = child(call.node, "function")
    name = child(function, "property")
    return line_of(name or call.node)
