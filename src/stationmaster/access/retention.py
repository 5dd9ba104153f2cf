"""How many closed days of raw events an organization keeps: its own number, within the operator's.

What erases them is `aggregate/retention.py`; figures of erased days stay.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, select

from stationmaster.access import change_rules
from stationmaster.access.audit import note
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organization_retention
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

DAYS_MIN = 7
"""A late event counts only while its day keeps its events. A week is enough for laptops that were
off over a weekend, and for the days before that budgets count again."""
DAYS_MAX = 36_500
_OF = "SELECT days FROM organization_retention WHERE org_id = ?"


class Retention(NamedTuple):
    """Numbers of closed days; None is no number of one's own, or that all days are kept."""

    days: int | None
    """The organization's own number."""
    operator_days: int | None

    @property
    def effective_days(self) -> int | None:
        """The shorter one of both, whatever was set first; None keeps all events."""
        return min((n for n in self if n is not None), default=None)


def of(db: Database, settings: Settings, org: OrgId) -> Retention:
    """What holds now."""
    rows = db.rows(_OF, org)
    return Retention(int(rows[0][0]) if rows else None, settings.raw_events_days)


def check(settings: Settings, days: int | None) -> Retention:
    """What would hold with a number of days. Raises BadRequest for one that no organization of this
    installation may set: fewer than DAYS_MIN, or more than the operator keeps."""
    operator_days = settings.raw_events_days
    days_max = DAYS_MAX if operator_days is None else operator_days
    if days is None or DAYS_MIN <= days <= days_max:
        return Retention(days, operator_days)
    if days_max < DAYS_MIN:
        reason = f"The operator keeps raw events for {days_max} days, which cannot be shortened."
    elif operator_days is None:
        reason = f"Raw events are kept for a whole number of days from {DAYS_MIN} to {DAYS_MAX}."
    else:
        reason = (
            f"Raw events are kept for a whole number of days from {DAYS_MIN} to {days_max}, "
            "which is what the operator has set."
        )
    raise BadRequest(reason, code="invalid_retention")


def put(db: Database, settings: Settings, org: OrgId, days: int | None, *, by: Caller) -> Retention:
    """Set the organization's own number, or with None leave it to the operator.

    It holds from the next round of erasing on; what is erased stays erased. Raises as `check` does.
    """
    after = check(settings, days)
    table = organization_retention
    with db.transaction() as connection:
        change_rules.lock(connection, org)
        before = connection.execute(select(table.c.days).where(table.c.org_id == org)).scalar()
        if before == days:
            return after
        connection.execute(delete(table).where(table.c.org_id == org))
        if days is not None:
            connection.execute(db.insert(table).values(org_id=org, days=days))
        payload = {"days": days, "previous_days": before}
        note(connection, by, "retention_changed", "organization", org, **payload)
    return after
