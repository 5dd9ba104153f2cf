"""Commands of argparse, and the parsers within parsers."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.module import Called, Command
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.model import CliCommand

_PARSERS = code.names("python.commands.parsers")
_GROUPS = code.names("python.commands.groups")


def read(module: Module) -> list[CliCommand]:
    """The parsers as commands, with the subparsers below them; [] without an import of argparse."""
    if not module.packages.intersection(("argparse", "configargparse")):
        return []
    variables = {call.start_byte: variable for variable, _, call in module.makers if call}
    parsers: list[Command] = []
    known: dict[tuple[str, str], Command] = {}
    for called in sorted(module.calls, key=lambda each: each.node.start_byte):
        scope = module.functions.at(called.node.start_byte)
        holder = known.get((scope, module.text(called.of))) if called.of is not None else None
        parser = _made(module, called, holder)
        if parser is not None and parser is not holder:
            parsers.append(parser)
        variable = variables.get(called.node.start_byte)
        if parser is not None and variable is not None:
            known[scope, module.text(variable)] = parser
        if holder is not None:
            _add(module, called, holder)
    return [parser.as_fact() for parser in parsers]


def _made(module: Module, called: Called, holder: Command | None) -> Command | None:
    """The parser that a call gives."""
    given = called.given
    text = module.value(given.get("help")) or module.value(given.get("description")) or ""
    line = called.line
    if called.origin in _PARSERS:
        return Command((), line, [first_sentence(text)], [], [])
    if holder is None:
        return None
    if called.name in _GROUPS:
        return holder
    name = module.value(given.get(0, "name"))
    if called.name == "add_parser" and name:
        return Command((*holder.words, name), line, [first_sentence(text)], [], [])
    return None


def _add(module: Module, called: Called, parser: Command) -> None:
    given = called.given
    if called.name == "add_argument":
        names = [name for node in given.at if (name := module.value(node))]
        if names:
            parser.options.append(
                called.option(name if name.startswith("-") else name.upper() for name in names)
            )
    elif called.name == "set_defaults":
        handler: Node | None = given.get("func", "handler", "run", "command")
        if handler is not None and handler.type in ("identifier", "attribute"):
            parser.handlers.append(module.text(handler))
