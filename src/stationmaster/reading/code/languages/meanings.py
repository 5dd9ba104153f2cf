"""What comments beside or above the statement of a setting say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    end_of,
    first_sentence,
    line_of,
    uncommented,
)

_BANNER = re.compile(r"(?m)^\W{0,20}[-=*#_~/]{3}|[-=*#_~/]{5}$")
_WORDS_MIN = 3
"""Fewer words above a statement are the heading of a group."""
_NO_MEANING = re.compile(
    r"(?i)\s*(?:type:\s*ignore|noqa\b|nosec\b|pragma\b|pylint\b|mypy\b|ruff\b|isort\b|fmt:"
    r"|pyright\b|eslint|@ts-|prettier|biome|istanbul|c8 |todo\b|fixme\b|hack\b|xxx\b)"
)
_CODE = re.compile(
    r"\s*+(?:[\w.]++\s*+(?::[\w\[\]|\s]*+)?=[^=]|(?:const|let|var|return|import|if|else|await)\b[^.]*"
    r"[=({;])|.*[;{]\s*$"
)


class Meanings:
    """The comments of a file, as far as they explain what stands beside or below them."""

    def __init__(self, source: Source, comments: Iterable[Node]) -> None:
        nodes = tuple(comments)
        self._source = source
        self._above = Comments(source, nodes)
        self._beside = {line_of(node): node for node in nodes}

    def of(self, statement: Node) -> str:
        """The first sentence beside a statement, or else above it; '' where none explains it."""
        beside = self._beside.get(end_of(statement))
        if beside is not None and beside.start_byte >= statement.end_byte:
            text = uncommented(self._source.text(beside))
            if _explains(text):
                return first_sentence(text)
        above = self._above.before(statement)
        if _explains(above) and len(above.split()) >= _WORDS_MIN and not _BANNER.search(above):
            return first_sentence(above)
        return ""


def _explains(text: str) -> bool:
    """Is a comment a sentence, rather than a word to a tool or code that is switched off?"""
    return bool(text.strip()) and not _NO_MEANING.match(text) and not _CODE.match(text)
