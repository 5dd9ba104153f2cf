"""What commands of click and Typer are kept in: a name of the file, or of a function that makes
them, gives them back or is given what they are put on.

A file alone does not tell what others put above and below its commands: it says what keeps each
one, and what functions do with what they are given (`register()`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.command_lines.trees import Tree
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import inside
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand


class Holders:
    """The names of a file that keep commands, and what is put below each."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._kept: dict[str, str] = {}
        self._holders: set[str] = set()
        self._parameters: dict[str, frozenset[str]] = {}
        self._functions = {
            module.scopes.at(it.node.start_byte): it for it in module.definitions if not it.is_class
        }
        self.tree = Tree()

    def keep(self, name: str) -> str:
        """What others know by its whole name: the function that gives it back, else itself."""
        scope, _, own = name.rpartition(".")
        function = self._functions.get(scope)
        returned = _returned(self._module, function) if function else set()
        self._kept[name] = scope if own in returned else name
        self._holders.add(self._kept[name])
        return self._kept[name]

    def meant(self, words: str, scope: str) -> str:
        """What an expression keeps where it stands; `function()` for what that is given."""
        words = words.removesuffix("()")
        while scope:
            if kept := self._kept.get(f"{scope}.{words}"):
                return kept
            if self.is_given(words, scope):
                return f"{scope}()"
            scope = scope.rpartition(".")[0]
        return self._kept.get(words, words)

    def is_given(self, words: str, scope: str) -> bool:
        """Is a name a parameter of a function, or of one around it?"""
        outer = scope.rpartition(".")[0]
        if scope not in self._parameters:
            function = self._functions.get(scope)
            names = self._module.parameters(function) if function is not None else ()
            self._parameters[scope] = frozenset(names)
        is_own = words in self._parameters[scope]
        return is_own or (bool(outer) and self.is_given(words, outer))

    def scope(self, variable: Node) -> str:
        """The function that a variable is in; a variable at top level is in its own scope."""
        scope, name = self._module.scopes.at(variable.start_byte), self._module.text(variable)
        return scope.removesuffix(name).removesuffix(".") if scope not in self._functions else scope

    def hand_on(self, called: Called) -> None:
        """Note that a function is given what keeps commands."""
        function = self._module.text(called.function)
        for node in called.given.all():
            if node.type in ("identifier", "attribute"):
                kept = self.meant(self._module.text(node), called.caller)
                if kept in self._holders or kept.endswith("()"):
                    self.tree.parts[kept].append(function)

    def facts(self) -> Iterator[CliCommand]:
        """The commands, and what is put below things that are none of the file: what functions are
        given, or what other files keep."""
        own = {command.holder for command in self.tree.commands.values()}
        for fact in self.tree.facts():
            is_added = fact.is_part and not fact.options and fact.parent != fact.holder
            if not is_added or (fact.holder or fact.parent) not in own:
                yield fact


def _returned(module: Module, function: Definition) -> set[str]:
    """The names that a function gives back at its end."""
    statements = inside(function.node, "body")
    return {
        module.text(value)
        for statement in statements
        if statement.type == "return_statement"
        for value in statement.named_children
    }
