"""The state of the lake's intake: what waits, what was set aside, what became of every record."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from typing import TypedDict

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import open_database
from stationmaster.settings import Settings

_WAITING = """
SELECT count(*), coalesce(sum(size), 0),
       coalesce(sum(CASE WHEN batch_id LIKE 'corrupt:%' THEN 1 ELSE 0 END), 0)
FROM inbox
"""
_WAITING_IDS = """
SELECT min(id), max(id) FROM inbox WHERE batch_id IS NULL OR batch_id NOT LIKE 'corrupt:%'
"""
_TOTALS = """
SELECT product, source, outcome, sum(count) FROM intake_counts
WHERE org_id = ? GROUP BY product, source, outcome ORDER BY 1, 2, 3
"""


_DROPPED = """
SELECT day, product, outcome, sum(count) FROM intake_counts
WHERE org_id = ? AND day BETWEEN ? AND ?
  AND outcome IN ('unknown_record', 'unknown_source', 'invalid', 'closed_day', 'corrupt')
GROUP BY day, product, outcome ORDER BY 1 DESC, 4 DESC, 2, 3 LIMIT ?
"""


class InboxStatus(TypedDict):
    """Requests that wait for the mover, their compressed bytes, and rows that do not decode."""

    rows: int
    bytes: int
    corrupt_rows: int


def inbox_status(settings: Settings) -> InboxStatus:
    """The inbox as it is now. Raises Unavailable when its database does not answer."""
    with closing(open_database(settings)) as database:
        return waiting(database)


def waiting(inbox: Database) -> InboxStatus:
    """The same of a database that is open."""
    [(rows, size, corrupt)] = inbox.rows(_WAITING)
    return InboxStatus(rows=rows, bytes=int(size), corrupt_rows=int(corrupt))


def waiting_ids(inbox: Database) -> tuple[int | None, int | None]:
    """The ids of the oldest and of the newest row that waits for the mover; ids only grow."""
    [(oldest, newest)] = inbox.rows(_WAITING_IDS)
    return oldest, newest


def intake_totals(db: Database, org: OrgId) -> list[tuple[str, str, str, int]]:
    """(product, source, outcome, records) of everything that landed, in that order."""
    return [
        (product, source, outcome, int(n)) for product, source, outcome, n in db.rows(_TOTALS, org)
    ]


def dropped(
    db: Database, org: OrgId, first: date, last: date, count: int
) -> list[tuple[str, str, str, int]]:
    """(day of receipt, product, reason, records) of what should have been kept, newest day first.

    What is left out by design, because no report needs it, is not among them.
    """
    rows = db.rows(_DROPPED, org, first.isoformat(), last.isoformat(), count)
    return [(day, product, reason, int(n)) for day, product, reason, n in rows]
