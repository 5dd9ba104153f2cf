"""Commands of argparse, and the parsers within parsers, also where functions of the file are given
a parser to add to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import paragraphs
from stationmaster.reading.code.languages.module import Command
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child, inside, one_line, outward
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import HELP_MAX, CliCommand

_PARSERS = code.names("python.commands.parsers")
_GROUPS = code.names("python.commands.groups")
_ABOUT = ("help", "short_help", "dest", "action", "default", "type", "nargs")
_ADDING = ("add_argument", "add_option")
_PROGRAM = re.compile(r"[A-Za-z][\w.-]{0,60}")
_DEPTH_MAX = 6
"""Of functions that hand a parser on."""
_BOOLEAN = frozenset({"true", "false"})
_WALKS_MAX = 2_000


def read(module: Module) -> list[CliCommand]:
    """The parsers as commands, with the subparsers below them; those of classes of the project's
    own, too."""
    is_theirs = module.packages.intersection(("argparse", "configargparse", "optparse"))
    return _Reader(module).read() if is_theirs or any(map(_declares, module.calls)) else []


class _Function(NamedTuple):
    """What the file calls a function, with its whole name, and its parameters by place, with what a
    method is called on as the first."""

    scope: str
    name: str
    parameters: tuple[str, ...]
    switches: Mapping[str, bool]
    """Parameters that are true or false where a call does not give them."""


class _Reader:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._variables = {call.start_byte: name for name, _, call in module.makers if call}
        self._calls: dict[str, list[Called]] = defaultdict(list)
        for called in sorted(module.calls, key=lambda each: each.node.end_byte):
            self._calls[module.functions.at(called.node.start_byte)].append(called)
        self._functions = self._declared()
        self._made: dict[tuple[int, int], Command] = {}
        """By the call that makes each, and what it is called on."""
        self._added: set[tuple[int, int]] = set()
        self._shared: set[int] = set()
        """Those whose options others take over."""
        self._parts: dict[int, list[str]] = defaultdict(list)
        """Functions of other files that are given a parser."""
        self._given: set[str] = set()
        """The functions of the file that are given one here."""
        self._walks = 0
        self._own = self._parsers_of_project()

    def _parsers_of_project(self) -> frozenset[int]:
        """The calls of classes that others than argparse have, and whose results are given
        arguments or groups of them: `options = Spec("shop")`."""
        given = {
            self._module.text(called.of)
            for called in self._module.calls
            if called.of is not None and (_declares(called) or called.name in _GROUPS)
        }
        makers = ((name, maker, call) for name, maker, call in self._module.makers if call)
        return frozenset(
            call.start_byte
            for name, maker, call in makers
            if self._module.text(name) in given
            and self._module.text(maker).rpartition(".")[2][:1].isupper()
        )

    def read(self) -> list[CliCommand]:
        """The commands by line."""
        for scope in [*self._calls]:
            self._walk(scope, {}, {}, 0)
        parts = [*self._of_parameters()]
        below = {child for part in parts for child in part.children}
        own = (each for each in self._made.values() if id(each) not in self._shared)
        for each in sorted(own, key=lambda each: each.line):
            holder = f"{each.line}:{each.words[0]}" if each.words else ""
            parts.append(
                replace(
                    each.as_fact(),
                    holder=holder if holder in below else "",
                    parts=tuple(self._parts[id(each)]),
                )
            )
        return parts

    def _of_parameters(self) -> Iterator[CliCommand]:
        """What functions add to the parsers that calls of other files give them."""
        for function in self._functions.values():
            used = {
                self._module.text(called.of)
                for called in self._calls[function.scope]
                if called.of is not None and (_declares(called) or called.name in _GROUPS)
            }
            names = [name for name in function.parameters if name in used]
            if len(names) == 1 and function.scope not in self._given:
                parser = Command((), 0, [], [], [])
                before = {*self._made}
                self._walk(function.scope, {names[0]: parser}, function.switches, 0)
                made = (self._made[key] for key in self._made if key not in before)
                children = (f"{it.line}:{it.words[0]}" for it in made if len(it.words) == 1)
                yield replace(
                    parser.as_fact(),
                    line=parser.options[0].line if parser.options else 0,
                    holder=function.name,
                    children=tuple(children),
                    parts=tuple(self._parts[id(parser)]),
                    is_part=True,
                )

    def _declared(self) -> dict[str, _Function]:
        """The functions whose names the file gives once."""
        functions: dict[str, _Function | None] = {}
        for each in self._module.definitions:
            if not each.is_class and each.body is not None:
                listed = inside(each.node, "parameters")
                names = tuple(_parameter(self._module, node) for node in listed)
                values = (child(node, "value") for node in listed)
                switches = _switches(zip(names, values, strict=True))
                scope = self._module.functions.at(each.body.start_byte)
                name = self._module.scopes.at(each.node.start_byte)
                made = _Function(scope, name, names, switches)
                functions[each.name] = None if each.name in functions else made
        return {name: function for name, function in functions.items() if function is not None}

    def _walk(
        self, scope: str, given: Mapping[str, Command], switches: Mapping[str, bool], depth: int
    ) -> None:
        """Read what a function does with the parsers that it makes and is given, without what is
        done only where one of `switches`, its parameters, is set otherwise."""
        self._walks += 1
        known = dict(given)
        for called in self._calls[scope]:
            if switches and not self._is_reached(called.node, switches):
                continue
            holder = known.get(self._module.text(called.of)) if called.of is not None else None
            parser = self._parser(called, holder, known)
            variable = self._variables.get(called.node.start_byte)
            if parser is not None:
                known[self._module.text(variable or called.node)] = parser
            if holder is not None:
                self._add(called, holder)
            elif parser is None and depth < _DEPTH_MAX and self._walks < _WALKS_MAX:
                self._hand_on(called, known, depth)

    def _hand_on(self, called: Called, known: Mapping[str, Command], depth: int) -> None:
        function = self._functions.get(called.name)
        if function is None:
            parsers = (known.get(self._module.text(node)) for node in called.given.all())
            for parser in {id(it): it for it in parsers if it is not None}.values():
                self._parts[id(parser)].append(self._module.text(called.function))
            return
        names = function.parameters[called.of is not None :]
        pairs = [*zip(names, called.given.at, strict=False)]
        pairs += [(name, node) for name in names if (node := called.given.get(name))]
        texts = ((name, self._module.text(node)) for name, node in pairs)
        given = {name: known[text] for name, text in texts if text in known}
        if given:
            self._given.add(function.scope)
            switches = {**function.switches, **_switches(pairs)}
            self._walk(function.scope, given, switches, depth + 1)

    def _is_reached(self, node: Node, switches: Mapping[str, bool]) -> bool:
        """Is a place reached where parameters are set so: `if wide: …`?"""
        for around, _ in outward(node, "function_definition"):
            asked = child(around, "condition")
            then = child(around, "consequence")
            if asked is not None and then is not None and around.type == "if_statement":
                is_not = asked.type == "not_operator"
                named = child(asked, "argument") if is_not else asked
                value = switches.get(self._module.text(named))
                is_then = then.start_byte <= node.start_byte < then.end_byte
                is_else = node.start_byte >= then.end_byte
                if value is not None and (is_then or is_else) and (value != is_not) != is_then:
                    return False
        return True

    def _parser(
        self, called: Called, holder: Command | None, known: Mapping[str, Command]
    ) -> Command | None:
        """The parser that a call gives."""
        listed = self._module.line(child(called.node, "arguments"))
        is_root = called.origin in _PARSERS or called.node.start_byte in self._own
        if called.origin == "optparse.OptionGroup":
            return known.get(self._module.text(called.given.get(0)))
        if listed.startswith("(*"):  # By a class that extends a parser.
            return None
        if holder is not None and called.name in _GROUPS:
            return holder
        name = self._module.value(called.given.get(0, "name"))
        if not is_root and (holder is None or called.name != "add_parser" or not name):
            return None
        key = (called.node.start_byte, 0 if is_root else id(holder))
        if key not in self._made:
            words = () if is_root or holder is None else (*holder.words, name or "")
            self._made[key] = self._command(called, words, known)
        return self._made[key]

    def _command(
        self, called: Called, words: tuple[str, ...], known: Mapping[str, Command]
    ) -> Command:
        given, value = called.given, self._module.value
        texts = value(given.get("help")) or "", value(given.get("description")) or ""
        help_ = paragraphs(one_line(texts[0], HELP_MAX), cleandoc(texts[1]))
        options = []
        listed = given.get("parents")
        for node in listed.named_children if listed is not None else ():
            if (parent := known.get(self._module.text(node))) is not None:
                options += parent.options
                self._shared.add(id(parent))
        name = value(given.get("prog")) or (value(given.get(0)) if not words else "") or ""
        program = name if _PROGRAM.fullmatch(name) else ""
        return Command(words, called.line, [help_], options, [], program)

    def _add(self, called: Called, parser: Command) -> None:
        key = (called.node.start_byte, id(parser))
        if key in self._added:
            return
        self._added.add(key)
        given = called.given
        if called.name in _ADDING:
            names = [name for node in given.at if (name := self._module.value(node))]
            names = names or [it for it in (called.value("metavar", "dest"),) if it]
            if names:
                parser.options.append(self._module.option(called, names))
        elif called.name == "set_defaults":
            handler: Node | None = given.get("func", "handler", "run", "command")
            if handler is not None and handler.type in ("identifier", "attribute"):
                parser.handlers.append(self._module.text(handler))


def _declares(called: Called) -> bool:
    """Does a call declare an option or a command, and not give one to another program?"""
    about = _ABOUT[:1] if called.name == "add_parser" else _ABOUT if called.name in _ADDING else ()
    return bool(about) and called.given.get(*about) is not None


def _switches(pairs: Iterable[tuple[str, Node | None]]) -> dict[str, bool]:
    """The values that are `True` or `False`, by name."""
    return {name: node.type == "true" for name, node in pairs if node and node.type in _BOOLEAN}


def _parameter(module: Module, node: Node) -> str:
    """The name of a parameter, with or without a type and a default."""
    if node.type == "identifier":
        return module.text(node)
    named = child(node, "name")
    return module.text(named if named is not None else next(iter(node.named_children), None))
