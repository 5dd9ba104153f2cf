"""Commands of kingpin: `app.Command("add", "Adds.").Flag("all", "…").Short('a').Bool()`.

A function that is given a command, and adds flags or further commands to it, is a part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.kept import variable
from stationmaster.reading.code.languages.go.texts import Texts
from stationmaster.reading.code.languages.source import (
    above,
    calls_on,
    child,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_PACKAGES = code.names("go.commands.chained")
_CHAIN = ("call_expression", "expression_list", "parenthesized_expression", "selector_expression")
_FUNCTIONS = ("function_declaration", "method_declaration")
_PROGRAM = ""
_QUOTE = "'"
_VARIABLES = frozenset({"Envar", "OverrideDefaultFromEnvar"})
_MANY = code.names("go.commands.many")


def read(file: File) -> Iterator[Fact]:
    """The commands of a file with their flags; none where it does not import kingpin."""
    packages = {name for name, path in file.packages.items() if path in _PACKAGES}
    if packages:
        yield from _Reader(file, packages).read()


class _Reader:
    def __init__(self, file: File, packages: set[str]) -> None:
        self._source, self._scopes, self._called = file, file.scopes, file.called
        self._packages = packages
        self._texts = Texts(file)
        self._commands: dict[str, tuple[str, str, int, str]] = {}
        """Name, meaning, line and what it is put below, by what keeps a command."""
        self._options: dict[str, list[Option]] = defaultdict(list)
        self._parts: dict[str, dict[str, None]] = defaultdict(dict)
        self._program = ""
        self._settings: list[Setting] = []

    def read(self) -> Iterator[Fact]:
        """The program, its commands, and the functions that add to what they are given."""
        for call in self._called:
            self._command(call)
        for call in self._called:
            self._flag(call)
        for holder, (name, meaning, line, _) in self._commands.items():
            yield CliCommand(
                (name,) if holder != _PROGRAM else (),
                line,
                meaning,
                options=tuple(self._options[holder]),
                holder=holder or "@program",
                children=self._below(holder),
                program=self._program if holder == _PROGRAM else "",
                parts=tuple(self._parts[holder]),
            )
        owners = {owner for *_, owner in self._commands.values()} | {*self._options, *self._parts}
        for owner in sorted(it for it in owners if it.endswith("()")):
            options, parts = tuple(self._options[owner]), tuple(self._parts[owner])
            function, below = owner.removesuffix("()"), self._below(owner)
            yield CliCommand(
                (), 0, options=options, holder=function, children=below, parts=parts, is_part=True
            )
        yield from self._settings

    def _below(self, owner: str) -> tuple[str, ...]:
        rows = self._commands.items()
        return tuple(holder for holder, (*_, above_) in rows if above_ == owner and holder != owner)

    def _command(self, call: Called) -> None:
        on = self._on(call)
        texts = [self._text(it) for it in inside(call.listed)]
        if on is None or not texts or not texts[0]:
            return
        meaning, line = "".join(texts[1:2]), line_of(call.node)
        if call.name == "New" and self._source.text(on) in self._packages:
            self._program = texts[0]
            self._commands.setdefault(_PROGRAM, (texts[0], meaning, line, _PROGRAM))
        elif call.name == "Command" and (owner := self._owner(on)) is not None:
            self._commands[self._keeps(call.node)] = (texts[0], meaning, line, owner)

    def _text(self, node: Node) -> str:
        """The first line of a text, also of one that a constant holds."""
        text = self._source.literal(node)
        if text is None and node.type == "identifier":
            text = self._texts.of(node)
        return one_line((text or "").strip().partition("\n")[0])

    def _flag(self, call: Called) -> None:
        """Add a flag or an argument, or note the function that a command is given to."""
        on = self._on(call)
        owner = self._owner(on) if on is not None and call.name in ("Flag", "Arg") else None
        if owner is None:
            if call.name not in ("Command", "New"):
                for node in inside(call.listed):
                    if (taker := self._owner(node)) is not None:
                        self._parts[taker][self._source.part(call.node, "function")] = None
            return
        if owner == _PROGRAM:
            self._commands.setdefault(_PROGRAM, ("", "", line_of(call.node), _PROGRAM))
        texts = [self._text(it) for it in inside(call.listed)]
        if texts and texts[0]:
            is_flag = call.name == "Flag"
            self._add(call, owner, f"--{texts[0]}" if is_flag else texts[0].upper(), texts[1:])

    def _add(self, call: Called, owner: str, name: str, texts: list[str]) -> None:
        """Add an option with what is called in turn on it."""
        names, meaning, default, is_many = [name], "".join(texts[:1]), None, False
        variables: list[str] = []
        for member, made in calls_on(call.node):
            method, arguments = self._source.part(member, "field"), inside(made, "arguments")
            value = self._source.literal(arguments[0]) if arguments else None
            if method == "Short":
                names.insert(0, f"-{self._source.text(arguments[0]).strip(_QUOTE)}")
            elif method == "Default":
                default = value
            elif method in _VARIABLES and value:
                variables.append(value)
            elif method.removesuffix("Var") in _MANY:
                is_many = True
        line = line_of(call.node)
        option = Option(tuple(names), line, meaning, default, is_many=is_many)
        self._options[owner].append(option)
        self._settings += [Setting(it, "env", line, default, doc=meaning) for it in variables]

    def _on(self, call: Called) -> Node | None:
        function = child(call.node, "function")
        return child(function, "operand")

    def _keeps(self, node: Node) -> str:
        """The variable that a command is kept in, by the function around it."""
        left = variable(above(node, *_CHAIN, past=True))
        if left is None:
            return f"@{node.start_byte}"
        return self._key(left)

    def _key(self, node: Node) -> str:
        return f"{self._scopes.at(node.start_byte)}.{self._source.text(node)}"

    def _owner(self, node: Node) -> str | None:
        """What an expression is: the program, a command by what keeps it, or that which the
        function around it is given; None for anything else."""
        text = self._source.text(node)
        if text in self._packages or text in {f"{it}.CommandLine" for it in self._packages}:
            return _PROGRAM
        if node.type == "call_expression":
            return next((it for it in (f"@{node.start_byte}",) if it in self._commands), None)
        if node.type != "identifier":
            return None
        if self._key(node) in self._commands:
            return self._key(node)
        function = above(node, *_FUNCTIONS)
        for parameter in inside(function, "parameters"):
            type_ = self._source.part(parameter, "type").lstrip("*")
            names = map(self._source.text, parameter.children_by_field_name("name"))
            if type_.partition(".")[0] in self._packages and text in names:
                return f"{self._scopes.at(node.start_byte)}()"
        text = f"{text} := {{}}.New("
        written = self._source.text(function) if function is not None else ""
        is_program = any(text.format(package) in written for package in self._packages)
        return _PROGRAM if is_program else None
