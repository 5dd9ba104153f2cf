"""Blocks of Ruby that a statement is given instead of the name of a method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.reading.code.explaining import margin
from stationmaster.reading.code.languages.source import one_line

_LINES_MAX = 60
"""Of a block."""
_WORDS_MAX = 100
_OPENED = re.compile(r"(?:\{|\bdo)(?: ?\|[^|]{0,80}\|)?$")
_PARAMETERS = re.compile(r" ?\|[^|]{0,80}\|")
_OPTION = re.compile(r"\b(?:only|except|if|unless|prepend|raise|with): ")
_NAME = re.compile(r"(?:[(,\s]|^):\w")
_CALL = re.compile(r"([a-z_]\w*[?!]?)(?:\(.{0,200}\)|(?: [:\"'@%\[A-Z\w].{0,200})?)")
_PARTED = re.compile(r" (?:if|unless|and|or|=|&&|\|\||\?) ")


class Block(NamedTuple):
    """The lines of a block with its statement, '' for several; a block that only calls a method has
    the name of that, and no lines."""

    words: str
    first: int
    last: int


def block_of(lines: Sequence[str], line: int, text: str) -> Block | None:
    """The block of the statement at a line, whose options are behind `text`; None without one, and
    for a block that does no more than to call a method, whose name is enough."""
    option = _OPTION.search(text)
    before = text[: option.start()] if option else text
    if _NAME.search(before.partition("{")[0]):
        return None
    at = _opening(lines, line)
    if at is None:
        statement = _within(before) or _within(text.partition(") {")[2], ends=text.count(") {") > 0)
        return _said([statement], line, line) if statement else None
    own = margin(lines[line - 1])
    inner: list[str] = []
    for following in lines[at : at + _LINES_MAX]:
        if margin(following) == own and following.lstrip().startswith(("end", "}")):
            return _said(inner, line, at + len(inner) + 1)
        inner.append(following)
    return None


def _opening(lines: Sequence[str], line: int) -> int | None:
    """The line of a statement that ends with the beginning of a block."""
    for at, text in enumerate(lines[line - 1 : line + _LINES_MAX], line):
        if _OPENED.search(text.rstrip()):
            return at
        if not text.rstrip().endswith(","):
            return None
    return None


def _within(text: str, *, ends: bool = False) -> str:
    """What stands between the first brace and the last one."""
    inner = text if ends else text.partition("{")[2]
    return _PARAMETERS.sub("", inner.rpartition("}")[0], count=1).strip()


def _said(inner: Sequence[str], first: int, last: int) -> Block | None:
    statements = [text.strip() for text in inner if text.strip()]
    statements = [text for text in statements if not text.startswith("#")]
    if len(statements) != 1 or "; " in statements[0]:
        return Block("", first, last) if statements else None
    call = _CALL.fullmatch(statements[0])
    if call and not _PARTED.search(statements[0]):
        return Block(call[1], 0, 0)
    return Block(one_line(statements[0], _WORDS_MAX), first, last)
