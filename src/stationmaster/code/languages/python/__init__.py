"""Python. Source: wiki reference, 6.1."""

from __future__ import annotations

import tree_sitter_python

from stationmaster.code.languages.python.module import Module
from stationmaster.code.languages.source import Source, first_sentence, line_of, marks_of
from stationmaster.code.model import Call, FileFacts


def grammar() -> object:
    return tree_sitter_python.language()


def read(source: Source) -> FileFacts:
    module = Module(source)
    facts = FileFacts(lines=source.lines, doc=first_sentence(module.docstring(source.root)))
    facts.symbols = module.symbols
    facts.imports = module.imports
    facts.exports = module.exports
    facts.calls = tuple(
        Call(each.name, line_of(each.node), source.line(each.of, 80),
             module.scopes.at(each.node.start_byte))
        for each in module.calls
    )  # fmt: skip
    facts.marks = tuple(
        mark
        for node in module.comments
        for mark in marks_of(source.data[node.start_byte : node.end_byte], line_of(node))
    )
    return facts
