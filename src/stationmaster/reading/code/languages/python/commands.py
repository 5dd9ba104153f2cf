"""Command lines that Python code declares: click, Typer, argparse, Invoke; and classes of a base of
their project's own or of Django's: which of these a program has, other files tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python import argparse, click, invoke, typer
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import first_sentence, is_in, line_of
from stationmaster.reading.code.model import CliCommand, Option

_COMMAND = re.compile(r"\w*Command")
_NAMES = code.names("python.commands.names")
_MEANINGS = code.table("python.commands.meanings", tuple[str, ...])
_PARSER = re.compile(r"(?i)\w*(?:parser|group|args)")


def read(module: Module) -> tuple[CliCommand, ...]:
    """The commands of every library, by line and words."""
    found = [*click.read(module), *typer.read(module), *argparse.read(module)]
    found += [*invoke.read(module), *read_own(module)]
    return tuple(sorted(found, key=lambda each: (each.line, each.words)))


def read_own(module: Module) -> Iterator[CliCommand]:
    """The classes whose names or bases end with `Command`, as parts."""
    for definition in module.definitions:
        if definition.is_class and any(
            _COMMAND.fullmatch(it) for it in _called(module, definition)
        ):
            qualified = module.scopes.at(definition.node.start_byte)
            texts = dict(_said(module, definition))
            name = next((texts[key] for key in _NAMES if key in texts), "")
            meaning = next((texts[key] for key in _MEANINGS if key in texts), "")
            yield CliCommand(
                (name,) if name else (),
                line_of(definition.node),
                first_sentence(meaning),
                "",
                tuple(_options(module, definition)),
                qualified,
                is_part=True,
            )


def _called(module: Module, definition: Definition) -> list[str]:
    bases = (module.text(base).rpartition(".")[2] for base in module.bases(definition))
    return [definition.name, *bases]


def _said(module: Module, definition: Definition) -> Iterator[tuple[str, str]]:
    """The texts that a class holds, by their names."""
    for attribute in module.attributes[definition.node.start_byte]:
        if text := module.value(attribute.value):
            yield attribute.name, text


def _options(module: Module, definition: Definition) -> Iterator[Option]:
    """Those that a parser is given."""
    for called in sorted(module.calls, key=lambda call: call.node.start_byte):
        is_own = called.name == "add_argument" and is_in(called.node, definition.node)
        if is_own and _PARSER.fullmatch(module.text(called.of)):
            names = [name for node in called.given.at if (name := module.value(node))]
            if names:
                yield module.option(called, names)
