"""What is kept of each day about its sources: what events lack, and where sources disagree."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, delete, insert

from stationmaster.db.engine import Database
from stationmaster.db.tables.coverage import day_quality, source_comparisons
from stationmaster.ids import OrgId

SESSIONS_KEPT = 3
"""The worst sessions of a comparison, by a day or by a range."""


class Quality(NamedTuple):
    """How many events of an agent lack what reports are broken down by.

    `events` are model calls, tool calls and messages, `calls` the tool calls among them; of
    `clock_skew` is every event whose time could not be true.
    """

    product: str
    events: int
    without_session: int
    without_repository: int
    without_client: int
    calls: int
    without_autonomy: int
    clock_skew: int


class SessionCoverage(NamedTuple):
    """What a source reported of one session, and what was counted."""

    session_id: str
    told: int
    counted: int

    def place(self) -> tuple[int, str]:
        """Sorts the largest difference first."""
        return -abs(self.told - self.counted), self.session_id


class Comparison(NamedTuple):
    """What a source reported, in one figure, of the sessions that others reported, too.

    `differing` of `sessions` are not as counted; `difference` adds up by how much each is off,
    `flagged` is the part of it that the source announces: estimates, and figures too low.
    """

    product: str
    source: str
    figure: str
    sessions: int
    differing: int
    told: int
    counted: int
    difference: int
    flagged: int
    worst: list[SessionCoverage]

    @property
    def share(self) -> float:
        """The unannounced part of the difference, of what was counted."""
        return round((self.difference - self.flagged) / max(self.counted, 1), 4)


class Coverage(NamedTuple):
    """How complete one day's events are by agent, and how its sources compare."""

    quality: list[Quality]
    comparisons: list[Comparison]

    def replace(self, connection: Connection, org: OrgId, day: date) -> None:
        """Make this what is kept of a day."""
        key = {"org_id": org, "day": day.isoformat()}
        for table, rows in (
            (day_quality, [quality._asdict() for quality in self.quality]),
            (source_comparisons, [_stored(comparison) for comparison in self.comparisons]),
        ):
            connection.execute(
                delete(table).where(table.c.org_id == org, table.c.day == key["day"])
            )
            if rows:
                connection.execute(insert(table), [key | row for row in rows])


def _stored(comparison: Comparison) -> dict[str, object]:
    worst = msgspec.json.encode(comparison.worst).decode()
    return {**comparison._asdict(), "worst": worst}


_QUALITY = f"""
SELECT product, {", ".join(f"SUM({name})" for name in Quality._fields[1:])} FROM day_quality
WHERE org_id = ? AND day BETWEEN ? AND ? GROUP BY product ORDER BY product
"""
_COMPARISONS = f"""
SELECT {", ".join(Comparison._fields)} FROM source_comparisons
WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY product, source, figure, day
"""
_SKEW = """
SELECT day, product, clock_skew FROM day_quality
WHERE org_id = ? AND day BETWEEN ? AND ? AND clock_skew > 0 ORDER BY day DESC, product
"""


def quality(db: Database, org: OrgId, first: date, last: date) -> list[Quality]:
    """By agent, over the closed days of a range."""
    rows = db.rows(_QUALITY, org, first.isoformat(), last.isoformat())
    return [Quality(product, *map(int, figures)) for product, *figures in rows]


def skewed(db: Database, org: OrgId, first: date, last: date) -> list[tuple[str, str, int]]:
    """(day, agent, events) of senders' clocks that were wrong, newest day first."""
    rows = db.rows(_SKEW, org, first.isoformat(), last.isoformat())
    return [(day, product, int(events)) for day, product, events in rows]


def comparisons(db: Database, org: OrgId, first: date, last: date) -> list[Comparison]:
    """By agent, source and figure, over the closed days of a range."""
    by_source: dict[tuple[str, str, str], Comparison] = {}
    for product, source, figure, *figures, worst in db.rows(
        _COMPARISONS, org, first.isoformat(), last.isoformat()
    ):
        of_day = msgspec.json.decode(worst, type=list[SessionCoverage])
        comparison = by_source.get((product, source, figure))
        if comparison is not None:
            figures = [a + b for a, b in zip(comparison[3:9], figures, strict=True)]
            of_day = sorted(comparison.worst + of_day, key=SessionCoverage.place)[:SESSIONS_KEPT]
        row = (product, source, figure, *figures, of_day)
        by_source[product, source, figure] = Comparison._make(row)
    return list(by_source.values())
