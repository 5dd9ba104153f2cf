"""Tables as documents write them: their cells, row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_COLUMNS_MAX, _ROWS_MAX = 8, 400
_BELOW_HEAD = re.compile(r"^\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+$")
_BETWEEN = re.compile(r"(?<!\\)\|")
_COLUMNS = re.compile(r"^\s*=+(?: +=+)+\s*$")
_GRID = re.compile(r"^\s*\+(?:[-=]+\+)+\s*$")
_LIST = re.compile(r"^(\s*)\.\.\s+list-table::")
_ROW = re.compile(r"^\s*[*+-]\s+[*+-](?:\s+|$)(.*)$")
_CELL = re.compile(r"^\s*[*+-](?:\s+|$)(.*)$")


class Read(NamedTuple):
    """Rows of equal length, and the line behind the table."""

    rows: list[list[str]]
    end: int


def read(lines: Sequence[str], at: int) -> Read | None:
    """The table that begins at a line; None where none does, or one that no page could show."""
    table = whole(lines, at)
    if table is None or not 1 < len(table.rows[0]) <= _COLUMNS_MAX:
        return None
    return Read(table.rows[:_ROWS_MAX], table.end)


def whole(lines: Sequence[str], at: int) -> Read | None:
    """The table that begins at a line, however large; None where none of two rows does."""
    line = lines[at]
    if _COLUMNS.match(line):
        table = _in_columns(lines, at)
    elif _GRID.match(line):
        table = _in_grid(lines, at)
    elif _LIST.match(line):
        table = _in_list(lines, at)
    elif "|" in line and at + 1 < len(lines) and _is_below_head(lines[at + 1]):
        table = _between_bars(lines, at)
    else:
        return None
    rows = [row for row in table.rows if any(row)]
    width = max(map(len, rows), default=0)
    if len(rows) < 2:
        return None
    return Read([row + [""] * (width - len(row)) for row in rows], table.end)


def _is_below_head(line: str) -> bool:
    return "|" in line and _BELOW_HEAD.match(line) is not None


def _between_bars(lines: Sequence[str], at: int) -> Read:
    """A table of Markdown."""
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    rows = [_split(line) for line in (lines[at], *lines[at + 2 : end])]
    return Read([row[: len(rows[0])] for row in rows], end)


def _split(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN.split(bare)]


def _in_columns(lines: Sequence[str], at: int) -> Read:
    """A simple table of reStructuredText: a row without a first cell continues the one above."""
    starts = [match.start() for match in re.finditer(r"=+", lines[at])]
    ends = [*starts[1:], None]
    rows: list[list[str]] = []
    rules, end = 1, at + 1
    while end < len(lines) and rules < 3:
        line = lines[end]
        end += 1
        if _COLUMNS.match(line):
            rules += 1
            if rules == 2 and not (end < len(lines) and lines[end].strip()):
                break
        elif line.strip() and not re.fullmatch(r"[\s-]+", line):
            cells = [line[one:other].strip() for one, other in zip(starts, ends, strict=True)]
            _enter(rows, cells, is_new=bool(cells[0]) or not rows)
    return Read(rows, end)


def _in_grid(lines: Sequence[str], at: int) -> Read:
    """A table of reStructuredText that is drawn. One with cells over several columns is none."""
    edges = [place for place, letter in enumerate(lines[at]) if letter == "+"]
    rows: list[list[str]] = []
    is_new, end = True, at + 1
    while end < len(lines) and lines[end].lstrip().startswith(("|", "+")):
        line = lines[end]
        end += 1
        if line.lstrip().startswith("+"):
            is_new = True
        elif any(line[place : place + 1] != "|" for place in edges):
            return Read([], end)
        else:
            cells = [line[one + 1 : other].strip() for one, other in pairwise(edges)]
            _enter(rows, cells, is_new=is_new)
            is_new = False
    return Read(rows, end)


def _enter(rows: list[list[str]], cells: list[str], *, is_new: bool) -> None:
    """Cells as a row of their own, or behind those of the last one."""
    if is_new:
        rows.append(cells)
    else:
        pairs = zip(rows[-1], cells, strict=True)
        rows[-1] = [f"{above} {below}".strip() for above, below in pairs]


def _in_list(lines: Sequence[str], at: int) -> Read:
    """A table of reStructuredText that is written as a list of lists."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    rows: list[list[str]] = []
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        end += 1
        if match := _ROW.match(line):
            rows.append([match[1].strip()])
        elif rows and (match := _CELL.match(line)):
            rows[-1].append(match[1].strip())
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
    return Read(rows, end)
