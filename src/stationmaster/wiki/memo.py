"""What earlier runs of a repository found, kept by what it was found from.

A file's facts are kept by the hash of its content, a commit's changes by the commit, a page by the
questions that were asked while it was written and their answers. Nothing here is needed: without
it everything is computed again, to the same bytes. Source: wiki reference, section 14.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import msgspec

from stationmaster.wiki.written import Written

if TYPE_CHECKING:
    from stationmaster.wiki.facts.model import Asked, Facts
    from stationmaster.wiki.pages.model import Planned

_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, told BLOB) WITHOUT ROWID"
_PENDING_MAX = 32 * 2**20
"""Bytes that wait to be written."""
_ROOMS = ("agents", "code", "pipelines", "projects", "repos", "wiki")
"""Whose code makes pages of a commit."""


class Memory(Protocol):
    def file(self, oid: str, language: str) -> bytes | None: ...
    def keep_file(self, oid: str, language: str, told: bytes) -> None: ...
    def commit(self, oid: str) -> bytes | None: ...
    def keep_commit(self, oid: str, told: bytes) -> None: ...
    def page(self, planned: Planned, facts: Facts) -> Written | None: ...
    def keep_page(self, planned: Planned, asked: Sequence[Asked], written: Written) -> None: ...


class Nothing:
    """Remembers nothing."""

    def file(self, *_: str) -> bytes | None:
        return None

    def keep_file(self, *_: object) -> None: ...

    def commit(self, *_: str) -> bytes | None:
        return None

    def keep_commit(self, *_: object) -> None: ...

    def page(self, *_: object) -> Written | None:
        return None

    def keep_page(self, *_: object) -> None: ...


class _Page(NamedTuple):
    asked: tuple[tuple[str, tuple[Any, ...], bytes], ...]
    written: Written


_PAGE = msgspec.msgpack.Decoder(_Page)


class Kept:
    """A memory in a file, for one run of one repository at a time. Use as a context manager: what
    the run used is there for the next one if it came to its end, everything else is forgotten.

    A file that is damaged, or none of ours, is thrown away; one that is in use is left alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._pending: dict[bytes, bytes] = {}
        self._size = 0
        self._used: set[bytes] = set()

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
        if kind is None:
            self._forget()
        self._write()
        if self._connection is not None:
            self._connection.close()

    def file(self, oid: str, language: str) -> bytes | None:
        return self._get(_key("file", oid, language))

    def keep_file(self, oid: str, language: str, told: bytes) -> None:
        self._put(_key("file", oid, language), told)

    def commit(self, oid: str) -> bytes | None:
        return self._get(_key("commit", oid))

    def keep_commit(self, oid: str, told: bytes) -> None:
        self._put(_key("commit", oid), told)

    def page(self, planned: Planned, facts: Facts) -> Written | None:
        """The page as it was, where everything that was asked for it has the answer that it had."""
        told = self._get(_key_of_page(planned))
        if told is None:
            return None
        try:
            kept = _PAGE.decode(told)
            for query, arguments, digest in kept.asked:
                if facts.digest(query, arguments) != digest:
                    return None
        except (msgspec.MsgspecError, LookupError, TypeError):
            return None  # Of a subject that is gone, or nothing that a page ever asked.
        return kept.written

    def keep_page(self, planned: Planned, asked: Sequence[Asked], written: Written) -> None:
        self._put(_key_of_page(planned), msgspec.msgpack.encode(_Page(tuple(asked), written)))

    def _get(self, key: bytes) -> bytes | None:
        if key in self._pending:
            return self._pending[key]
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT told FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            self._give_up()
            return None
        if row is None or not isinstance(row[0], bytes):
            return None
        self._used.add(key)
        return row[0]

    def _put(self, key: bytes, told: bytes) -> None:
        self._pending[key] = told
        self._used.add(key)
        self._size += len(told)
        if self._size > _PENDING_MAX:
            self._write()

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
            known = {row[0] for row in self._connection.execute("SELECT key FROM kept")}
            unused = [(key,) for key in sorted(known - self._used)]
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
    """None for a file that was thrown away, or that another run has open."""
    try:
        connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
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
    for each in (path, path.with_name(path.name + "-journal")):
        each.unlink(missing_ok=True)


def _key(*parts: str) -> bytes:
    return _digest(b"".join(f"{len(part)} {part}".encode() for part in (_build(), *parts)))


def _key_of_page(planned: Planned) -> bytes:
    write = f"{planned.write.__module__}.{planned.write.__qualname__}"
    said = msgspec.json.encode([planned.key, planned.title, planned.subject, planned.version])
    return _key("page", write, said.decode())


@lru_cache(1)
def _build() -> str:
    """The digest of all code that has a part in a page: whatever of it changes forgets the rest."""
    root = Path(__file__).parents[1]
    found = sorted(path for room in _ROOMS for path in (root / room).rglob("*.py"))
    return _digest(b"".join(_digest(path.read_bytes()) for path in found)).hex()


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
