"""Reading the SQLite files of agents that may be running, without changing anything in them.

- A file without a log of writes next to it is opened as one that no program writes to: no lock is
taken
  and no file made. A reader detects that another program wrote to it during the read.
- A file with a log is read as SQLite's readers do: a program that keeps a write-ahead log is never
  held up, one with a rollback journal as long as one short read lasts. For a write-ahead log
  that no program has open SQLite makes the index of the log (`-shm`), which stays until a program
  opens the database and puts the log away; nothing else is ever made or written.
- What the file's schema brings is not run: views, virtual tables and generated columns are as if
  they were not there, and work without an end is cut off.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from stationmaster.agents.interface import size, stamp

HEAD = b"SQLite format 3\0"

_WAIT_S = 1.0
_STEPS_MAX = 5_000_000
"""Instructions of SQLite's machine for one connection; a row of a plain query takes some twenty."""
_CPU_MAX_S = 10.0
_STEPS_AT_ONCE = 200
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64 * 2**20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2**20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_PRAGMAS = ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
_LATER = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL}
    | {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}
)
"""Errors of another program's work on the file, not of the file itself."""


def is_database(head: bytes, _line: bytes) -> bool:
    """Does a file that begins so hold a database?"""
    return head.startswith(HEAD)


class Unreadable(ValueError):
    """The file is no database, a damaged one, or one that costs too much work."""


@contextmanager
def reading(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that reads one commit of a database, whatever is written meanwhile.

    Texts are read leniently. Raises OSError when the file is missing, locked, or was written to so
    that what was read may be of no commit (it is to be thrown away, and read later); Unreadable
    for faults of the file itself, in the body as well.
    """
    real = os.path.realpath(path)
    before = stamp(real)
    is_logged = bool(size(f"{real}-wal") or size(f"{real}-journal"))
    try:
        how = "mode=ro" if is_logged else "mode=ro&immutable=1"
        address = f"{Path(real).as_uri()}?{how}"
        with closing(
            sqlite3.connect(address, uri=True, timeout=_WAIT_S, isolation_level=None)
        ) as connection:
            _prepare(connection)
            yield connection
    except sqlite3.Error as fault:
        # The lowest byte is the kind of a fault, whatever its details.
        kind = (getattr(fault, "sqlite_errorcode", None) or 0) & 0xFF
        # Without a lock, half of another program's write looks like damage.
        if kind in _LATER or (not is_logged and stamp(real) != before):
            raise OSError(f"{path}: {fault}") from fault
        raise Unreadable(str(fault)) from fault
    if not is_logged and stamp(real) != before:
        raise OSError(f"{path}: was written to while it was read")


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The stored columns of a table; none when there is no such table, or it is no plain one whose
    rows SQLite numbers. `table` is a name of our own."""
    plain = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql LIKE ?"
    if connection.execute(plain, (table, "CREATE TABLE %")).fetchone() is None:
        return frozenset()
    # This pragma leaves out columns that are computed when they are read.
    rows = connection.execute(f"SELECT CAST(name AS BLOB) FROM pragma_table_info('{table}')")
    names = frozenset(name.decode("utf-8", "replace") for [name] in rows)
    return frozenset() if "rowid" in map(str.lower, names) else names


def bounded(column: str, most: int) -> str:
    """What to select for a column, so that a value of more characters or bytes is NULL."""
    return f"CASE WHEN length({column}) <= {most} THEN {column} END"


def _prepare(connection: sqlite3.Connection) -> None:
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_progress_handler(_budget(), _STEPS_AT_ONCE)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN")
    # The transaction holds the commit that its first look sees.
    connection.execute("SELECT 1 FROM sqlite_master").fetchone()


def _budget() -> Callable[[], bool]:
    """Ends the work of a connection when it is too much: a step may be as much work as a value is
    long."""
    turns = itertools.count(1)
    end_s = time.thread_time() + _CPU_MAX_S
    return lambda: next(turns) * _STEPS_AT_ONCE > _STEPS_MAX or time.thread_time() > end_s
