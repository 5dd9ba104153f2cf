"""Erasing raw events by policy: only of days that are rolled up, and whose documents stay."""

from __future__ import annotations

import threading
from datetime import date, timedelta

from stationmaster.access import retention as policy
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.rollups import reads
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings


def enforce(
    db: Database, inbox: Inbox, settings: Settings, stop: threading.Event | None = None
) -> list[tuple[OrgId, date]]:
    """Close the days that are older than what each organization keeps, and erase their events.

    Days are closed in order and only when they and all before them are clean, because counting
    one may change later ones. Any number of processes may do this, and die at it. Returns what
    was erased here; raises as Lake does.
    """
    lake = Lake.open(settings)
    erased: list[tuple[OrgId, date]] = []
    for org in reads.organizations(db):
        kept_days = policy.of(db, settings, org).effective_days
        if kept_days is None:
            continue
        _close(db, inbox, org, horizon.oldest_kept(kept_days))
        for day in horizon.to_erase(db, org):
            if stop is not None and stop.is_set():
                return erased
            with db.alone(horizon.ERASING, wait=False) as is_free:
                if not is_free:
                    # A backup copies what its moment counts on; the next round erases.
                    return erased
                horizon.erase(db, lake, org, day)
            erased.append((org, day))
    return erased


def _close(db: Database, inbox: Inbox, org: OrgId, through: date) -> None:
    """Move an organization's horizon as far as its days are clean."""
    closed = horizon.closed_through(db, org)
    if closed is not None and closed >= through:
        return
    if inbox.pending(org, through):
        # Accepted while the day was open, so it counts; the next time finds it landed.
        return
    with db.transaction() as connection:
        # What lands waits for this, so that no day becomes dirty between the look and the closing.
        horizon.hold(connection, [org])
        stay = [day for day in reads.due_days(db, org)[:1] if day <= through]
        if new := horizon.first_new(db, org, through):
            stay.append(new)
        last = min(stay) - timedelta(days=1) if stay else through
        # An installation that has nothing to erase may still get what is old.
        if horizon.to_erase(db, org, last) and (closed is None or last > closed):
            horizon.close(connection, org, last)
