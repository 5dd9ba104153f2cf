"""JavaScript."""

from __future__ import annotations

import tree_sitter_javascript

from stationmaster.reading.code.languages import ecmascript
from stationmaster.reading.code.languages.ecmascript.parsed import JAVASCRIPT
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def grammar() -> object:
    """The tree-sitter grammar of JavaScript, as `tree_sitter.Language` takes it."""
    return tree_sitter_javascript.language()


def read(source: Source) -> FileFacts:
    """The facts of a JavaScript file, by the rules that it shares with TypeScript."""
    return ecmascript.read(source, JAVASCRIPT)
