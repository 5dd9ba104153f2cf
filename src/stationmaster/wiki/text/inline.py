"""Pieces of a line: what is our own Markdown, and what is text from outside.

A plain `str` is text: it is escaped wherever it enters a page. `Md` is Markdown already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

CODE_MAX = 200
TEXT_MAX = 1_000
_KEPT_MAX = 4_000
"""Names and sentences that are shown again: half of them are on several pages."""
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
"""What `text` makes of a mark; its group is the mark."""
_MARKS = re.compile(r"([\\`*_\[\]<>|~#&!$@])")
_LEADING = re.compile(r"^(\s*+\d{0,9})(?:(?<!\d)([-+=])|(?<=\d)([.)]))(?=\s|$|[-=])")
_TICKS = re.compile(r"`+")
_BAR = re.compile(r"\\.|\||(?<!`)(`++).{1,1000}?(?<!`)\1(?!`)", re.DOTALL)
"""One, also after a mark that is escaped, or code."""


class Md(str):
    """Markdown of one line, safe to put into a page as it is."""

    __slots__ = ()

    def __html__(self) -> Md:
        """For templates, which escape what does not have this."""
        return self

    def __mod__(self, _: object) -> Md:
        raise TypeError("Markdown is put together by `md`")


class Place(NamedTuple):
    """Lines of a file; without `line` the whole file. Line numbers count from 1."""

    path: str
    line: int | None = None
    end: int | None = None


def text(words: str, length_max: int = TEXT_MAX) -> Md:
    """Text from anywhere, as text: on one line, without anything invisible, cut, escaped."""
    return words if isinstance(words, Md) else _escaped(words, length_max)


@lru_cache(_KEPT_MAX)
def _escaped(words: str, length_max: int) -> Md:
    line = _visible(words)
    if len(line) > length_max:
        line = line[: length_max - 1].rstrip() + "…"
    return Md(_LEADING.sub(r"\1\\\2\3", _MARKS.sub(r"\\\1", line)))


@lru_cache(_KEPT_MAX)
def code(words: str, length_max: int = CODE_MAX) -> Md:
    """Text as code, whatever its content; of a long one the middle is left out, because commands
    with the same beginning differ at their end."""
    line = _visible(words)
    if len(line) > length_max:
        end = length_max // 3
        line = f"{line[: length_max - 1 - end]}…{line[-end:]}"
    if not line:
        return Md("")
    fence = "`" * (max(map(len, _TICKS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return Md(f"{fence}{space}{line}{space}{fence}")


def table_row(cells: Iterable[Md]) -> Md:
    """The line of a table, in which a bar ends a cell also within code, where it is escaped even
    behind the sign that escapes: that is part of the code."""
    shown = (_BAR.sub(_escaped_bars, cell) or " " for cell in cells)
    return Md(f"| {' | '.join(shown)} |")


def _escaped_bars(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("\\") else match[0].replace("|", "\\|")


def md(template: str, *values: str | int) -> Md:
    """Our own Markdown with things put in where it has `{}`; those that are no Md are text."""
    return Md(
        template.format(*(value if isinstance(value, Md) else text(str(value)) for value in values))
    )


def joined(parts: list[Md], sign: str = ", ", last: str | None = None) -> Md:
    """A list in a sentence."""
    if last is not None and len(parts) > 1:
        return Md(sign.join(parts[:-1]) + last + parts[-1])
    return Md(sign.join(parts))


def among(shown: list[Md], count: int) -> Md:
    """Some of a list, and how many more there are of `count` in all."""
    left = count - len(shown)
    return md("{} and {} more", joined(shown), left) if left > 0 else joined(shown)


def counted(number: int, word: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def with_article(noun: str) -> str:
    """`an interface`, `a class`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _visible(words: str) -> str:
    line = " ".join(words.split())
    return line if line.isprintable() else "".join(filter(str.isprintable, line))
