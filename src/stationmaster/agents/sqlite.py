"""Reading the SQLite files of agents that may be running, without changing anything in them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HEAD = b"SQLite format 3\0"


@contextmanager
def reading(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that only reads. Raises OSError when the file cannot be opened or is locked;
    sqlite3.DatabaseError, there and while reading, for a file that is damaged or no database."""
    # Without a log beside it nobody has the file open, and SQLite needs none to be made.
    how = "mode=ro" if os.path.exists(f"{path}-wal") else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?{how}", uri=True)
    except sqlite3.OperationalError as fault:
        raise OSError(f"{path}: {fault}") from fault
    try:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as fault:
            raise OSError(f"{path}: {fault}") from fault
        yield connection
    finally:
        connection.close()


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none when there is no such table. `table` is a name of our own."""
    rows = connection.execute(f"PRAGMA table_info({table})")
    return frozenset(row[1] for row in rows)


def stamp(path: str) -> str:
    """Differs when anything was written. Raises OSError when the file is gone."""
    parts = [os.stat(path)]
    with suppress(FileNotFoundError):
        parts.append(os.stat(f"{path}-wal"))
    return " ".join(f"{part.st_mtime_ns}:{part.st_size}" for part in parts)
