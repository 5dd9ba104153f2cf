"""C."""

from __future__ import annotations

import tree_sitter_c

from stationmaster.reading.code.languages import cfamily
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def grammar() -> object:
    return tree_sitter_c.language()


def read(source: Source) -> FileFacts:
    return cfamily.read(source, "c")
