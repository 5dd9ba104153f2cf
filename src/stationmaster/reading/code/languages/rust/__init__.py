"""Rust."""

from __future__ import annotations

from stationmaster.reading.code.languages.items import calls as calls_of
from stationmaster.reading.code.languages.rust import (
    commands,
    patterns,
    routes,
    running,
    settings,
    symbols,
    uses,
)
from stationmaster.reading.code.languages.rust.attributes import File, crates, origins
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    first_sentence,
    remarks,
)
from stationmaster.reading.code.model import FileFacts


def read(source: Source) -> FileFacts:
    """The facts of a Rust file: declarations, imports, calls, and what uses known crates."""
    found = source.captures("file")
    calls, macros = found["call"], found["macro"]
    items = symbols.items(source)
    comments = Comments(source, found["comment"])
    made, scopes = declarations(source, symbols.declared(source, items, comments))
    imports = uses.imports(source, items, uses.Uses(found["use"], found["path"], macros))
    facts = FileFacts(
        lines=source.lines,
        doc=first_sentence(symbols.inner_doc(source)),
        symbols=made,
        imports=imports,
        calls=patterns.followed(source, found["pattern"], calls_of(source, scopes).every),
        marks=remarks(source, found["comment"]),
    )
    file = File(source, scopes, comments, items, calls, macros, crates(imports), origins(imports))
    for reader in (running.mains, routes.read, commands.read, settings.read, running.read):
        facts.add(reader(file))
    return facts
