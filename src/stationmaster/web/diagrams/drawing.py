"""The shapes of a diagram in pixels, which the template `diagram.html` writes, and their limits."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

BOXES_MAX, LINES_MAX = 40, 120
"""Of a drawing, also participants and steps of a sequence; what has more is shown as a table."""
ROWS_MAX = 30
"""Of one box."""
WORDS_MAX = 300
"""Characters of one text of a table; a label of a drawing has LABEL_MAX."""
_WRAPPED_COLUMNS, _WRAPPED_LINES = 34, 4
"""Of words next to a line or in a note."""
LABEL_MAX = 60
LINE_HEIGHT = 16
CHARACTER, SMALL_CHARACTER = 7.4, 6.8
"""Width of a letter in a box, and next to a line; the letters of some scripts are twice as wide."""
STYLING = ("style ", "classDef ", "direction ", "title ", "accTitle", "accDescr")
"""How lines begin that do not describe boxes and lines."""
_BREAK = re.compile(r"<br\s*/?>|\\n", re.IGNORECASE)

Row = tuple[str, str, str]
"""From, to, and the diagram's text about them."""


class BoxPosition(NamedTuple):
    """The centre of a box, and its width and height."""

    x: float
    y: float
    width: float
    height: float


class Box(NamedTuple):
    """`style` is its class in the style sheet; `rows` are below its label."""

    spot: BoxPosition
    label: str
    group: str = ""
    rows: Sequence[str] = ()
    style: str = ""

    @property
    def title_y(self) -> float:
        """The middle of its first line."""
        top = self.spot.y - self.spot.height / 2
        used = LINE_HEIGHT * (bool(self.label) + bool(self.group))
        if not self.rows:
            return self.spot.y - used / 2 + LINE_HEIGHT / 2
        return top + LINE_HEIGHT

    @property
    def rows_y(self) -> float:
        """The middle of the first row."""
        if not self.label:
            return self.spot.y - LINE_HEIGHT * (len(self.rows) - 1) / 2
        return self.title_y + LINE_HEIGHT * bool(self.group) + LINE_HEIGHT * 1.5


class Line(NamedTuple):
    """`style` is its class in the style sheet."""

    d: str
    style: str


class Words(NamedTuple):
    """A text next to a line; `anchor` is the part of it at `x`."""

    x: float
    y: float
    text: str
    anchor: str = "middle"


class Drawing(NamedTuple):
    """`name` describes what is drawn, for those who do not see it; `frames` have no filling."""

    name: str
    width: int
    height: int
    boxes: Sequence[Box]
    lines: Sequence[Line]
    words: Sequence[Words]
    frames: Sequence[BoxPosition] = ()


class Diagram(NamedTuple):
    """What is shown of a diagram: a table, and a drawing where there is one."""

    rows: Sequence[Row]
    drawing: Drawing | None
    head: tuple[str, str, str] = ("From", "To", "What")


def width(text: str, character: float = CHARACTER) -> float:
    """Pixels that a text takes at most, nearly."""
    return sum(1.7 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) * character


def plain(text: str, most: int = WORDS_MAX) -> str:
    """A text in one line, of at most so many characters."""
    words = " ".join(_BREAK.sub(" ", text).split())
    return words if len(words) <= most else words[: most - 1] + "…"


def short(text: str) -> str:
    """A label."""
    return plain(text, LABEL_MAX)


def wrapped(text: str) -> list[str]:
    """The lines of a text next to a line or in a note; the last of too many ends with an ellipsis.

    Letters that are twice as wide count as one, so that their lines are wider.
    """
    lines = [
        line
        for part in _BREAK.split(text[:WORDS_MAX])
        for line in textwrap.wrap(" ".join(part.split()), _WRAPPED_COLUMNS)
    ]
    if len(lines) <= _WRAPPED_LINES:
        return lines
    return [*lines[: _WRAPPED_LINES - 1], lines[_WRAPPED_LINES - 1][:-1] + "…"]


def count(number: int, noun: str) -> str:
    """A number of what the noun names, as `3 boxes`."""
    plural = "es" if noun.endswith(("s", "x")) else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"
