"""TypeScript."""

from __future__ import annotations

import tree_sitter_typescript

from stationmaster.code.languages import ecmascript
from stationmaster.code.languages.ecmascript.parsed import TYPESCRIPT
from stationmaster.code.languages.source import Source
from stationmaster.code.model import FileFacts


def grammar() -> object:
    return tree_sitter_typescript.language_typescript()


def read(source: Source) -> FileFacts:
    return ecmascript.read(source, TYPESCRIPT)
