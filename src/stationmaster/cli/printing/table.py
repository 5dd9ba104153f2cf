"""Tables for people: the one layout of all commands, in a window of any width and in a pipe.

Numbers are aligned right with thousands separators. Where a table is too wide for the window,
columns of text are wrapped; where that is not enough, each row becomes a block of lines, so that
nothing is cut off. A pipe has no width: one row is one line there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from stationmaster import days

_GAP = "  "
_TEXT_MIN = 14
"""Characters below which no column of text is narrowed."""
_DOLLARS = Decimal("0.0001")


@dataclass(frozen=True)
class Column:
    """One column: its title and how a value is written; `is_wide` ones are shown on request."""

    title: str
    write: Callable[[object], str] | None = None
    is_wide: bool = False
    is_number: bool | None = None
    """Aligned right. None: where every value is a number."""


def dollars_text(value: object) -> str:
    """Dollars with four decimals, `<$0.0001` for less than half of that, `unknown` for None."""
    if value is None:
        return "unknown"
    amount = Decimal(str(value))
    if 0 < abs(amount) < _DOLLARS / 2:
        return f"<${_DOLLARS}"
    return f"{'-' if amount < 0 else ''}${abs(amount).quantize(_DOLLARS):,}"


def share_text(value: object) -> str:
    """A fraction as a percentage with one decimal; empty for None."""
    return "" if value is None else f"{float(str(value)):.1%}"


def moment_text(value: object) -> str:
    """A time for a person: minutes, UTC."""
    if not isinstance(value, int):
        return plain(value)
    return days.minute(value)


def short(commit: object) -> str:
    """The beginning of a commit's hash, by which people know it."""
    return str(commit or "")[:12]


def plain(value: object) -> str:
    """Any value as one line that no terminal takes for a command."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    return printable(str(value))


def printable(text: str) -> str:
    """The text with everything that controls a terminal or turns its direction made visible."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else f"\\u{ord(letter):04x}"
        for letter in text
    )


def cells_wide(text: str) -> int:
    """The columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


_KINDS: Mapping[str, Mapping[str, Any]] = {
    "commit": {"write": short},
    "dollars": {"write": dollars_text, "is_number": True},
    "moment": {"write": moment_text, "is_number": False},
    "number": {"is_number": True},
    "share": {"write": share_text, "is_number": True},
    "text": {"is_number": False},
    "wide": {"is_wide": True},
}


def columns(text: str) -> dict[str, Column]:
    """Columns by the members that they show: `member, member: title, member: title (kind kind)`.

    A member is a path as `value_of` reads it. Kinds are decimal texts of US `dollars`, a `moment`
    in Unix milliseconds, a `share` between 0 and 1, a `commit`; a `number` is aligned right and a
    `text` left whatever the values are; `wide` ones are only shown with --wide.
    """
    return dict(map(_column, text.split(", ")))


def _column(text: str) -> tuple[str, Column]:
    name, _, kinds = text.partition(" (")
    member, has_title, title = name.partition(": ")
    members: dict[str, Any] = {}
    for kind in kinds.rstrip(")").split():
        members |= _KINDS[kind]
    return member, Column(title if has_title else member, **members)


def value_of(row: object, path: str) -> object:
    """What a row holds at `member.member`, of all of a list; of `a|b|'text'` what is not empty."""
    value: object = None
    for option in path.split("|"):
        value = option[1:-1] if option.startswith("'") else _at(row, option.split("."))
        if value not in (None, "", []):
            break
    return value


def _at(value: object, members: Sequence[str]) -> object:
    for n, member in enumerate(members):
        if isinstance(value, list):
            return [_at(item, members[n:]) for item in value]
        value = value.get(member) if isinstance(value, Mapping) else None
    return value


def counted(number: int, noun: str) -> str:
    """The number with its noun, such as `1 day` or `1,200 days`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Lines:
    """A table as lines; the first `headings` are titles of columns, the last `totals` sums."""

    lines: list[str]
    headings: int
    totals: int


def layout(
    columns: Sequence[Column],
    rows: Iterable[Sequence[object]],
    totals: Sequence[object] | None = None,
    *,
    width: int | None,
    with_wide: bool = False,
) -> Lines:
    """The lines of a table in a window of `width` characters, None for no bound.

    `totals` is one more row, set apart below.
    """
    values = [*rows, *([] if totals is None else [totals])]
    shown = [n for n, column in enumerate(columns) if with_wide or not column.is_wide]
    chosen = [columns[n] for n in shown]
    body = [[_text(columns[n], row[n]) for n in shown] for row in values]
    rights = [_stands_right(columns[n], [row[n] for row in values]) for n in shown]
    widths = [
        max(cells_wide(text) for text in (column.title, *(row[n] for row in body)))
        for n, column in enumerate(chosen)
    ]
    if width is not None and not _narrow(widths, rights, chosen, width):
        return Lines(list(_blocks(chosen, body, width)), 0, 0)
    has_titles = any(column.title for column in chosen)
    headings = _row([column.title for column in chosen], widths, rights) if has_titles else []
    blocks = [_row(row, widths, rights) for row in body]
    lines = [line for block in blocks for line in block]
    return Lines([*headings, *lines], len(headings), 0 if totals is None else len(blocks[-1]))


def _text(column: Column, value: object) -> str:
    return (column.write or plain)(value)


def _stands_right(column: Column, values: Sequence[object]) -> bool:
    if column.is_number is not None:
        return column.is_number
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in values]
    texts = [cell for cell, is_number in zip(values, numbers, strict=True) if not is_number]
    return any(numbers) and all(text is None or text in ("", "-") for text in texts)


def _narrow(
    widths: list[int], rights: Sequence[bool], columns: Sequence[Column], width: int
) -> bool:
    """Make the widest columns of text narrower until all fit; False where they cannot."""
    least = [
        kept if right else min(kept, max(_TEXT_MIN, cells_wide(column.title)))
        for kept, right, column in zip(widths, rights, columns, strict=True)
    ]
    room = width - len(_GAP) * (len(widths) - 1)
    if sum(least) > room:
        return False
    while sum(widths) > room:
        n = max((n for n in range(len(widths)) if widths[n] > least[n]), key=widths.__getitem__)
        widths[n] -= 1
    return True


def _row(cells: Sequence[str], widths: Sequence[int], rights: Sequence[bool]) -> list[str]:
    """The lines of one row; a text that is longer than its column continues below."""
    wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for n in range(max(map(len, wrapped))):
        parts = []
        for pieces, width, right in zip(wrapped, widths, rights, strict=True):
            piece = pieces[n] if n < len(pieces) else ""
            blank = " " * (width - cells_wide(piece))
            parts.append(blank + piece if right else piece + blank)
        lines.append(_GAP.join(parts).rstrip())
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width`, broken at spaces where there are some."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells_wide(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        *full, last = _pieces(word, width)
        lines[-1:] = [*full, last]
    return lines


def _pieces(word: str, width: int) -> list[str]:
    pieces, size = [""], 0
    for letter in word:
        size += cells_wide(letter)
        if size > width and pieces[-1]:
            pieces.append("")
            size = cells_wide(letter)
        pieces[-1] += letter
    return pieces


def _blocks(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Each row as lines of title and value, an empty line between rows."""
    titles = max(cells_wide(column.title) for column in columns)
    widths = [titles, max(_TEXT_MIN, width - titles - len(_GAP))]
    for n, row in enumerate(rows):
        if n:
            yield ""
        for column, cell in zip(columns, row, strict=True):
            if cell:
                yield from _row([column.title, cell], widths, [False, False])
