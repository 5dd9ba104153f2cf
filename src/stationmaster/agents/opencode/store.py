"""OpenCode's database as a Document: of all its messages, those that are new since the last read.

An answer that is still being written is looked at again until it is complete; then it stays as it
is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from stationmaster.agents.dialect import Document, Intake
from stationmaster.agents.lenient import NotJson
from stationmaster.agents.opencode.conversation import Place, Teller, is_complete, place_of
from stationmaster.agents.opencode.records import (
    Message,
    Part,
    Session,
    Time,
    decode_message,
    decode_part,
    decode_session,
)
from stationmaster.agents.sqlite_pages import Damaged, Snapshot
from stationmaster.agents.sqlite_rows import Database, Row, Value
from stationmaster.days import MS_PER_DAY

_EVENTS_IN_A_PIECE = 2_000
_ATTEMPTS_MAX = 50
_ANCESTORS_MAX = 50
_WAIT_FOR_ANSWER_MS = 2 * MS_PER_DAY
_WAIT_FOR_PROMPT_MS = 60_000
_SESSION = ("parent_id", "directory", "version", "permission", "time_created")
_MESSAGE = ("id", "session_id", "time_created", "time_updated")


class Mark(msgspec.Struct):
    """How far the messages were told: the last row and its message's id, the latest change that
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
    id: bytes
    session: bytes
    created: int
    changed: int


