"""OpenCode's database as a Document: of all its messages, those that are new since the last read.

An answer that is still being written is read again until it is complete; then it stays as it
is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple, TypeGuard

import msgspec

from stationmaster.agents import sqlite
from stationmaster.agents.interface import Document, Intake
from stationmaster.agents.opencode.conversation import Conversation, Teller, is_complete, place_of
from stationmaster.agents.opencode.records import (
    Message,
    Part,
    Session,
    Time,
    decode_message,
    decode_part,
    decode_session,
)
from stationmaster.agents.values import NotJson
from stationmaster.days import MS_PER_DAY

_MESSAGES_IN_A_PIECE = 1_000
_BYTES_IN_A_PIECE = 16 * 2**20
_ROWS_LOOKED_AT = 10_000
_TEXT_MAX = 2**16
_ANCESTORS_MAX = 50
_WAIT_FOR_ANSWER_MS = 2 * MS_PER_DAY
_WAIT_FOR_PROMPT_MS = 60_000
_BYTES_OF_A_MESSAGE = 128 * 2**20
_DATA = sqlite.bounded("data", 16 * 2**20)
_ID, _OF_SESSION = sqlite.bounded("id", 200), sqlite.bounded("session_id", 200)
_HEADS = f"SELECT rowid, {_ID}, {_OF_SESSION}, time_created, time_updated FROM message"
_TABLES = {
    "message": {"id", "session_id", "time_created", "time_updated", "data"},
    "part": {"id", "message_id", "data"},
    "session": {"id"},
}
_SESSION = ("parent_id", "directory", "version", "permission", "time_created")


class StoreMark(msgspec.Struct):
    """How far the messages were read: the last row and its message's id, the latest change that
    there was, and the rows of those that were not complete, by id."""

    row: int = 0
    id: str = ""
    time: int = 0
    open: dict[str, int] = {}


class _Unfinished(msgspec.Struct):
    """A message that is not complete, its row, and until when it is waited for."""

    id: str
    row: int
    until: int


class _Head(NamedTuple):
    """A message before it is decoded."""

    row: int
    id: str
    session: str
    created: int
    changed: int


class _Found(NamedTuple):
    """A message as its rows have it: its data, and id and data of each of its parts."""

    head: _Head
    place: Conversation
    data: Any
    parts: list[tuple[Any, Any]]


class _Piece(NamedTuple):
    """Some messages, the last row that was read for them, and whether it is the last of all;
    then `last` is the last row that there is."""

    messages: list[_Found]
    row: int
    is_last: bool
    last: _Head | None = None


class Store(Document):
    """See agent.Document. It is read in entries; `state` moves on when all of them were."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._now: StoreMark = msgspec.convert(state, StoreMark) if state else StoreMark()
        self._teller = Teller("store_db")
        self._begin()

    def read(self, intake: Intake) -> None:
        """Add the next piece of new messages; `is_read` is False while more wait."""
        if self.is_read:
            self._begin()
        try:
            piece = self._piece(intake)
        except sqlite.Unreadable:
            intake.reject("a database cannot be read")
            # It is read from where reading ended the next time that it changes.
            self.is_read = True
            return
        # Nothing is reported before the database is closed.
        for item in piece.messages:
            self._add(item, intake)
        self._row = piece.row
        if piece.is_last:
            self._end(piece.last)

    def _begin(self) -> None:
        """Begin another way through the messages."""
        self.is_read = False
        self._row = 0
        self._latest = self._now.time
        self._unfinished: list[_Unfinished] = []
        self._introduced: set[str] = set()

    def _piece(self, intake: Intake) -> _Piece:
        """The next messages, all of one commit. Raises OSError and sqlite.Unreadable."""
        with sqlite.reading(self._path) as connection:
            rows = _Rows(connection)
            if rows.is_known:
                return rows.piece(self._now, self._row)
        intake.drop("unknown_record")
        return _Piece([], self._row, True)

    def _add(self, item: _Found, intake: Intake) -> None:
        head = item.head
        self._latest = max(head.changed, self._latest)
        if head.session not in self._introduced:
            self._introduced.add(head.session)
            self._teller.session(item.place, intake)
        message, parts = _message(item), [_part(*row) for row in item.parts]
        for _ in range(parts.count(None) + (message is None)):
            intake.reject("a row is not JSON")
        if message is None:
            return
        complete = [part for part in parts if part is not None]
        self._teller.message(item.place, message, complete, intake)
        if not is_complete(message, complete):
            wait = _WAIT_FOR_PROMPT_MS if message.role == "user" else _WAIT_FOR_ANSWER_MS
            self._unfinished.append(_Unfinished(head.id, head.row, head.created + wait))

    def _end(self, last: _Head | None) -> None:
        """All messages were read."""
        waiting = {one.id: one.row for one in self._unfinished if one.until > self._latest}
        row, identity = (last.row, last.id) if last is not None else (0, "")
        self._now = StoreMark(row, identity, self._latest, waiting)
        self.is_read = True


