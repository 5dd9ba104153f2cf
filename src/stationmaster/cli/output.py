"""Printing: JSON for scripts on standard output, tables for people, remarks on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 200


def as_json(value: Any) -> None:
    """One JSON document, indented, with a newline."""
    sys.stdout.write(json_text(value))


def json_text(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def as_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table for a person."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        # As text: a sender's name must not be read as the terminal's markup.
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    console().print(table)


def console() -> Console:
    """Where people read; wide where nobody looks at a window, so that a pipe gets whole lines."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def moment(ms: int) -> str:
    """A time (UTC) for a person."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def as_list(name: str, columns: Sequence[str], found: Sequence[object], json: bool) -> None:
    """Things of one kind: `{name: […]}` as JSON, or a table whose times people can read."""
    rows: list[dict[str, object]] = msgspec.to_builtins(found)
    if json:
        as_json({name: rows})
        return
    as_table(columns, [[_cell(column, row[column]) for column in columns] for row in rows])


def _cell(column: str, value: object) -> object:
    if column.endswith(("_at", "At")) and isinstance(value, int):
        return moment(value)
    return value


def say(line: str) -> None:
    """A remark that is not the result, on standard error."""
    sys.stderr.write(line + "\n")