class Store(Document):
    """See dialect.Document. It is read in pieces; `state` moves on when all of them were."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._told = msgspec.convert(state, Mark) if state else Mark()
        self._teller = Teller("store_db")
        self._begin()

    def stamp(self) -> str:
        main = os.stat(self._path)
        try:
            log = os.stat(f"{self._path}-wal")
        except FileNotFoundError:
            return f"{main.st_size}.{main.st_mtime_ns}"
        # The log of a database that nobody has open is gone, or empty.
        written = f"-{log.st_size}.{log.st_mtime_ns}" if log.st_size else ""
        return f"{main.st_size}.{main.st_mtime_ns}{written}"

    def state(self) -> dict[str, Any]:
        snapshot: dict[str, Any] = msgspec.to_builtins(self._told)
        return snapshot

    def read(self, intake: Intake) -> None:
        if self.is_read:
            self._begin()
        enough = len(intake) + _EVENTS_IN_A_PIECE
        try:
            for _ in range(_ATTEMPTS_MAX):
                if self._read_some(intake, enough):
                    return
        except Damaged:
            intake.reject("a database is damaged")
        # It is read from where it was told the next time that it changes.
        self.is_read = True

    def _begin(self) -> None:
        """Begin another way through the messages."""
        self.is_read = False
        self._row = 0
        self._latest = self._told.time
        self._unfinished: list[_Unfinished] = []
        self._introduced: set[bytes] = set()

    def _read_some(self, intake: Intake, enough: int) -> bool:
        """Go on from the last row; False when pages were changed under the reading.

        Nothing is told of a row before it is sure that its pages were of one commit.
        """
        with Snapshot(self._path) as snapshot:
            try:
                rows = _Rows(Database(snapshot))
                for head in rows.since(self._told, self._row):
                    message, parts = rows.message(head), rows.parts(head)
                    place = rows.place(head.session)
                    if not snapshot.is_intact():
                        return False
                    self._tell(place, head, message, parts, intake)
                    if len(intake) >= enough:
                        return True
                last = rows.last()
            except Damaged:
                if snapshot.is_intact():
                    raise
                return False
            if not snapshot.is_intact():
                return False
        if not rows.is_known:
            intake.drop("unknown_record")
        self._end(last)
        return True

    def _tell(
        self,
        place: Place,
        head: _Head,
        message: Message | None,
        parts: list[Part | None],
        intake: Intake,
    ) -> None:
        self._row, self._latest = head.row, max(head.changed, self._latest)
        if head.session not in self._introduced:
            self._introduced.add(head.session)
            self._teller.session(place, intake)
        for _ in range(parts.count(None) + (message is None)):
            intake.reject("a row is not JSON")
        if message is None:
            return
        known = [part for part in parts if part is not None]
        self._teller.message(place, message, known, intake)
        if not is_complete(message, known):
            wait = _WAIT_FOR_PROMPT_MS if message.role == "user" else _WAIT_FOR_ANSWER_MS
            self._unfinished.append(_Unfinished(_text(head.id), head.row, head.created + wait))

    def _end(self, last: _Head | None) -> None:
        """All messages were told."""
        waiting = {one.id: one.row for one in self._unfinished if one.until > self._latest}
        identity = _text(last.id) if last is not None else ""
        self._told = Mark(last.row if last is not None else 0, identity, self._latest, waiting)
        self.is_read = True


class _Rows:
    """What the three tables hold. All methods raise Damaged."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._places: dict[bytes, Place] = {}
        self.is_known = _is_known(database)

    def since(self, told: Mark, row: int) -> Iterator[_Head]:
        """The messages above a row that may have changed, in order of their rows.

        A message that is complete stays as it is, so that only those behind the last row and the
        incomplete ones are looked at, as long as the last row is the one that it was.
        """
        if not self.is_known:
            return
        last = self._head(told.row)
        if last is None or _text(last.id) != told.id:
            # Rows were deleted, and their numbers given to others.
            for head in self._heads(row):
                is_newer = head.row > told.row or head.changed > told.time
                if is_newer or _text(head.id) in told.open:
                    yield head
            return
        for identity, number in sorted(told.open.items(), key=itemgetter(1)):
            found = self._head(number) if number > row else None
            if found is not None and _text(found.id) == identity:
                yield found
        yield from self._heads(max(told.row, row))

    def last(self) -> _Head | None:
        """The last row that there is."""
        number = self._database.last_row_id("message") if self.is_known else None
        return self._head(number) if number is not None else None

    def message(self, head: _Head) -> Message | None:
        """A message; None when it is not JSON."""
        (data,) = self._database.row("message", head.row, ("data",)) or (None,)
        try:
            message = decode_message(data if isinstance(data, bytes) else b"")
        except NotJson:
            return None
        message.id, message.session_id = _text(head.id), _text(head.session)
        message.time = message.time or Time(created=head.created)
        return message

    def parts(self, head: _Head) -> list[Part | None]:
        """The parts of a message in order; None for one that is not JSON."""
        parts: list[Part | None] = []
        for row in self._database.row_ids("part", "message_id", head.id):
            identity, data = self._database.row("part", row, ("id", "data")) or (None, None)
            try:
                part = decode_part(data if isinstance(data, bytes) else b"")
            except NotJson:
                parts.append(None)
                continue
            part.id = _text(identity)
            parts.append(part)
        return parts

    def place(self, identity: bytes) -> Place:
        """The session of an id."""
        place = self._places.get(identity)
        if place is None:
            session = self._session(identity) or Session(id=_text(identity))
            place = self._places[identity] = place_of(session, self._root(session))
        return place

    def _root(self, session: Session) -> str | None:
        """The top session of the tree that a session is in."""
        top = session
        for _ in range(_ANCESTORS_MAX):
            parent = self._session((top.parent_id or "").encode())
            if parent is None:
                break
            top = parent
        return top.parent_id or top.id

    def _session(self, identity: bytes) -> Session | None:
        row = next(self._database.row_ids("session", "id", identity), None)
        found = self._database.row("session", row, _SESSION) if row is not None else None
        if found is None:
            return None
        parent, directory, version, permission, created = found
        try:
            rules = permission if isinstance(permission, bytes) else b"null"
            session = decode_session(b'{"permission":%b}' % rules)
        except NotJson:
            session = Session()
        session.id, session.parent_id = _text(identity), _text(parent)
        session.directory, session.version = _text(directory), _text(version)
        session.time = Time(created=created)
        return session

    def _heads(self, after: int) -> Iterator[_Head]:
        for row, values in self._database.rows("message", _MESSAGE, after):
            head = _head(row, values)
            if head is not None:
                yield head

    def _head(self, row: int) -> _Head | None:
        values = self._database.row("message", row, _MESSAGE)
        return _head(row, values) if values is not None else None


def _is_known(database: Database) -> bool:
    """Are the tables there, with the indexes by which they are read?"""
    tables = database.tables
    if not {"session", "message", "part"} <= tables.keys():
        return False
    return "id" in tables["session"].indexes and "message_id" in tables["part"].indexes


def _head(row: int, values: Row) -> _Head | None:
    identity, session, created, changed = values
    if not isinstance(identity, bytes) or not isinstance(session, bytes):
        return None
    return _Head(row, identity, session, _whole(created), _whole(changed))


def _whole(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
