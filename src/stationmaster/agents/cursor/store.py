"""Reading the store of a Cursor agent window, an SQLite file: that a session began, and its model.

Only its table `meta` is read, and nothing is ever written: not even the files that SQLite puts
beside a database for readers.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from stationmaster.agents.blanks import blank
from stationmaster.agents.cursor import words
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.dialect import Document, Intake
from stationmaster.agents.lenient import NotJson, decoder
from stationmaster.agents.values import model_name, moment, name
from stationmaster.events.identity import event_id

NAME = "store.db"
MAGIC = b"SQLite format 3\0"
_META = "select value from meta where length(value) <= 65536 limit 100"
_WAIT_S = 1.0
_STEPS_MAX = 1_000_000
_LATER = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN})
"""What says that another program is at work on the file, and nothing of the file itself."""
_session_start = blank(PRODUCT, "session_start", "store_db")


class _Meta(Struct, gc=False, rename="camel"):
    agent_id: str | None = None
    mode: str | None = None
    created_at: Any = None
    last_used_model: str | None = None
    model: str | None = None


_decode = decoder(_Meta)


class CursorStore(Document):
    """See dialect.Document."""

    def __init__(self, path: str) -> None:
        self._path = path

    def stamp(self) -> str:
        log = f"{self._path}-wal"
        return ",".join(_stamp(file) for file in (self._path, log) if file != log or _has(log))

    def state(self) -> dict[str, Any]:
        return {}

    def read(self, intake: Intake) -> None:
        os.stat(self._path)
        try:
            values = list(self._values())
        except sqlite3.Error as fault:
            if getattr(fault, "sqlite_errorcode", None) in _LATER:
                raise OSError(f"{self._path}: {fault}") from fault
            intake.reject("not a store that can be read")
            return
        for value in values:
            self._add(value, intake)

    def _values(self) -> Iterator[Any]:
        # A database without a log of writes is read as one that nobody writes to: a reader of any
        # other kind may put files beside it.
        mode = "mode=ro" if _has(f"{self._path}-wal") else "immutable=1"
        address = f"file:{quote(os.path.abspath(self._path))}?{mode}"
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S)) as store:
            store.text_factory = bytes
            # Whatever a file calls `meta`, reading it ends.
            store.set_progress_handler(lambda: 1, _STEPS_MAX)
            for (value,) in store.execute(_META):
                yield value

    def _add(self, value: Any, intake: Intake) -> None:
        try:
            meta = _decode(_plain(value))
        except NotJson:
            intake.drop("unknown_record")
            return
        session, at = name(meta.agent_id), moment(meta.created_at)
        if session is None or at is None:
            intake.drop("unknown_record")
            return
        event = _session_start()
        event.ts = at
        event.session_id = event.root_session_id = session
        event.event_id = event_id(PRODUCT, "session_start", session)
        event.model = model_name(meta.last_used_model or meta.model)
        event.autonomy, event.autonomy_raw = words.autonomy(meta.mode)
        intake.add(event)


def _plain(value: Any) -> bytes:
    """A value of the table, which is JSON, mostly written as hexadecimal digits."""
    if not isinstance(value, bytes):
        return b""
    try:
        return bytes.fromhex(value.decode("ascii"))
    except ValueError:
        return value


def _has(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _stamp(path: str) -> str:
    found = os.stat(path)
    return f"{found.st_mtime_ns}:{found.st_size}"
