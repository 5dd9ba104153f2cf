"""JavaScript, TypeScript and TSX: one reader for the grammars of all three."""

from __future__ import annotations

from stationmaster.reading.code.languages.ecmascript import (
    commands,
    entities,
    entries,
    jobs,
    remarks,
    routes,
    settings,
    tests,
)
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.source import Source, line_of
from stationmaster.reading.code.model import Call, FileFacts


def read(source: Source, query: str) -> FileFacts:
    """`query` is that of the grammar."""
    module = Module(source, query)
    facts = FileFacts(lines=source.lines, doc=remarks.about(module))
    facts.symbols = module.symbols
    facts.imports = module.imports
    facts.exports = module.exports.names if module.exports.is_module else None
    elements = [each for each in module.elements if each.name[:1].isupper()]
    facts.calls = tuple(
        Call(
            each.name,
            line_of(each.node),
            source.line(each.of, 80),
            module.scopes.at(each.node.start_byte),
        )
        for each in sorted(
            [*module.calls, *module.news, *elements], key=lambda each: each.node.start_byte
        )
    )
    facts.marks = remarks.marks(module)
    facts.routes, facts.mounts = routes.read(module)
    facts.commands = commands.read(module)
    facts.settings = settings.read(module)
    facts.entities = entities.read(module)
    facts.jobs = jobs.read(module)
    facts.entries = entries.read(module)
    facts.tests = tests.read(module)
    return facts
