"""Python."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.reading.code.languages import wrapping
from stationmaster.reading.code.languages.module import in_order
from stationmaster.reading.code.languages.python import (
    commands,
    entities,
    routes,
    settings,
    tables,
    wiring,
    work,
)
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import Source, first_sentence
from stationmaster.reading.code.model import FileFacts, Import


def read(source: Source) -> FileFacts:
    """The facts of a Python file: declarations, imports, calls, and what uses known frameworks."""
    module = Module(source)
    facts = FileFacts(lines=source.lines, doc=first_sentence(module.docstring(source.root)))
    facts.symbols = module.symbols
    facts.imports = (*module.imports, *_dynamic(module))
    facts.exports = module.exports
    facts.calls = in_order(module.calls)
    facts.marks = work.marks(module)
    told = (routes.read(module), tables.read(module))
    facts.routes = (*(route for found, _ in told for route in found), *tables.listed(module))
    facts.mounts = tuple(mount for _, found in told for mount in found)
    functions = [
        (module.scopes.at(definition.node.start_byte), definition.node)
        for definition in module.definitions
        if not definition.is_class
    ]
    around = tuple(wrapping.wrappers(source, functions))
    facts.wiring = replace(wiring.read(module), wrappers=around)
    facts.commands = commands.read(module)
    facts.settings = settings.read(module)
    facts.entities = entities.read(module)
    facts.jobs = work.jobs(module)
    facts.entries = work.entries(module)
    facts.tests = work.tests(module)
    return facts


def _dynamic(module: Module) -> Iterator[Import]:
    """What is imported by a literal name while the program runs."""
    for called, origin in module.calls_of("importlib"):
        name = module.literal(called.given.get(0, "name"))
        if origin == "importlib.import_module" and name and not name.startswith("."):
            yield Import(name, called.line, "dynamic")
