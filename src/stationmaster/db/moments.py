"""One moment of several databases, while others go on writing to them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import cast

from sqlalchemy import Connection

from stationmaster.db.engine import Database


@contextmanager
def one_moment(databases: Sequence[Database]) -> Iterator[list[Connection]]:
    """Reading transactions, one for each SQLite database, that all see the same moment.

    Writers wait while the transactions are opened, not while they are read.
    """
    with ExitStack() as views:
        with ExitStack() as transactions:
            for database in databases:
                transactions.enter_context(database.transaction())
            connections = [views.enter_context(database.reading()) for database in databases]
            for view in connections:
                # A transaction sees the moment of its first look, not of its beginning.
                view.exec_driver_sql("SELECT count(*) FROM sqlite_master")
        yield connections


def save(view: Connection, path: Path) -> None:
    """What a transaction on SQLite sees, as a new file."""
    with closing(sqlite3.connect(path)) as copy:
        cast(sqlite3.Connection, view.connection.driver_connection).backup(copy)


def close_file(path: Path) -> None:
    """Make a SQLite file that is not in use complete in itself, and durable."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
