"""Commands of argparse, and the parsers within parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stationmaster.reading.code.languages.python.declared import literal_of
from stationmaster.reading.code.languages.source import first_sentence, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Option

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.python.module import Called, Module

_PARSERS = frozenset(
    {
        "argparse.ArgumentParser",
        "configargparse.ArgParser",
        "configargparse.ArgumentParser",
    }
)
_GROUPS = frozenset({"add_argument_group", "add_mutually_exclusive_group", "add_subparsers"})
"""Methods whose result stands for the parser that they are called on."""


class _Parser(NamedTuple):
    words: tuple[str, ...]
    line: int
    help: str
    options: list[Option]
    handlers: list[str]


def read(module: Module) -> list[CliCommand]:
    """The parsers as commands, with the subparsers below them; [] without an import of argparse."""
    if not module.packages.intersection(("argparse", "configargparse")):
        return []
    variables = {call.start_byte: variable for variable, _, call in module.makers if call}
    parsers: list[_Parser] = []
    known: dict[tuple[str, str], _Parser] = {}
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
    return [
        CliCommand(p.words, p.line, p.help, "".join(p.handlers[:1]), tuple(p.options))
        for p in parsers
    ]


def _made(module: Module, called: Called, holder: _Parser | None) -> _Parser | None:
    """The parser that a call gives."""
    given = module.arguments(called.node)
    text = module.value(given.get("help")) or module.value(given.get("description")) or ""
    line = line_of(called.node)
    if module.origin(called.node.child_by_field_name("function")) in _PARSERS:
        return _Parser((), line, first_sentence(text), [], [])
    if holder is None:
        return None
    if called.name in _GROUPS:
        return holder
    name = module.value(given.get(0, "name"))
    if called.name == "add_parser" and name:
        return _Parser((*holder.words, name), line, first_sentence(text), [], [])
    return None


def _add(module: Module, called: Called, parser: _Parser) -> None:
    given = module.arguments(called.node)
    if called.name == "add_argument":
        names = [name for node in given.at if (name := module.value(node))]
        if names:
            parser.options.append(
                Option(
                    tuple(name if name.startswith("-") else name.upper() for name in names),
                    line_of(called.node),
                    one_line(module.value(given.get("help")) or ""),
                    literal_of(module, given.get("default")),
                )
            )
    elif called.name == "set_defaults":
        handler: Node | None = given.get("func", "handler", "run", "command")
        if handler is not None and handler.type in ("identifier", "attribute"):
            parser.handlers.append(module.text(handler))
