"""Reading the store of a Cursor agent window, an SQLite file: that a session began, and its model.

Only its table `meta` is read.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from stationmaster.agents import sqlite
from stationmaster.agents.cursor import words
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.interface import Document, Intake, blank
from stationmaster.agents.values import NotJson, decoder, model_name, moment, name
from stationmaster.events.model import identify

_META = "SELECT value FROM meta WHERE length(value) <= 65536 LIMIT 100"
_session_start = blank(PRODUCT, "session_start", "store_db")


class _Meta(Struct, gc=False, rename="camel"):
    agent_id: str | None = None
    mode: str | None = None
    created_at: Any = None
    last_used_model: str | None = None
    model: str | None = None


_decode = decoder(_Meta)


class CursorStore(Document):
    """See agent.Document."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self, intake: Intake) -> None:
        """Add the start of the session; a value without a session or a time is dropped."""
        try:
            values = self._values()
        except sqlite.Unreadable:
            intake.reject("not a store that can be read")
            return
        for value in values:
            self._add(value, intake)

    def _values(self) -> list[Any]:
        with sqlite.reading(self._path) as connection:
            if "value" not in sqlite.columns(connection, "meta"):
                raise sqlite.Unreadable("there is no such table")
            connection.text_factory = bytes
            return [value for (value,) in connection.execute(_META)]

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
        identify(event, session)
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
