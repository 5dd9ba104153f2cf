"""Reads on the way of a request: what is stored of a range, its bytes, and whether it is current.

The rows of a range carry small bodies with them, and only the digests of large ones, so that a
range of any size is tagged and begun in bounded memory. Rows are plain tuples: a page of users
has thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from stationmaster import days
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.model import FACTS_FORM, FACTS_OLDEST

INLINE_BYTES = 16 * 1024
"""Bodies up to this size are read with their row; larger ones are read when they are sent."""

_SMALL_BODY = f"CASE WHEN length(body) <= {INLINE_BYTES} THEN body END"
_OF_REPORT = """ FROM report_documents
WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day"""
_OF_USERS = """ FROM user_documents
WHERE org_id = ? AND user_id > ? AND user_id <= ? AND day BETWEEN ? AND ?
ORDER BY user_id, day"""

_REPORT_ROWS = f"SELECT digest, {_SMALL_BODY}, revision{_OF_REPORT}"
_REPORT_SIZES = f"SELECT day, digest, length(body){_OF_REPORT}"
_REPORT_BODIES = f"SELECT digest, body{_OF_REPORT}"
_USER_ROWS = f"SELECT digest, {_SMALL_BODY}{_OF_USERS}"
_USER_SIZES = f"SELECT user_id, digest, length(body){_OF_USERS}"
_USER_BODIES = f"SELECT digest, body{_OF_USERS}"
_USERS = """
SELECT DISTINCT user_id FROM active_users
WHERE org_id = ? AND user_id > ? AND day BETWEEN ? AND ? ORDER BY user_id LIMIT ?
"""
# Of all reports, because a row of a user takes something from most of them; an index has it all.
_REVISION = """
SELECT coalesce(max(revision), 0) FROM report_documents WHERE org_id = ? AND day BETWEEN ? AND ?
"""
# A day that was never rolled up has no row or no time, and so is not counted as current.
_CURRENT = """FROM lake_days
WHERE org_id = ? AND day BETWEEN ? AND ? AND rolled_at IS NOT NULL
AND (rolled >= landed OR ? - rolled_at < CASE WHEN cost_ms > ? THEN ? * cost_ms ELSE ? END)"""
_STANDING = f"""
SELECT (SELECT min(day) FROM lake_days WHERE org_id = ?),
count(*), count(CASE WHEN rolled >= landed THEN 1 END) {_CURRENT}
"""
# Where the inbox is in the same database, one answer instead of two saves a round trip.
_STANDING_WITH_INBOX = _STANDING.replace(
    "SELECT (", "SELECT EXISTS (SELECT 1 FROM inbox WHERE org_id = ? AND first_day <= ?), (", 1
)
_CURRENT_DAYS = f"SELECT day {_CURRENT}"

_SLICES = "SELECT day, body FROM day_slices WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY day"
# Counted by a version that knew no slices. Days whose events are erased stay as they are.
_UNSLICED_DAYS = """
SELECT day FROM lake_days AS d WHERE org_id = ? AND day BETWEEN ? AND ? AND rolled_at IS NOT NULL
AND NOT EXISTS (
  SELECT 1 FROM day_slices AS s WHERE s.org_id = d.org_id AND s.day = d.day AND s.landed = d.rolled
)
AND NOT EXISTS (
  SELECT 1 FROM lake_horizons AS h WHERE h.org_id = d.org_id AND h.closed_through >= d.day
)
"""

_IS_READ = f"f.form BETWEEN {FACTS_OLDEST} AND {FACTS_FORM}"
_FACTS = f"""
SELECT s.day, s.body, f.body FROM day_slices AS s
INNER JOIN day_facts AS f ON f.org_id = s.org_id AND f.day = s.day AND f.landed = s.landed
WHERE s.org_id = ? AND s.day BETWEEN ? AND ? AND {_IS_READ} ORDER BY s.day
"""
# Counted by a version that knew no facts, or stored them in another form.
_FACTLESS_DAYS = """
SELECT day FROM lake_days AS d WHERE org_id = ? AND day BETWEEN ? AND ? AND rolled_at IS NOT NULL
AND NOT EXISTS (
  SELECT 1 FROM day_facts AS f WHERE f.org_id = d.org_id AND f.day = d.day
  AND f.landed = d.rolled AND f.form BETWEEN ? AND ?
)
AND (? = 0 OR NOT EXISTS (
  SELECT 1 FROM lake_horizons AS h WHERE h.org_id = d.org_id AND h.closed_through >= d.day
))
"""

# What distinguishes two writings of a day: a random number, and what also changed where a
# version wrote it that does not know that number.
_WRITING = "d.published, d.rolled_at, s.landed, length(s.body)"
_WRITINGS = f"""
SELECT s.day, {_WRITING} FROM day_slices AS s
INNER JOIN lake_days AS d ON d.org_id = s.org_id AND d.day = s.day
WHERE s.org_id = ? AND s.day BETWEEN ? AND ? ORDER BY s.day
"""
_WRITINGS_WITH_FACTS = f"""
SELECT s.day, {_WRITING}, length(f.body) FROM day_slices AS s
INNER JOIN lake_days AS d ON d.org_id = s.org_id AND d.day = s.day
INNER JOIN day_facts AS f ON f.org_id = s.org_id AND f.day = s.day AND f.landed = s.landed
WHERE s.org_id = ? AND s.day BETWEEN ? AND ? AND {_IS_READ} ORDER BY s.day
"""
_WRITTEN_SLICES = _WRITINGS.replace("SELECT s.day,", "SELECT s.day, s.body, NULL,", 1)
_WRITTEN_FACTS = _WRITINGS_WITH_FACTS.replace("SELECT s.day,", "SELECT s.day, s.body, f.body,", 1)

ReportRow = tuple[bytes, bytes | None, int]
"""Digest, body (None when it is large), revision."""
UserRow = tuple[bytes, bytes | None]
"""Digest, body (None when it is large)."""
Size = tuple[str, bytes, int]
"""ISO day or user id, digest, bytes of the body."""
Body = tuple[bytes, bytes]
"""Digest, body."""


Writing = tuple[int, ...]
"""What distinguishes two writings of a day's slices and facts."""


