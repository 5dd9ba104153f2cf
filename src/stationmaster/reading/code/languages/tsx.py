"""TypeScript with elements."""

from __future__ import annotations

import tree_sitter_typescript

from stationmaster.reading.code.languages import ecmascript
from stationmaster.reading.code.languages.ecmascript.parsed import TSX
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def grammar() -> object:
    return tree_sitter_typescript.language_tsx()


def read(source: Source) -> FileFacts:
    return ecmascript.read(source, TSX)
