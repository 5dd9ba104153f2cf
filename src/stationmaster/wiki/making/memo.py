"""Results of earlier runs of a repository, stored by what they were computed from.

Nothing here is needed: without it everything is computed again, to the same bytes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, told BLOB) WITHOUT ROWID"
_PENDING_MAX = 32 * 2**20
"""Bytes that wait to be written."""
_ROOMS = ("agents", "catalogue", "pipelines", "reading", "repos", "wiki")
"""Whose code makes pages of a commit."""
MODEL = "model"
"""What a model planned and wrote."""


class Memory(Protocol):
    """`words` are everything that a result was computed from; the first one names its kind."""

    def get(self, *words: str) -> bytes | None: ...
    def keep(self, content: bytes, *words: str) -> None: ...
    def keep_unused(self) -> None:
        """Have what this run does not use stay for the next one."""


class Nothing:
    """Remembers nothing."""

    def get(self, *_: str) -> bytes | None:
        return None

    def keep(self, content: bytes, *_: str) -> None: ...

    def keep_unused(self) -> None: ...


class Kept:
    """A memory in a file, for one run of one repository at a time. Use as a context manager: what
    the run used is there for the next one if it was completed, everything else is deleted.

    A file that is damaged, or none of ours, is deleted; one that is in use is not touched.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._pending: dict[bytes, bytes] = {}
        self._size = 0
        self._used: set[bytes] = set()
        self._forgets = True

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = _opened(self._path) or _opened(self._path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._forgets:
            self._forget()
        self._write()
        if self._connection is not None:
            self._connection.close()

    def get(self, *words: str) -> bytes | None:
        key = _key(words)
        self._used.add(key)
        if key in self._pending:
            return self._pending[key]
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT told FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            self._give_up()
            return None
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def keep(self, content: bytes, *words: str) -> None:
        key = _key(words)
        self._used.add(key)
        self._pending[key] = content
        self._size += len(content)
        # What a model answered was paid for: it is there also after the process was killed.
        if self._size > _PENDING_MAX or words[0] == MODEL:
            self._write()

    def keep_unused(self) -> None:
        self._forgets = False

    def _write(self) -> None:
        pending, self._pending, self._size = self._pending, {}, 0
        if self._connection is None:
            return
        try:
            with self._connection:
                rows = sorted(pending.items())
                self._connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
        except sqlite3.Error:
            self._give_up()

    def _forget(self) -> None:
        """What this run did not use."""
        if self._connection is None:
            return
        try:
            keys = {row[0] for row in self._connection.execute("SELECT key FROM kept")}
            unused = [(key,) for key in sorted(keys - self._used)]
            with self._connection:
                self._connection.executemany("DELETE FROM kept WHERE key = ?", unused)
        except sqlite3.Error:
            self._give_up()

    def _give_up(self) -> None:
        """The rest of the run remembers nothing, and the next one begins anew."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            _remove(self._path)


def _opened(path: Path) -> sqlite3.Connection | None:
    """None for a file that was deleted, or that another run has open."""
    try:
        connection = sqlite3.connect(path, timeout=0)
    except sqlite3.Error:
        return None
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA synchronous = OFF")
        with connection:
            connection.execute(_SCHEMA)
            connection.execute("DELETE FROM kept WHERE key = x''")  # Takes the lock.
    except sqlite3.Error as fault:
        connection.close()
        if "locked" not in str(fault):
            _remove(path)
        return None
    return connection


def _remove(path: Path) -> None:
    for file in (path, path.with_name(path.name + "-journal")):
        file.unlink(missing_ok=True)


def _key(words: tuple[str, ...]) -> bytes:
    # What a model answered is of no build: all that it was asked is in the words, and asking it
    # again costs money.
    build = "" if words[0] == MODEL else _build()
    joined = b"".join(b"%d %s" % (len(word), word.encode()) for word in (build, *words))
    return hashlib.blake2b(joined, digest_size=16).digest()


@lru_cache(1)
def _build() -> str:
    """The digest of all code, templates and tables that have a part in a page: after a change of
    any of them nothing else in the memory counts."""
    root = Path(__file__).parents[2]
    files = (path for room in _ROOMS for path in (root / room).rglob("*.*"))
    paths = sorted(path for path in files if path.is_file() and path.suffix != ".pyc")
    digest = hashlib.blake2b(digest_size=16)
    for path in paths:
        digest.update(hashlib.blake2b(path.read_bytes()).digest())
    return digest.hexdigest()
