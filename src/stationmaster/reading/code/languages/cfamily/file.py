"""A file of C or C++: their grammars name what they share alike."""

from __future__ import annotations

import re
from functools import cached_property

from tree_sitter import Node

from stationmaster.reading.code.languages.cfamily import symbols
from stationmaster.reading.code.languages.cfamily.items import items
from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Import

_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*(\"[^\"\n]{1,300}\"|<[^>\n]{1,300}>)", re.MULTILINE
)
_FILE_DOC = re.compile(r"[@\\]file\b[^\n]*\n?")


class File(Unit):
    """A file of C or C++."""

    items = cached_property(items)

    @property
    def package(self) -> str:
        """The outermost part of the first namespace."""
        return next((item.space.partition(".")[0] for item in self.items if item.space), "")

    @property
    def doc(self) -> str:
        """The comment that documents the file itself."""
        for node in self.nodes["comment"][:3]:
            text = self.text(node)
            if _FILE_DOC.search(text[:300]):
                plain = symbols.plain("\n".join(text[:2_000].splitlines()))
                return first_sentence(_FILE_DOC.sub("", plain))
        return ""

    declared = symbols.declared

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The files that are included."""
        return tuple(_included(self.data, self.nodes["comment"]))


def _included(data: bytes, comments: list[Node]) -> list[Import]:
    """The includes; `<x.h>` keeps its brackets, and one that is named by a macro is left out. They
    are read from the text, since no grammar expects a list that is included into an `enum`."""
    made = []
    hidden = [(node.start_byte, node.end_byte) for node in reversed(comments)]
    line, counted = 1, 0
    for match in _INCLUDE.finditer(data):
        while hidden and hidden[-1][1] <= match.start():
            hidden.pop()
        if not hidden or match.start() < hidden[-1][0]:
            line, counted = line + data.count(b"\n", counted, match.start(1)), match.start(1)
            name = match[1].decode(errors="replace")
            made.append(Import(name.strip('"'), line, "include"))
    return made
