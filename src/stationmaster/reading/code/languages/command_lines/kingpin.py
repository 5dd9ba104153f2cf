"""Commands of kingpin: `app.Command("add", "Adds.").Flag("all", "…").Short('a').Bool()`.

A function that is given a command, and adds flags or further commands to it, is a part.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.trees import Tree
from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.go.kept import (
    flag_default,
    given_type,
    of_package,
    variable,
)
from stationmaster.reading.code.languages.meanings import message
from stationmaster.reading.code.languages.source import above, calls_on, inside, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_PACKAGES = code.names("go.commands.chained")
_CHAIN = ("call_expression", "expression_list", "parenthesized_expression", "selector_expression")
_PROGRAM = "@program"
_VARIABLES = ("Envar", "OverrideDefaultFromEnvar")
_MANY = code.names("go.commands.many")


def read(file: File) -> Iterator[Fact]:
    """The commands of a file with their flags; none where it does not import kingpin."""
    packages = {name for name, path in file.packages.items() if path in _PACKAGES}
    if packages:
        yield from _Reader(file, packages).read()


class _Reader:
    def __init__(self, file: File, packages: set[str]) -> None:
        self._file, self._packages = file, packages
        self._constants = constants(file)
        self._tree = Tree()
        self._keepers = {it: _PROGRAM for name in packages for it in (name, f"{name}.CommandLine")}
        """What the names of variables, behind those of their functions, keep."""

    def read(self) -> Iterator[Fact]:
        """The program, its commands, and the functions that add to what they are given."""
        calls = sorted(self._file.called, key=lambda it: it.node.end_byte)
        settings = [setting for call in calls for setting in self._call(call)]
        yield from self._tree.facts()
        yield from settings

    def _call(self, call: Called) -> Iterator[Setting]:
        """Add what a call makes, or note the function that a command is given to."""
        owner = self._owner(call.of)
        nodes = inside(call.listed)
        name, meaning = [*(self._text(it) for it in nodes), "", ""][:2]
        meaning = meaning or message(self._file, nodes[1] if len(nodes) > 1 else None)
        is_made = owner == _PROGRAM and call.name == "New" and call.on in self._packages
        if owner is None or not (is_made or call.name in ("Command", "Flag", "Arg")):
            for node in nodes:
                if (taker := self._owner(node)) is not None:
                    self._tree.options[taker] += of_package(self._file, call)
                    self._tree.parts[taker].append(self._file.part(call.node, "function"))
        elif name and is_made:
            self._keep(call.node, _PROGRAM)
            program = CliCommand((), call.line, meaning, holder=_PROGRAM, program=name)
            self._tree.commands.setdefault(_PROGRAM, program)
        elif name and call.name == "Command":
            key = self._keep(call.node, f"@{call.node.start_byte}")
            self._tree.commands[key] = CliCommand((name,), call.line, meaning, holder=key)
            self._tree.below[owner].append(key)
        elif name:
            yield from self._add(call, owner, name, meaning)

    def _text(self, node: Node) -> str:
        """The first line of a text, also of one that a constant holds."""
        text = self._file.literal(node)
        text = self._constants.get(self._file.text(node), "") if text is None else text
        return one_line(text.strip().partition("\n")[0])

    def _add(self, call: Called, owner: str, name: str, meaning: str) -> Iterator[Setting]:
        """Add an option with what is called in turn on it."""
        chain = {
            self._file.part(member, "field"): inside(made, "arguments")
            for member, made in calls_on(call.node)
        }
        values = {key: self._file.text(nodes[0]) for key, nodes in chain.items() if nodes}
        texts = {key: self._file.literal(nodes[0]) for key, nodes in chain.items() if nodes}
        short = f"-{values['Short'].strip(chr(39))}" if "Short" in values else ""
        names = (*filter(None, [short]), f"--{name}") if call.name == "Flag" else (name.upper(),)
        is_many = any(method.removesuffix("Var") in _MANY for method in chain)
        own = flag_default(self._file, chain["Default"][0]) if chain.get("Default") else None
        self._tree.options[owner].append(Option(names, call.line, meaning, own, is_many=is_many))
        if owner == _PROGRAM:
            self._tree.commands.setdefault(_PROGRAM, CliCommand((), call.line, holder=_PROGRAM))
        for variable_ in filter(None, map(texts.get, _VARIABLES)):
            yield Setting(variable_, "env", call.line, own, doc=meaning)

    def _keep(self, node: Node, made: str) -> str:
        """What keeps that which a call makes: the variable that is given it, by the function
        around it, if any."""
        left = variable(above(node, *_CHAIN, past=True))
        key = self._key(left) if left is not None else made
        self._keepers[key] = made if made == _PROGRAM else key
        return key

    def _key(self, node: Node) -> str:
        return f"{self._file.scopes.at(node.start_byte)}.{self._file.text(node)}"

    def _owner(self, node: Node | None) -> str | None:
        """What an expression is: the program, a command by what keeps it, or that which the
        function around it is given; None for anything else."""
        if node is None:
            return None
        if node.type == "call_expression":
            return self._keepers.get(f"@{node.start_byte}")
        text = self._file.text(node)
        kept = self._keepers.get(text) or self._keepers.get(self._key(node))
        is_given = given_type(self._file, node).partition(".")[0] in self._packages
        return kept or (f"{self._file.scopes.at(node.start_byte)}()" if is_given else None)
