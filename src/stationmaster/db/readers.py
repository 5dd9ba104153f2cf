"""Connections for reads too hot to pay for a pool of sessions and a query builder.

A SQLite file gives each thread one of its own. A server's cost it a process each: few are shared.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

CLOSE_WAIT_S = 5.0
"""How long closing waits for one statement; a connection that is used longer stays open."""


class RawConnection(Protocol):
    """What sqlite3 and psycopg connections share here."""

    def execute(self, sql: Any, params: Any = ..., /) -> Any:
        """Run one statement; the cursor of its rows."""

    def close(self) -> None:
        """Close it; nothing else may follow."""


class ThreadConnection:
    """One thread's connection, closed when the thread ends.

    A user of the connection holds `in_use` meanwhile: closing it below a statement that runs
    would crash the process.
    """

    def __init__(self, connection: RawConnection) -> None:
        self.connection = connection
        self.in_use = threading.Lock()
        self.end = weakref.finalize(self, connection.close)


class Readers:
    """A connection for each thread that needs one, closed with the thread or by `close`."""

    def __init__(self, connect: Callable[[], RawConnection]) -> None:
        self._connect = connect
        self._local = threading.local()
        self._lock = threading.Lock()
        self._all: weakref.WeakSet[ThreadConnection] = weakref.WeakSet()

    def get(self) -> ThreadConnection:
        """This thread's own."""
        own: ThreadConnection | None = getattr(self._local, "own", None)
        return own if own is not None else self._make()

    def _make(self) -> ThreadConnection:
        own = ThreadConnection(self._connect())
        with self._lock:
            self._all.add(own)
        self._local.own = own
        return own

    def drop(self) -> None:
        """Close this thread's connection; the next `get` makes another."""
        self._local.own = None

    def close(self) -> None:
        """Close the connections of all threads, each when the statement that runs on it ended."""
        with self._lock:
            connections, self._all = list(self._all), weakref.WeakSet()
            self._local = threading.local()
        for own in connections:
            if own.in_use.acquire(timeout=CLOSE_WAIT_S):
                own.end()
                own.in_use.release()


class Closing(Protocol):
    """What connections that are shared have."""

    @property
    def closed(self) -> bool:
        """True once it was closed or lost."""

    def close(self) -> None:
        """Close it; nothing else may follow."""


Shared = TypeVar("Shared", bound=Closing)


class FewConnections(Generic[Shared]):
    """At most `most` connections, which threads take turns with."""

    def __init__(self, connect: Callable[[], Shared], most: int) -> None:
        self._connect = connect
        self._turns = threading.BoundedSemaphore(most)
        self._idle: list[Shared] = []
        self._keeps = True

    @contextmanager
    def one(self) -> Iterator[Shared]:
        """A connection for the block: the one used last, which the server knows best."""
        with self._turns:
            idle = self._idle
            try:
                connection = idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                if not connection.closed:
                    idle.append(connection)
                if idle is not self._idle or not self._keeps:  # It was closed meanwhile.
                    _close(idle)

    def drop(self) -> None:
        """Close all connections, those that are in use when their block ends."""
        idle, self._idle = self._idle, []
        _close(idle)

    def close(self) -> None:
        """The same, and keep none from now on."""
        self._keeps = False
        self.drop()


def _close(idle: list[Shared]) -> None:
    with suppress(IndexError):
        while True:
            idle.pop().close()


_QUOTED_OR_MARK = re.compile(r"'[^']*'|\"[^\"]*\"|\?|%")


def marks(values: Collection[object]) -> str:
    """As many marks of values as there are values, for the list of an `IN`."""
    return ", ".join("?" * len(values))


@lru_cache(maxsize=1024)
def percent_style(sql: str) -> str:
    """A statement with `?` marks as psycopg reads it: `%s`, and every real percent doubled."""
    return _QUOTED_OR_MARK.sub(_in_percent_style, sql)


def _in_percent_style(match: re.Match[str]) -> str:
    return "%s" if match[0] == "?" else match[0].replace("%", "%%")
