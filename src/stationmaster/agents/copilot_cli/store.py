"""Reading Copilot's store of all sessions, a SQLite file: one row per model call.

Rows name no call that other sources know, so they count by themselves where no call is reported.
The conversation that the store holds as well is never asked for.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from stationmaster.agents import sqlite
from stationmaster.agents.copilot_cli import words
from stationmaster.agents.copilot_cli.place import repository_of
from stationmaster.agents.copilot_cli.usage import set_tokens, vector
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.interface import Document, Intake, InvalidRecord, blank
from stationmaster.agents.values import milliseconds, model_name, moment, name
from stationmaster.events.model import Event, identify, identify_in_session

_CALLS = "assistant_usage_events"
_SESSIONS = "sessions"
_FIGURES = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    "reasoning_tokens",
)
_CALL = (
    *("session_id", "agent_id", "parent_tool_call_id", "model", "duration_ms", "initiator"),
    *("reasoning_effort", "created_at", *_FIGURES),
)
_ROWS_IN_A_PIECE = 5_000
_VALUE_MAX = 8_192
_SESSION = ("cwd", "repository", "host_type", "branch")

_model_call = blank(PRODUCT, "model_call", "store_db")
_session_context = blank(PRODUCT, "session_context", "store_db")
Row = dict[str, Any]


class _Read(msgspec.Struct):
    """How far the rows were read."""

    row: int = 0


class UsageStore(Document):
    """See agent.Document. It is read in pieces."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._now: _Read = msgspec.convert(state, _Read) if state else _Read()

    def read(self, intake: Intake) -> None:
        """Add the calls of the next rows, 5,000 at most, and where their sessions ran."""
        try:
            with sqlite.reading(self._path) as connection:
                calls = self._calls(connection)
                places = _places(connection, {row.get("session_id") for _, row in calls})
        except sqlite.Unreadable:
            intake.reject("the session store cannot be read as a database")
            self.is_read = True
            return
        self.is_read = len(calls) < _ROWS_IN_A_PIECE
        contexts: dict[str, Event] = {}
        for number, row in calls:
            self._now.row = number
            try:
                event = _call(number, row)
            except InvalidRecord as fault:
                intake.reject(str(fault))
            else:
                if event is None:
                    intake.drop("not_counted")
                    continue
                intake.add(event)
                if event.session_id is not None:
                    contexts.setdefault(event.session_id, event)
        for session, call in contexts.items():
            if session in places:
                intake.add(_context(places[session], session, call, intake))

    def _calls(self, connection: sqlite3.Connection) -> list[tuple[int, Row]]:
        """The next rows that were not read yet, with their numbers."""
        there = sqlite.columns(connection, _CALLS)
        columns = [column for column in _CALL if column in there]
        if not columns:
            return []
        [last] = connection.execute(f"SELECT max(rowid) FROM {_CALLS}").fetchone()
        if (last or 0) < self._now.row:
            # Another store has taken its place.
            self._now.row = 0
        values = ", ".join(sqlite.bounded(column, _VALUE_MAX) for column in columns)
        query = f"SELECT rowid, {values} FROM {_CALLS} WHERE rowid > ? ORDER BY rowid"
        rows = connection.execute(f"{query} LIMIT ?", (self._now.row, _ROWS_IN_A_PIECE))
        return [(number, dict(zip(columns, values, strict=True))) for number, *values in rows]


def _call(number: int, row: Row) -> Event | None:
    """A row's model call; None for one without any figures. Raises InvalidRecord."""
    used = vector(*(row.get(figure) for figure in _FIGURES))
    if not any(used):
        return None
    event = _model_call()
    ts = moment(row.get("created_at"))
    if ts is None:
        raise InvalidRecord("a row has no time")
    event.ts = ts
    event.session_id = event.root_session_id = name(row.get("session_id"))
    if event.session_id is None:
        event.quality = "no_session"
    set_tokens(event, used, name(row.get("reasoning_effort")))
    event.model = model_name(row.get("model"))
    event.duration_ms = milliseconds(row.get("duration_ms"))
    event.agent_id = name(row.get("agent_id"))
    event.is_subagent = event.agent_id is not None or row.get("parent_tool_call_id") is not None
    words.whose_call(event, row.get("initiator"))
    figures = ",".join(map(str, used))
    identify_in_session(event, "row", str(number), str(ts), figures)
    return event


def _places(connection: sqlite3.Connection, sessions: set[Any]) -> dict[str, Row]:
    """What the store reports of the sessions that it has."""
    there = sqlite.columns(connection, _SESSIONS)
    columns = [column for column in _SESSION if column in there]
    if not columns or "id" not in there:
        return {}
    values = ", ".join(sqlite.bounded(column, _VALUE_MAX) for column in columns)
    query = f"SELECT {values} FROM {_SESSIONS} WHERE id = ?"
    places = {}
    for session in filter(None, map(name, sessions)):
        row = connection.execute(query, (session,)).fetchone()
        if row is not None:
            places[session] = dict(zip(columns, row, strict=True))
    return places


def _context(row: Row, session: str, call: Event, intake: Intake) -> Event:
    """Where a session ran, as from the first of the calls at hand."""
    event = _session_context()
    event.ts = call.ts
    event.session_id = event.root_session_id = session
    identify(event, session, "store", str(call.ts))
    cwd = row.get("cwd")
    if isinstance(cwd, str) and cwd:
        event.cwd_hash = intake.folder(session, cwd)
    event.branch = name(row.get("branch"))
    event.repo = repository_of(row.get("repository"), None, row.get("host_type"))
    return event
