"""Command lines that Python code declares: click, Typer, argparse, fire."""

from __future__ import annotations

from stationmaster.reading.code.languages.python import argparse, click, own_commands, typer
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.model import CliCommand


def read(module: Module) -> tuple[CliCommand, ...]:
    """The commands of every library, by line and words."""
    found = [*click.read(module), *typer.read(module), *argparse.read(module)]
    found += own_commands.read(module)
    for called, origin in module.calls_of("fire"):
        if origin == "fire.Fire":
            handler = module.source.line(called.given.get(0), 80)
            found.append(CliCommand((), called.line, "", handler))
    return tuple(sorted(found, key=lambda each: (each.line, each.words)))
