"""Python."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_python

from stationmaster.reading.code.languages.python import (
    commands,
    django,
    entities,
    entries,
    jobs,
    marks,
    routes,
    settings,
    tables,
    tests,
    wiring,
)
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import Source, first_sentence, line_of
from stationmaster.reading.code.model import Call, FileFacts, Import


def grammar() -> object:
    """The tree-sitter grammar of Python, as `tree_sitter.Language` takes it."""
    return tree_sitter_python.language()


def read(source: Source) -> FileFacts:
    """The facts of a Python file: declarations, imports, calls, and what uses known frameworks."""
    module = Module(source)
    facts = FileFacts(lines=source.lines, doc=first_sentence(module.docstring(source.root)))
    facts.symbols = module.symbols
    facts.imports = (*module.imports, *_dynamic(module))
    facts.exports = module.exports
    facts.calls = tuple(
        Call(
            each.name,
            line_of(each.node),
            source.line(each.of, 80),
            module.scopes.at(each.node.start_byte),
        )
        for each in module.calls
    )
    facts.marks = marks.read(module)
    told = (routes.read(module), django.read(module))
    facts.routes = (*(route for found, _ in told for route in found), *tables.read(module))
    facts.mounts = tuple(mount for _, found in told for mount in found)
    facts.wiring = wiring.read(module)
    facts.commands = commands.read(module)
    facts.settings = settings.read(module)
    facts.entities = entities.read(module)
    facts.jobs = jobs.read(module)
    facts.entries = entries.read(module)
    facts.tests = tests.read(module)
    return facts


def _dynamic(module: Module) -> Iterator[Import]:
    """What is imported by a literal name while the program runs."""
    for called, origin in module.calls_of("importlib"):
        name = module.literal(module.arguments(called.node).get(0, "name"))
        if origin == "importlib.import_module" and name and not name.startswith("."):
            yield Import(name, line_of(called.node), "dynamic")
