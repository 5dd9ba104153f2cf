"""What the names in a JavaScript or TypeScript file stand for: what its readers ask about.

A name counts as a framework's only when an import of the file says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.ecmascript.imports import Exports, exports_of, imports_of
from stationmaster.reading.code.languages.ecmascript.parsed import CHAIN_MAX, OURS, Called, Parsed
from stationmaster.reading.code.languages.ecmascript.symbols import declared_in
from stationmaster.reading.code.languages.source import Made, Scopes, child, declarations, innermost
from stationmaster.reading.code.model import Import, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULE = re.compile("[:>]")
"""Ends a module's name in an origin."""
_NAMES = frozenset(
    {
        "identifier",
        "type_identifier",
        "nested_type_identifier",
        "nested_identifier",
    }
)
_PARTS_MAX = 8
"""Of a name with dots that may be a framework's."""


class Module(Parsed):
    """`names` are origins of what imports bind here: `module` for all of it or its default,
    `module:name` for one name of it; Node's own without `node:`."""

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports of all kinds, by line."""
        return imports_of(self)

    @cached_property
    def exports(self) -> Exports:
        """The names that the module exports, and whether it is a module at all."""
        return exports_of(self)

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
                names.insert(0, self.text(node.child_by_field_name("property")))
                node = node.child_by_field_name("object")
            else:
                node = node.child_by_field_name("name")
        start = ""
        if node is not None and node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and function.type == "identifier":
                is_require = self.text(function) == "require"
                start = (self.literal(self.arguments(node).get(0)) or "") if is_require else ""
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

    @cached_property
    def _reached(self) -> dict[str, list[tuple[Called, str]]]:
        found: dict[str, list[tuple[Called, str]]] = defaultdict(list)
        for each in (*self.calls, *self.news):
            origin = self.reach(each.of, each.name)
            if origin:
                found[_MODULE.split(origin, maxsplit=1)[0]].append((each, origin))
        return found

    def calls_of(self, *modules: str) -> Iterator[tuple[Called, str]]:
        """Calls of what modules provide, with its origin."""
        for module in modules:
            yield from self._reached.get(module, ())

    def owner(self, holder: Node | None) -> str:
        """The variable that an expression begins with, or that it is being made for; `default` for
        what is exported as it is made."""
        root = self.root_of(holder)
        is_made = root is not None and root is not holder and self._is_foreign(root)
        if root is not None and not is_made:
            return self.text(root)
        if holder is None or holder.type == "member_expression":
            return self.source.line(holder, 80)
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

    @cached_property
    def _made(self) -> dict[str, list[Made]]:
        made: dict[str, list[Made]] = defaultdict(list)
        for variable, value in self.variables:
            if variable.type in ("identifier", "member_expression"):
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
        text = self.text(name)
        known = self._made.get(text) or self._made.get(text.removeprefix("this."))
        if not known:
            return None
        return innermost(known, variable, self.scopes)

    def root_of(self, node: Node | None) -> Node | None:
        """The name that a chain of calls begins with; None for any other expression."""
        for _ in range(2 * CHAIN_MAX):
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
        """The declarations with their containers, by place."""
        return self._declared[0]

    @property
    def scopes(self) -> Scopes:
        """Which of them holds a place."""
        return self._declared[1]
