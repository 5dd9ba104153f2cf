"""C."""

from __future__ import annotations

import tree_sitter_c

from stationmaster.reading.code.languages import cfamily
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def grammar() -> object:
    """The tree-sitter grammar of C, as `tree_sitter.Language` takes it."""
    return tree_sitter_c.language()


def read(source: Source) -> FileFacts:
    """The facts of a C file, by the rules that it shares with C++."""
    return cfamily.read(source, "c")
