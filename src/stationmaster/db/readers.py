"""Connections for reads too hot to pay for a pool of sessions and a query builder.

A SQLite file gives each thread one of its own. A server's cost it a process each: few are shared.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol

from stationmaster.db.prepared import PreparedReader


class RawConnection(Protocol):
    """What sqlite3 and psycopg connections share here."""

    def execute(self, sql: Any, params: Any = ..., /) -> Any: ...

    def close(self) -> None: ...


class _Held:
    """Dies with its thread, and takes the connection along."""

    def __init__(self, connection: RawConnection) -> None:
        self.connection = connection


class Readers:
    """A connection for each thread that asks, closed with the thread or by `close`."""

    def __init__(self, connect: Callable[[], RawConnection]) -> None:
        self._connect = connect
        self._local = threading.local()
        self._lock = threading.Lock()
        self._closers: list[weakref.finalize[..., Any]] = []

    def get(self) -> RawConnection:
        held: _Held | None = getattr(self._local, "held", None)
        return held.connection if held is not None else self._make()

    def _make(self) -> RawConnection:
        held = _Held(self._connect())
        with self._lock:
            self._closers = [closer for closer in self._closers if closer.alive]
            self._closers.append(weakref.finalize(held, held.connection.close))
        self._local.held = held
        return held.connection

    def drop(self) -> None:
        """Close this thread's connection; the next `get` makes another."""
        self._local.held = None

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            closers, self._closers = self._closers, []
            self._local = threading.local()
        for closer in closers:
            closer()


class FewReaders:
    """At most `most` connections, which threads take turns with."""

    def __init__(self, connect: Callable[[], PreparedReader], most: int) -> None:
        self._connect = connect
        self._turns = threading.BoundedSemaphore(most)
        self._idle: list[PreparedReader] = []

    @contextmanager
    def one(self) -> Iterator[PreparedReader]:
        """A connection for the block: the one used last, which the server knows best."""
        with self._turns:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                if not connection.closed:
                    self._idle.append(connection)

    def close(self) -> None:
        """Close those that nobody uses now."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


_QUOTED_OR_MARK = re.compile(r"'[^']*'|\"[^\"]*\"|\?|%")


@lru_cache(maxsize=1024)
def percent_style(sql: str) -> str:
    """A statement with `?` marks as psycopg reads it: `%s`, and every real percent doubled."""
    return _QUOTED_OR_MARK.sub(_in_percent_style, sql)


def _in_percent_style(found: re.Match[str]) -> str:
    return "%s" if found[0] == "?" else found[0].replace("%", "%%")
