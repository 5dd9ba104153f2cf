"""C and C++: their grammars name what they share alike."""

from __future__ import annotations

import re

from tree_sitter import Node

from stationmaster.reading.code.languages.cfamily import programs, symbols
from stationmaster.reading.code.languages.cfamily.items import items
from stationmaster.reading.code.languages.items import calls as calls_of
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    first_sentence,
    remarks,
)
from stationmaster.reading.code.model import FileFacts, Import

_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*(\"[^\"\n]{1,300}\"|<[^>\n]{1,300}>)", re.MULTILINE
)
_FILE_DOC = re.compile(r"[@\\]file\b[^\n]*\n?")


def read(source: Source) -> FileFacts:
    """The facts of a file of C or C++: declarations, includes, calls, commands and tests."""
    found = source.captures("file")
    comments = Comments(source, found["comment"])
    made = items(source)
    declared, scopes = declarations(source, symbols.declared(source, made, comments))
    imports = tuple(_included(source.data, found["comment"]))
    return FileFacts(
        lines=source.lines,
        package=next((each.space.partition(".")[0] for each in made if each.space), ""),
        doc=_doc(source, found["comment"]),
        symbols=declared,
        imports=imports,
        calls=calls_of(source, scopes).every,
        commands=programs.commands(source, imports, found["call"]),
        settings=programs.settings(source, found["call"]),
        entries=symbols.entries(source, made),
        tests=symbols.tests(source, made, found["call"]),
        marks=remarks(source, found["comment"]),
    )


def _doc(source: Source, comments: list[Node]) -> str:
    """What a comment that documents the file itself says."""
    for node in comments[:3]:
        text = source.text(node)
        if _FILE_DOC.search(text[:300]):
            told = symbols.plain("\n".join(text[:2_000].splitlines()))
            return first_sentence(_FILE_DOC.sub("", told))
    return ""


def _included(data: bytes, comments: list[Node]) -> list[Import]:
    """`<x.h>` keeps its brackets. One that a macro names is not known. Read from the text, since a
    list that is included into an `enum` is nothing that a grammar expects."""
    made = []
    hidden = [(node.start_byte, node.end_byte) for node in reversed(comments)]
    line, counted = 1, 0
    for found in _INCLUDE.finditer(data):
        while hidden and hidden[-1][1] <= found.start():
            hidden.pop()
        if not hidden or found.start() < hidden[-1][0]:
            line, counted = line + data.count(b"\n", counted, found.start(1)), found.start(1)
            name = found[1].decode(errors="replace")
            made.append(Import(name.strip('"'), line, "include"))
    return made
