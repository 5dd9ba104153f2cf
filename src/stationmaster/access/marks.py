"""Keyed hashes of the user ids whose telemetry is not stored any more, because they were erased.

A hash shows whether an id is one of them and names no one. The key is the organization's own.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from stationmaster import ids
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erased_marks, erasure_keys
from stationmaster.db.upserts import insert_new
from stationmaster.ids import OrgId

_KEY = "SELECT key FROM erasure_keys WHERE org_id = ?"
_MARKS = "SELECT mark FROM erased_marks WHERE org_id = ?"


class Marks:
    """Of one organization, as of one moment."""

    def __init__(self, org: OrgId, key: bytes, marks: frozenset[str]) -> None:
        """`read` is the way to make one."""
        self._org = org
        self._key = key
        self._marks = marks
        self._asked: dict[tuple[str | None, str | None], bool] = {}

    @property
    def is_any(self) -> bool:
        """Was anybody erased?"""
        return bool(self._marks)

    def has(self, user: str | None, email: str | None = None) -> bool:
        """Was the user with this id, or the one of this address, erased?"""
        if not self._marks:
            return False
        answer = self._asked.get((user, email))
        if answer is None:
            named = {user, ids.user_of_email(self._org, email) if email else None} - {None, ""}
            answer = any(_mark(self._key, str(name)) in self._marks for name in named)
            self._asked[user, email] = answer
        return answer


def read(db: Database, org: str) -> Marks:
    """The marks of an organization as the database has them at this moment."""
    marks = frozenset(mark for (mark,) in db.rows(_MARKS, org))
    [(key,)] = db.rows(_KEY, org) if marks else [(b"",)]
    return Marks(OrgId(org), bytes(key), marks)


def add(connection: Connection, org: OrgId, users: Iterable[str]) -> None:
    """Store nothing of these users from now on."""
    insert_new(connection, erasure_keys, ("org_id", "key"), [(org, secrets.token_bytes(32))])
    key = _key(connection, org)
    assert key is not None
    rows = [(org, _mark(key, user)) for user in sorted(users)]
    insert_new(connection, erased_marks, ("org_id", "mark"), rows)


def lift(connection: Connection, org: OrgId, user: str) -> None:
    """Store the telemetry of a user again, who was invited again."""
    key = _key(connection, org)
    if key is not None:
        connection.execute(delete(erased_marks).filter_by(org_id=org, mark=_mark(key, user)))


def _key(connection: Connection, org: OrgId) -> bytes | None:
    stored = connection.execute(
        select(erasure_keys.c.key).where(erasure_keys.c.org_id == org)
    ).scalar()
    return None if stored is None else bytes(stored)


def _mark(key: bytes, user: str) -> str:
    return hmac.digest(key, user.encode(), "sha256").hex()[:40]
