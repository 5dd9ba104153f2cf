"""Printing: JSON for scripts on standard output, tables for people, remarks on standard error."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stationmaster.cli.printing import table
from stationmaster.cli.printing.table import Column, printable
from stationmaster.settings import variable

if TYPE_CHECKING:
    from rich.console import Console

Shown = Iterator[object]
"""What a command with --json yields: the value for scripts; what it does after that is for people
(`groups.App`)."""
_WIDTH_MIN = 40
_PIPE_WIDTH = 200
"""Of what is not a table: prose, which a pipe gets in lines that can still be read."""


def as_json(value: Any) -> None:
    """One JSON document, indented, with a newline."""
    sys.stdout.write(json_text(value))


def json_text(value: Any) -> str:
    """JSON of a value, indented by two spaces, with a line feed at its end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def as_table(
    columns: str | Sequence[str | Column],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    totals: Sequence[object] | None = None,
    wide: bool = False,
    empty: str = "",
) -> None:
    """A table for a person: `totals` is one more row, set apart; without rows `empty` is printed.

    Columns are a text as `table.columns` reads it, or each is a column or its title alone; without
    a kind they hold text, or numbers where every value is one.
    """
    body = list(rows)
    if not body and empty:
        remark(empty)
        return
    if isinstance(columns, str):
        columns = [*table.columns(columns).values()]
    chosen = [Column(column) if isinstance(column, str) else column for column in columns]
    made = table.layout(chosen, body, totals, width=_width(), with_wide=wide)
    last = len(made.lines) - made.totals
    if title:
        _bold(title)
    for n, line in enumerate(made.lines):
        if n < made.headings or n >= last:
            _bold(line)
        else:
            sys.stdout.write(line + "\n")


def line(text: str) -> None:
    """A line of the result, for a person."""
    sys.stdout.write(printable(text) + "\n")


def prose(*parts: str | tuple[str, str]) -> None:
    """A line of prose for a person, of texts and of texts with a style that a terminal shows."""
    if sys.stdout.isatty():
        from rich.text import Text

        console().print(Text.assemble(*parts))
        return
    text = "".join(part if isinstance(part, str) else part[0] for part in parts)
    for piece in textwrap.wrap(printable(text), _width() or _PIPE_WIDTH, break_on_hyphens=False):
        sys.stdout.write(piece + "\n")


def gap() -> None:
    """An empty line between two tables."""
    sys.stdout.write("\n")


def _width() -> int | None:
    """Of the window. A pipe has none, unless COLUMNS sets it."""
    if sys.stdout.isatty():
        return max(_WIDTH_MIN, shutil.get_terminal_size().columns)
    columns = variable("COLUMNS") or ""
    return max(_WIDTH_MIN, int(columns)) if columns.isdecimal() else None


def _bold(line: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.write(line + "\n")
        return
    console().print(line, style="bold", markup=False, emoji=False, soft_wrap=True)


def console() -> Console:
    """Where people read prose in colours; wide where the output is no terminal."""
    from rich.console import Console

    width = _width()
    return Console(width=_PIPE_WIDTH if width is None else width, highlight=False)


def moment(ms: int) -> str:
    """A time (UTC) for a person."""
    return table.moment_text(ms)


def as_list(
    name: str, columns: str, items: Sequence[object], *, wide: bool = False, empty: str = ""
) -> Shown:
    """Things of one kind: `{name: […]}` for scripts, and a table of the columns of each."""
    rows = msgspec.to_builtins(items)
    yield {name: rows}
    as_rows(columns, rows, wide=wide, empty=empty)


def as_rows(
    columns: str,
    rows: Iterable[object],
    *,
    title: str = "",
    wide: bool = False,
    empty: str = "",
) -> None:
    """A table of what columns, as `table.columns` reads them, show of each row."""
    shown = table.columns(columns)
    body = [[table.value_of(row, member) for member in shown] for row in rows]
    as_table([*shown.values()], body, title=title, wide=wide, empty=empty)


def as_answer(value: object, text: str) -> Shown:
    """A value for scripts, and a remark for people."""
    yield value
    remark(text)


def as_record(columns: str, item: object) -> None:
    """One thing: those of its columns that have a value, one a line."""
    rows = [
        [column.title, (column.write or table.plain)(value)]
        for member, column in table.columns(columns).items()
        if (value := table.value_of(item, member)) is not None
    ]
    as_table(("", ""), rows)


def remark(line: str) -> None:
    """A remark that is not the result, on standard error."""
    sys.stderr.write(printable(line) + "\n")