class Rest(NamedTuple):
    """How long documents that late data has overtaken still are good enough: for `pause_ms` after
    they were made, and where that took more than `cheap_ms`, for `factor` times as long."""

    now_ms: int
    cheap_ms: int
    factor: int
    pause_ms: int


class RollupProgress(NamedTuple):
    """How far an organization's days are rolled up."""

    first_day: date | None
    """The first day of which anything is stored."""
    current: int
    """Days of the range whose documents are good enough to answer."""
    settled: int
    """Those of them whose documents stay so however much time passes."""
    is_waiting: bool
    """Is anything up to the range's end in the inbox? Reported where that is in the same
    database."""


def report_rows(db: Database, org: OrgId, report: str, first: str, last: str) -> list[ReportRow]:
    """The documents of one report from one ISO day through another, by day."""
    return db.rows(_REPORT_ROWS, org, report, first, last)


def report_sizes(db: Database, org: OrgId, report: str, first: str, last: str) -> list[Size]:
    """The same, without any body."""
    return db.rows(_REPORT_SIZES, org, report, first, last)


def report_bodies(db: Database, org: OrgId, report: str, first: str, last: str) -> list[Body]:
    """The same, with every body."""
    return db.rows(_REPORT_BODIES, org, report, first, last)


def users(db: Database, org: OrgId, after: str, first: str, last: str, count: int) -> list[str]:
    """The first users with activity in the range whose id is greater than `after`, by id."""
    return [user for (user,) in db.rows(_USERS, org, after, first, last, count)]


def user_rows(
    db: Database, org: OrgId, after: str, through: str, first: str, last: str
) -> list[UserRow]:
    """The documents of the users after one id and through another, by user and day."""
    return db.rows(_USER_ROWS, org, after, through, first, last)


def user_sizes(
    db: Database, org: OrgId, after: str, through: str, first: str, last: str
) -> list[Size]:
    """The same, without any body."""
    return db.rows(_USER_SIZES, org, after, through, first, last)


