"""C."""

from __future__ import annotations

import tree_sitter_c

from stationmaster.reading.code.languages.cfamily import read

__all__ = ["grammar", "read"]


def grammar() -> object:
    return tree_sitter_c.language()
