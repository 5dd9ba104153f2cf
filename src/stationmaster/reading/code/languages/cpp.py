"""C++."""

from __future__ import annotations

import tree_sitter_cpp

from stationmaster.reading.code.languages.cfamily import read

__all__ = ["grammar", "read"]


def grammar() -> object:
    return tree_sitter_cpp.language()
