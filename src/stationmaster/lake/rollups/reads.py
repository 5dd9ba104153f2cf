"""Which days are stored and due, and the documents of a report for readers that can wait."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.rollups.model import Report, StoredDocument

_DOCUMENTS = (
    "SELECT day, body, digest, revision FROM report_documents "
    "WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day"
)
_UNROLLED = (
    "SELECT COUNT(*) FROM lake_days WHERE org_id = ? AND day BETWEEN ? AND ? "
    "AND rolled_at IS NOT NULL AND rolled >= landed"
)


_ROLLED = (
    "SELECT day FROM lake_days WHERE org_id = ? AND day BETWEEN ? AND ? AND rolled_at IS NOT NULL"
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


def rolled_days(db: Database, org: OrgId, first: date, last: date) -> set[date]:
    """The days of a range that have documents, if only of an earlier state of their events."""
    rows = db.rows(_ROLLED, org, first.isoformat(), last.isoformat())
    return {days.parse(day) for (day,) in rows}


def organizations(db: Database) -> list[OrgId]:
    """Every organization with a stored day."""
    return [OrgId(org) for (org,) in db.rows("SELECT DISTINCT org_id FROM lake_days ORDER BY 1")]


def documents(
    db: Database, org: OrgId, report: Report, first: date, last: date
) -> list[StoredDocument]:
    """The documents of one report by day; days without any are left out."""
    rows = db.rows(_DOCUMENTS, org, report, first.isoformat(), last.isoformat())
    return [
        StoredDocument(days.parse(day), bytes(body), bytes(digest), revision)
        for day, body, digest, revision in rows
    ]


def rows_of_days(
    db: Database, items: Iterable[tuple[OrgId, date]]
) -> dict[tuple[OrgId, date], int]:
    """How many events are stored of each day."""
    spans: dict[OrgId, list[date]] = {}
    for org, day in items:
        spans.setdefault(org, []).append(day)
    return {
        (org, day): rows
        for org, some in spans.items()
        for day, rows in entries.rows_by_day(db, org, min(some), max(some)).items()
    }