def user_bodies(
    db: Database, org: OrgId, after: str, through: str, first: str, last: str
) -> list[Body]:
    """The same, with every body."""
    return db.rows(_USER_BODIES, org, after, through, first, last)


def slices(db: Database, org: OrgId, first: date, last: date) -> list[tuple[date, bytes]]:
    """The packed slices of the days that have any, by day."""
    rows = db.rows(_SLICES, org, first.isoformat(), last.isoformat())
    return [(days.parse(day), bytes(body)) for day, body in rows]


def unsliced_days(db: Database, org: OrgId, first: date, last: date) -> set[date]:
    """The rolled-up days of a range whose slices are missing or older than their documents."""
    rows = db.rows(_UNSLICED_DAYS, org, first.isoformat(), last.isoformat())
    return {days.parse(day) for (day,) in rows}


def facts(db: Database, org: OrgId, first: date, last: date) -> list[tuple[date, bytes, bytes]]:
    """The packed slices and facts of the days that have both, by day."""
    rows = db.rows(_FACTS, org, first.isoformat(), last.isoformat())
    return [(days.parse(day), bytes(slices), bytes(body)) for day, slices, body in rows]


def writings(
    db: Database, org: OrgId, first: date, last: date, *, with_facts: bool = False
) -> dict[date, Writing]:
    """The days that have slices (and facts), in order, each with what they were written as."""
    span = (first.isoformat(), last.isoformat())
    if with_facts:
        rows = db.rows(_WRITINGS_WITH_FACTS, org, *span)
    else:
        rows = db.rows(_WRITINGS, org, *span)
    return {days.parse(day): tuple(writing) for day, *writing in rows}


def written(
    db: Database, org: OrgId, first: date, last: date, *, with_facts: bool = False
) -> Iterator[tuple[date, Writing, bytes, bytes | None]]:
    """The same with their packed slices (and facts)."""
    span = (first.isoformat(), last.isoformat())
    if with_facts:
        rows = db.rows(_WRITTEN_FACTS, org, *span)
    else:
        rows = db.rows(_WRITTEN_SLICES, org, *span)
    for day, slices, facts, *writing in rows:
        body = None if facts is None else bytes(facts)
        yield days.parse(day), tuple(writing), bytes(slices), body


def stored_bytes(writing: Writing) -> int:
    """How long the bodies of a writing are together."""
    return sum(writing[3:])


def factless_days(
    db: Database, org: OrgId, first: date, last: date, *, only_countable: bool = False
) -> set[date]:
    """The rolled-up days of a range without facts that reports read, those whose events are erased
    included; or those that can be counted again and have no facts of the present form."""
    oldest = FACTS_FORM if only_countable else FACTS_OLDEST
    span = (first.isoformat(), last.isoformat())
    values = (org, *span, oldest, FACTS_FORM, int(only_countable))
    rows = db.rows(_FACTLESS_DAYS, *values)
    return {days.parse(day) for (day,) in rows}


def revision(db: Database, org: OrgId, first: str, last: str) -> int:
    """The highest revision of any report in the range; 0 when none is stored."""
    return int(db.rows(_REVISION, org, first, last)[0][0])


def standing(db: Database, org: OrgId, first: date, last: date, rest: Rest) -> RollupProgress:
    """How far a range is rolled up."""
    span = (first.isoformat(), last.isoformat())
    values = (org, org, *span, *rest)
    if db.dialect == "sqlite":
        [(floor, current, settled)], is_waiting = db.rows(_STANDING, *values), False
    else:
        [row] = db.rows(_STANDING_WITH_INBOX, org, span[1], *values)
        is_waiting, floor, current, settled = row
    first_day = None if floor is None else days.parse(floor)
    return RollupProgress(first_day, current, settled, is_waiting)


def current_days(db: Database, org: OrgId, first: date, last: date, rest: Rest) -> set[date]:
    """The days of the range that `standing` counts as current."""
    span = (first.isoformat(), last.isoformat())
    rows = db.rows(_CURRENT_DAYS, org, *span, *rest)
    return {days.parse(day) for (day,) in rows}
