"""TypeScript with elements."""

from __future__ import annotations

import tree_sitter_typescript

from stationmaster.reading.code.languages import ecmascript
from stationmaster.reading.code.languages.ecmascript.parsed import TSX
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def grammar() -> object:
    """The tree-sitter grammar of TSX, as `tree_sitter.Language` takes it."""
    return tree_sitter_typescript.language_tsx()


def read(source: Source) -> FileFacts:
    """The facts of a TSX file, by the rules that it shares with JavaScript."""
    return ecmascript.read(source, TSX)
