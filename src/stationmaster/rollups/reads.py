"""Reading finished documents: every read is one range of a primary key, or of one index."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.rollups.model import Report, StoredDocument, StoredUser

_DOCUMENTS = (
    "SELECT day, body, digest, revision FROM report_documents "
    "WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day"
)
_USERS = (
    "SELECT user_id, day, body, digest FROM user_documents "
    "WHERE org_id = ? AND user_id BETWEEN ? AND ? AND day BETWEEN ? AND ? ORDER BY user_id, day"
)
_ALL_USERS = (
    "SELECT user_id, day, body, digest FROM user_documents "
    "WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY user_id, day"
)
_PAGE = (
    "SELECT DISTINCT user_id FROM active_users "
    "WHERE org_id = ? AND user_id > ? AND day BETWEEN ? AND ? ORDER BY user_id LIMIT ?"
)
_UNROLLED = (
    "SELECT COUNT(*) FROM lake_days WHERE org_id = ? AND day BETWEEN ? AND ? "
    "AND rolled_at IS NOT NULL AND rolled >= landed"
)


def first_day(db: Database, org: OrgId) -> date | None:
    """The first day of which anything was stored; None while there is none."""
    [(day,)] = db.rows("SELECT MIN(day) FROM lake_days WHERE org_id = ?", org)
    return None if day is None else days.parse(day)


def is_due(db: Database, org: OrgId, first: date, last: date) -> bool:
    """Does any closed day of a range lack documents, or hold older ones than its events?"""
    stored = first_day(db, org)
    if stored is None:
        return False
    first, last = max(first, stored), min(last, clock.today() - timedelta(days=1))
    if first > last:
        return False
    [(rolled,)] = db.rows(_UNROLLED, org, first.isoformat(), last.isoformat())
    return bool(rolled <= (last - first).days)


def due_days(db: Database, org: OrgId) -> list[date]:
    """The closed days since the first stored one that have to be rolled up, in order."""
    stored = first_day(db, org)
    if stored is None:
        return []
    last = clock.today() - timedelta(days=1)
    done = {
        day
        for (day,) in db.rows(
            "SELECT day FROM lake_days WHERE org_id = ? "
            "AND rolled_at IS NOT NULL AND rolled >= landed",
            org,
        )
    }
    return [day for day in days.span(stored, last) if day.isoformat() not in done]


def organizations(db: Database) -> list[OrgId]:
    """Every organization with a stored day."""
    return [OrgId(org) for (org,) in db.rows("SELECT DISTINCT org_id FROM lake_days ORDER BY 1")]


def documents(
    db: Database, org: OrgId, report: Report, first: date, last: date
) -> list[StoredDocument]:
    """The documents of one report by day; days without any are left out."""
    rows = db.rows(_DOCUMENTS, org, report, first.isoformat(), last.isoformat())
    return [_document(*row) for row in rows]


def documents_stream(
    db: Database, org: OrgId, report: Report, first: date, last: date
) -> Iterator[StoredDocument]:
    """The same, one at a time."""
    for row in db.stream(_DOCUMENTS, org, report, first.isoformat(), last.isoformat()):
        yield _document(*row)


def users_page(
    db: Database, org: OrgId, first: date, last: date, cursor: str | None, limit: int
) -> tuple[list[StoredUser], str | None]:
    """The documents of the `limit` users after `cursor`, by user and day, and the next cursor.

    A user's days are never split; the cursor is None after the last user.
    """
    span = (first.isoformat(), last.isoformat())
    users = [user for (user,) in db.rows(_PAGE, org, cursor or "", *span, limit + 1)]
    if not users:
        return [], None
    page = users[:limit]
    rows = db.rows(_USERS, org, page[0], page[-1], *span)
    return [_user(*row) for row in rows], page[-1] if len(users) > limit else None


def users_stream(db: Database, org: OrgId, first: date, last: date) -> Iterator[StoredUser]:
    """Every user's documents of a range, by user and day, one at a time."""
    for row in db.stream(_ALL_USERS, org, first.isoformat(), last.isoformat()):
        yield _user(*row)


def _document(day: str, body: bytes, digest: bytes, revision: int) -> StoredDocument:
    return StoredDocument(days.parse(day), bytes(body), bytes(digest), revision)


def _user(user: str, day: str, body: bytes, digest: bytes) -> StoredUser:
    return StoredUser(user, days.parse(day), bytes(body), bytes(digest))