class _Rows:
    """What the three tables hold. All methods raise sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        connection.text_factory = bytes
        self._execute = connection.execute
        self._places: dict[str, Conversation] = {}
        self._size = 0
        there = {table: sqlite.columns(connection, table) for table in _TABLES}
        self.is_known = all(needed <= there[table] for table, needed in _TABLES.items())
        self._of_session = [name for name in _SESSION if name in there["session"]]

    def piece(self, mark: StoreMark, row: int) -> _Piece:
        """The messages above a row that may have changed, in order, until there are enough."""
        entries: list[_Found] = []
        for looked, head in enumerate(self._since(mark, row)):
            is_enough = len(entries) >= _MESSAGES_IN_A_PIECE or self._size >= _BYTES_IN_A_PIECE
            if is_enough or looked >= _ROWS_LOOKED_AT:
                return _Piece(entries, row, False)
            row = head.row
            if row > mark.row or head.changed > mark.time or head.id in mark.open:
                entries.append(self._with_parts(head))
        [(last,)] = self._execute("SELECT max(rowid) FROM message")
        return _Piece(entries, row, True, self._head(last))

    def _since(self, mark: StoreMark, row: int) -> Iterator[_Head]:
        """The messages above a row among which those are that may have changed.

        A message that is complete stays as it is, so that only those behind the last row and the
        incomplete ones are read, as long as the last row is still the same.
        """
        last = self._head(mark.row)
        if last is None or last.id != mark.id:
            # Rows were deleted, and their numbers given to others.
            yield from self._heads(row)
            return
        for identity, number in sorted(mark.open.items(), key=itemgetter(1)):
            head = self._head(number) if number > row else None
            if head is not None and head.id == identity:
                yield head
        yield from self._heads(max(mark.row, row))

    def _heads(self, after: int) -> Iterator[_Head]:
        rows = self._execute(f"{_HEADS} WHERE rowid > ? ORDER BY rowid", (after,))
        return filter(None, map(_head, rows))

    def _head(self, row: int | None) -> _Head | None:
        columns = self._execute(f"{_HEADS} WHERE rowid = ?", (row,)).fetchone()
        return _head(columns) if columns is not None else None

    def _with_parts(self, head: _Head) -> _Found:
        [(data,)] = self._execute(f"SELECT {_DATA} FROM message WHERE rowid = ?", (head.row,))
        parts, size = [], _length(data)
        query = f"SELECT {_ID}, {_DATA} FROM part WHERE message_id = ? ORDER BY id"
        for row in self._execute(query, (head.id,)):
            parts.append(row)
            size += _length(row[1])
            if size > _BYTES_OF_A_MESSAGE:
                raise sqlite.Unreadable("a message is too long")
        self._size += size
        return _Found(head, self._place(head.session), data, parts)

    def _place(self, identity: str) -> Conversation:
        """The session of an id."""
        place = self._places.get(identity)
        if place is None:
            session = self._session(identity) or Session(id=identity)
            place = self._places[identity] = place_of(session, self._root(session))
        return place

    def _root(self, session: Session) -> str | None:
        """The top session of the tree that a session is in."""
        top = session
        for _ in range(_ANCESTORS_MAX):
            parent = self._session(top.parent_id or "")
            if parent is None:
                break
            top = parent
        return top.parent_id or top.id

    def _session(self, identity: str) -> Session | None:
        columns = (sqlite.bounded(column, _TEXT_MAX) for column in self._of_session)
        query = f"SELECT {', '.join((*columns, '0'))} FROM session WHERE id = ?"
        row = self._execute(query, (identity,)).fetchone()
        if row is None:
            return None
        by_column = dict(zip(self._of_session, row, strict=False))
        permission = by_column.get("permission")
        rules: bytes = permission if _is_text(permission) else b"null"
        try:
            session = decode_session(b'{"permission":%b}' % rules)
        except NotJson:
            session = Session()
        session.id, session.parent_id = identity, _text(by_column.get("parent_id"))
        session.directory = _text(by_column.get("directory"))
        session.version = _text(by_column.get("version"))
        session.time = Time(created=by_column.get("time_created"))
        return session


def _head(row: tuple[Any, ...]) -> _Head | None:
    number, identity, session, created, changed = row
    if not (isinstance(number, int) and _is_text(identity) and _is_text(session)):
        return None
    return _Head(number, _text(identity), _text(session), _whole(created), _whole(changed))


def _message(item: _Found) -> Message | None:
    """A message; None when it is not JSON."""
    try:
        message = decode_message(item.data if _is_text(item.data) else b"")
    except NotJson:
        return None
    message.id, message.session_id = item.head.id, item.head.session
    message.time = message.time or Time(created=item.head.created)
    return message


def _part(identity: Any, data: Any) -> Part | None:
    """A part; None when it is not JSON."""
    try:
        part = decode_part(data if _is_text(data) else b"")
    except NotJson:
        return None
    part.id = _text(identity)
    return part


def _is_text(value: Any) -> TypeGuard[bytes]:
    return isinstance(value, bytes)


def _length(value: Any) -> int:
    return len(value) if _is_text(value) else 0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
