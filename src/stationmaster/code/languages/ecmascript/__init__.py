"""JavaScript, TypeScript and TSX: one reader for the grammars of all three.

Source: wiki reference, 6.2.
"""

from __future__ import annotations

from stationmaster.code.languages.ecmascript.module import Module
from stationmaster.code.languages.source import Source, line_of, marks_of
from stationmaster.code.model import Call, FileFacts


def read(source: Source, query: str) -> FileFacts:
    """`query` is that of the grammar."""
    module = Module(source, query)
    facts = FileFacts(lines=source.lines)
    facts.symbols = module.symbols
    facts.imports = module.imports
    facts.exports = module.exports.names if module.exports.is_module else None
    elements = [each for each in module.elements if each.name[:1].isupper()]
    facts.calls = tuple(
        Call(each.name, line_of(each.node), source.line(each.of, 80),
             module.scopes.at(each.node.start_byte))
        for each in sorted(
            [*module.calls, *module.news, *elements], key=lambda each: each.node.start_byte
        )
    )  # fmt: skip
    facts.marks = tuple(
        mark
        for node in module.comments
        for mark in marks_of(source.data[node.start_byte : node.end_byte], line_of(node))
    )
    return facts
