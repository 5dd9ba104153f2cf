"""Reads on the way of a request: what is stored of a range, its bytes, and whether it is current.

A listing carries small bodies with it and only the digests and sizes of large ones, so that a
range of any size is tagged and begun in bounded memory.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

INLINE_BYTES = 16 * 1024
"""Documents up to this size come with the listing; larger ones are read when they are sent."""

_LISTED = f"digest, length(body), CASE WHEN length(body) <= {INLINE_BYTES} THEN body END"

_DOCUMENTS = f"""
SELECT '', day, {_LISTED}, revision FROM report_documents
WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day
"""
_BODIES = """
SELECT digest, body FROM report_documents
WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day
"""
_REVISION = """
SELECT coalesce(max(revision), 0) FROM report_documents
WHERE org_id = ? AND report = 'activity' AND day BETWEEN ? AND ?
"""
_USERS = """
SELECT DISTINCT user_id FROM active_users
WHERE org_id = ? AND user_id > ? AND day BETWEEN ? AND ? ORDER BY user_id LIMIT ?
"""
_USER_DOCUMENTS = f"""
SELECT user_id, day, {_LISTED}, 0 FROM user_documents
WHERE org_id = ? AND user_id > ? AND user_id <= ? AND day BETWEEN ? AND ?
ORDER BY user_id, day
"""
_USER_BODIES = """
SELECT digest, body FROM user_documents
WHERE org_id = ? AND user_id >= ? AND user_id <= ? AND day BETWEEN ? AND ?
ORDER BY user_id, day
"""
# A day that was never stored has no row and so cannot be counted as current.
_CURRENT = """
SELECT count(*) FROM lake_days
WHERE org_id = ? AND day BETWEEN ? AND ? AND rolled_at IS NOT NULL
AND (rolled >= landed OR ? - rolled_at < ? * cost_ms)
"""


class Document(NamedTuple):
    """One stored document. `user_id` is empty but for users' documents; `day` is ISO text.

    `body` is None when it is longer than INLINE_BYTES. A user's document has revision 0.
    """

    user_id: str
    day: str
    digest: bytes
    size: int
    body: bytes | None
    revision: int


def list_documents(
    db: Database, org: OrgId, report: str, first: date, last: date
) -> list[Document]:
    """The documents of one report, by day."""
    found = db.rows(_DOCUMENTS, org, report, first.isoformat(), last.isoformat())
    return [Document(*row) for row in found]


def list_users(
    db: Database, org: OrgId, first: date, last: date, *, after: str, count: int
) -> list[str]:
    """The first users with activity in the range whose id is greater than `after`, by id."""
    found = db.rows(_USERS, org, after, first.isoformat(), last.isoformat(), count)
    return [user for (user,) in found]


def list_user_documents(
    db: Database, org: OrgId, first: date, last: date, *, after: str, through: str
) -> list[Document]:
    """The documents of the users after one id and through another, by user and day."""
    found = db.rows(_USER_DOCUMENTS, org, after, through, first.isoformat(), last.isoformat())
    return [Document(*row) for row in found]


def revision(db: Database, org: OrgId, first: date, last: date) -> int:
    """The highest revision of any day of the range; 0 when none is stored."""
    return int(db.rows(_REVISION, org, first.isoformat(), last.isoformat())[0][0])


def bodies(
    db: Database, org: OrgId, report: str, first: str, last: str
) -> list[tuple[bytes, bytes]]:
    """(digest, body) of one report's documents from one ISO day to another."""
    return [(bytes(d), bytes(b)) for d, b in db.rows(_BODIES, org, report, first, last)]


def user_bodies(
    db: Database, org: OrgId, first: date, last: date, *, users: tuple[str, str]
) -> list[tuple[bytes, bytes]]:
    """(digest, body) of all documents of the users from one id to another, both included."""
    found = db.rows(_USER_BODIES, org, *users, first.isoformat(), last.isoformat())
    return [(bytes(d), bytes(b)) for d, b in found]


def is_current(
    db: Database, org: OrgId, first: date, last: date, *, now_ms: int, rest_factor: int
) -> bool:
    """Does every day of the range have documents that are good enough to answer?

    They are when nothing has landed since, or when the last roll-up is less than `rest_factor`
    times as long ago as it took.
    """
    span = (first.isoformat(), last.isoformat())
    [(current,)] = db.rows(_CURRENT, org, *span, now_ms, rest_factor)
    return bool(current > (last - first).days)
