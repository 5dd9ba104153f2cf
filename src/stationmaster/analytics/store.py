"""Reads of finished documents, each one primary-key range of one organization."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

INLINE_BYTES = 16 * 1024
"""Documents up to this size come with the list; larger ones are read when they are sent."""

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

_FIRST_DAY = "SELECT min(day) FROM lake_days WHERE org_id = ?"
_STANDING = """
SELECT
  (SELECT count(*) FROM report_documents
   WHERE org_id = ? AND report = 'activity' AND day BETWEEN ? AND ?),
  (SELECT count(*) FROM lake_days
   WHERE org_id = ? AND day BETWEEN ? AND ? AND landed > rolled
   AND (rolled_at IS NULL OR ? - rolled_at >= ? * cost_ms))
"""
_ORGANIZATIONS = "SELECT DISTINCT org_id FROM lake_days"


class Document(NamedTuple):
    """One stored document. `user_id` is empty but for `/users`; `day` is ISO text.

    `body` is None when it is longer than INLINE_BYTES.
    """

    user_id: str
    day: str
    digest: bytes
    size: int
    body: bytes | None
    revision: int


def list_documents(db: Database, org: OrgId, report: str, days: DayRange) -> list[Document]:
    """The documents of a report (a `Question.name`), by day."""
    found = db.rows(_DOCUMENTS, org, report, days.first.isoformat(), days.last.isoformat())
    return [Document(*row) for row in found]


def list_users(db: Database, org: OrgId, days: DayRange, after: str, count: int) -> list[str]:
    """The first users with activity in the range whose id is greater than `after`, by id."""
    first, last = days.first.isoformat(), days.last.isoformat()
    return [user for (user,) in db.rows(_USERS, org, after, first, last, count)]


def list_user_documents(
    db: Database, org: OrgId, days: DayRange, after: str, through: str
) -> list[Document]:
    """The documents of the users after one id and through another, by user and day."""
    first, last = days.first.isoformat(), days.last.isoformat()
    return [Document(*row) for row in db.rows(_USER_DOCUMENTS, org, after, through, first, last)]


def revision(db: Database, org: OrgId, days: DayRange) -> int:
    """The highest revision of any day of the range; 0 when none is stored."""
    found = db.rows(_REVISION, org, days.first.isoformat(), days.last.isoformat())
    return int(found[0][0])


def bodies(
    db: Database, org: OrgId, report: str, first: Document, last: Document
) -> Iterator[tuple[bytes, bytes]]:
    """(digest, bytes) of the documents from one to another of the same list."""
    found = db.rows(_BODIES, org, report, first.day, last.day)
    return ((bytes(digest), bytes(body)) for digest, body in found)


def user_bodies(
    db: Database, org: OrgId, days: DayRange, first: Document, last: Document
) -> Iterator[tuple[bytes, bytes]]:
    """(digest, bytes) of all documents of the users from one document's to another's."""
    found = db.rows(
        _USER_BODIES,
        org,
        first.user_id,
        last.user_id,
        days.first.isoformat(),
        days.last.isoformat(),
    )
    return ((bytes(digest), bytes(body)) for digest, body in found)


def first_day(db: Database, org: OrgId) -> date | None:
    """The first UTC day of which anything is stored."""
    text = db.rows(_FIRST_DAY, org)[0][0]
    return None if text is None else date.fromisoformat(text)


def is_rolled_up(db: Database, org: OrgId, days: DayRange, now_ms: int, rest_factor: int) -> bool:
    """Has every day documents, and is none dirty whose last roll-up is `rest_factor` times as
    long ago as it took?"""
    span = (org, days.first.isoformat(), days.last.isoformat())
    rolled, due = db.rows(_STANDING, *span, *span, now_ms, rest_factor)[0]
    return bool(rolled == days.days and not due)


def list_organizations(db: Database) -> list[OrgId]:
    """Every organization that has stored anything."""
    return [org for (org,) in db.rows(_ORGANIZATIONS)]
