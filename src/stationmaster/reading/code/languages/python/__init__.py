"""Python."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.languages import wrapping
from stationmaster.reading.code.languages.python import (
    commands,
    entities,
    routes,
    settings,
    tables,
    wiring,
    work,
)
from stationmaster.reading.code.languages.python.module import Module, Module as File
from stationmaster.reading.code.model import Import


def _dynamic(module: Module) -> Iterator[Import]:
    """What is imported by a literal name while the program runs."""
    for called, origin in module.calls_of("importlib"):
        name = module.literal(called.given.get(0, "name"))
        if origin == "importlib.import_module" and name and not name.startswith("."):
            yield Import(name, called.line, "dynamic")


READERS = (
    wrapping.read,
    _dynamic,
    routes.read,
    tables.read,
    tables.listed,
    tables.ruled,
    wiring.read,
    commands.read,
    settings.read,
    entities.read,
    work.jobs,
    work.entries,
    work.tests,
)
__all__ = ["File"]
