"""JavaScript, TypeScript and TSX: one reader for the grammars of all three."""

from __future__ import annotations

from msgspec.structs import replace

from stationmaster.reading.code.languages.ecmascript import (
    commands,
    entities,
    routes,
    settings,
    sockets,
    wiring,
    work,
)
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.module import in_order
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def read(source: Source) -> FileFacts:
    """The facts of a file: declarations, imports, calls, and what uses known frameworks."""
    module = Module(source)
    facts = FileFacts(lines=source.lines, doc=work.about(module))
    facts.symbols = module.symbols
    facts.imports = module.imports
    facts.exports = module.exports.names if module.exports.is_module else None
    facts.default = module.exports.default
    elements = [each for each in module.elements if each.name[:1].isupper()]
    facts.calls = in_order([*module.calls, *module.news, *elements])
    facts.marks = work.marks(module)
    facts.routes, facts.mounts = routes.read(module)
    facts.wiring = wiring.read(module)
    facts.commands = commands.read(module)
    facts.settings = settings.read(module)
    facts.entities = entities.read(module)
    found = sockets.read(module)
    facts.wiring = replace(facts.wiring, handed=found.handed, events=found.events)
    facts.jobs = work.jobs(module) + found.jobs
    facts.entries = work.entries(module)
    facts.tests = work.tests(module)
    return facts
