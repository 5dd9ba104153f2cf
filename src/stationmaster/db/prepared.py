"""Reads of PostgreSQL by prepared statements, at a third of what a cursor of the driver costs.

Values are adapted and loaded by the driver. Left out are its cursors, its reading of marks, and its
waiting in steps of the interpreter: a call waits in libpq, where other threads run meanwhile.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.pq.abc import PGresult

STATEMENTS_MAX = 500
"""Prepared ones of a connection; any others are run without being kept."""
_DONE = (1, 2)
"""The states of a result of libpq without and with rows."""
_QUOTED_OR_MARK = re.compile(r"'[^']*'|\"[^\"]*\"|\?")


class PreparedReader:
    """One connection in autocommit, for one thread at a time. Raises the driver's errors."""

    def __init__(self, connection: Connection) -> None:
        from psycopg.adapt import PyFormat, Transformer

        self._connection = connection
        self._values = Transformer(connection)
        self._as_needed = PyFormat.AUTO
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}

    @property
    def closed(self) -> bool:
        """True once the session has ended or was lost."""
        return self._connection.closed

    def close(self) -> None:
        """End the session, and with it the prepared statements."""
        self._connection.close()

    def rows(self, sql: str, params: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """All rows of one SELECT with values marked `?`."""
        values = self._values
        dumped: Any = values.dump_sequence(params, [self._as_needed] * len(params))
        types, formats = values.types or (), values.formats or ()
        pgconn = self._connection.pgconn
        name = self._names.get((sql, types))
        if name is None:
            name = self._prepared(sql, types)
        result = pgconn.exec_prepared(name, dumped, formats, 1)
        self._check(result)
        values.set_pgresult(result)
        rows: list[tuple[Any, ...]] = values.load_rows(0, result.ntuples, tuple)
        # It would keep the bytes of a large answer until the next one.
        values.set_pgresult(None)
        return rows

    def _prepared(self, sql: str, types: tuple[int, ...]) -> bytes:
        """The name of a statement, prepared; the unnamed one where there are too many already."""
        name = b"read%d" % len(self._names) if len(self._names) < STATEMENTS_MAX else b""
        self._check(self._connection.pgconn.prepare(name, _numbered(sql).encode(), types))
        if name:
            self._names[sql, types] = name
        return name

    def _check(self, result: PGresult) -> None:
        if result.status in _DONE:
            return
        from psycopg import OperationalError, errors, pq

        encoding = self._values.encoding
        if result.error_field(pq.DiagnosticField.SQLSTATE) is None:
            # Not from the server: it has ended.
            raise OperationalError(result.get_error_message(encoding))
        raise errors.error_from_result(result, encoding)


@lru_cache(maxsize=1024)
def _numbered(sql: str) -> str:
    """A statement with `?` marks as PostgreSQL reads it: `$1`, `$2`, …"""
    number = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal number
        if match[0] != "?":
            return match[0]
        number += 1
        return f"${number}"

    return _QUOTED_OR_MARK.sub(mark, sql)
