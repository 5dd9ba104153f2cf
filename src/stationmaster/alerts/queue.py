"""Deliveries that wait, of all organizations: taking one, noting what became of it, replaying.

Who takes a delivery moves its `due_at` to the end of a lease, in one conditional statement. So one
process at a time sends it, and where that process dies another one sends it again after the lease,
under the same id.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from stationmaster import clock, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.alerts import destinations, store
from stationmaster.alerts.model import Delivery, DeliveryState
from stationmaster.alerts.sending import AttemptOutcome
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import alert_attempts, alert_deliveries

LEASE_MS = 120_000
"""Longer than an attempt takes: 20 s for HTTP, as much for mail, and looking up a name."""
HORIZON_MS = 3 * 24 * 3_600_000
"""No wait is as long; what is due later was noted under a clock that was wrong."""
REPLAYED_MAX = 1_000
REPLAYED = "alert_deliveries_replayed"
"""The event in the audit log."""

_DUE = """
SELECT org_id, destination_id, MIN(due_at) FROM alert_deliveries
WHERE state = 'waiting' AND (due_at <= ? OR due_at > ?)
GROUP BY org_id, destination_id ORDER BY 3, 2
"""
_NEXT = """
SELECT delivery_id FROM alert_deliveries
WHERE org_id = ? AND destination_id = ? AND state = 'waiting' AND (due_at <= ? OR due_at > ?)
ORDER BY due_at, delivery_id LIMIT 1
"""


class Taken(NamedTuple):
    """A delivery that this process sends now, and the attempt that it is."""

    org: ids.OrgId
    delivery: Delivery
    attempt_id: str


def due(db: Database) -> list[tuple[ids.OrgId, str]]:
    """Organization and destination of all deliveries that are due, the longest due first."""
    now = clock.now_ms()
    return [(ids.OrgId(org), place) for org, place, _ in db.rows(_DUE, now, now + HORIZON_MS)]


def take(db: Database, org: ids.OrgId, destination_id: str) -> Taken | None:
    """The longest due delivery of a destination; None where there is none any more, or another
    process was faster, or the destination asked for a pause.
    """
    now = clock.now_ms()
    [*row] = db.rows(_NEXT, org, destination_id, now, now + HORIZON_MS)
    if not row:
        return None
    columns, delivery_id, attempt_id = alert_deliveries.c, row[0][0], ids.new_sortable("try")
    with db.transaction() as connection:
        destination = store.destination(connection, org, destination_id)
        paused = (destination and destination.paused_until) or 0
        if now < paused <= now + HORIZON_MS:
            postpone(connection, org, destination_id, paused)
            return None
        taken = connection.execute(
            update(alert_deliveries)
            .filter_by(org_id=org, delivery_id=delivery_id, state="waiting")
            .where((columns.due_at <= now) | (columns.due_at > now + HORIZON_MS))
            .values(due_at=now + LEASE_MS, attempts=columns.attempts + 1)
            .returning(columns.delivery_id)
        ).first()
        if taken is None:
            return None
        connection.execute(
            insert(alert_attempts).values(
                org_id=org, delivery_id=delivery_id, attempt_id=attempt_id, started_at=now
            )
        )
        return Taken(org, store.existing_delivery(connection, org, delivery_id), attempt_id)


def note_attempt(connection: Connection, taken: Taken, outcome: AttemptOutcome) -> None:
    """End an attempt in the log."""
    connection.execute(
        update(alert_attempts)
        .filter_by(
            org_id=taken.org, delivery_id=taken.delivery.delivery_id, attempt_id=taken.attempt_id
        )
        .values(ended_at=clock.now_ms(), status=outcome.status, error=outcome.error)
    )


def finish(connection: Connection, taken: Taken, state: DeliveryState) -> None:
    """End a delivery in a state, unless it was taken off the queue meanwhile."""
    _set(connection, taken, state=state, finished_at=clock.now_ms())


def wait_until(connection: Connection, taken: Taken, due_at: int) -> None:
    """Have a delivery tried again, unless it was taken off the queue meanwhile."""
    _set(connection, taken, due_at=due_at)


def _set(connection: Connection, taken: Taken, **values: object) -> None:
    # Of two processes that both hold it, because a lease ran out, the newer one's word counts.
    connection.execute(
        update(alert_deliveries)
        .filter_by(
            org_id=taken.org,
            delivery_id=taken.delivery.delivery_id,
            state="waiting",
            attempts=taken.delivery.attempts,
        )
        .values(**values)
    )


def postpone(connection: Connection, org: ids.OrgId, destination_id: str, until: int) -> None:
    """Send nothing to a destination before a time."""
    store.set_destination(connection, org, destination_id, paused_until=until)
    columns = alert_deliveries.c
    connection.execute(
        update(alert_deliveries)
        .filter_by(org_id=org, destination_id=destination_id, state="waiting")
        .where(columns.due_at < until)
        .values(due_at=until)
    )


def replay(db: Database, caller: Caller, delivery_id: str) -> Delivery:
    """Send a delivery again, under the same id and from the first wait on.

    Raises NotFound, Conflict (`disabled`) where its destination is.
    """
    org = caller.org_id
    with db.transaction() as connection:
        delivery = store.existing_delivery(connection, org, delivery_id)
        destinations.check_enabled(destinations.existing(connection, org, delivery.destination_id))
        _replay(connection, org, [delivery_id])
        place = delivery.destination_id
        audit.note(connection, caller, REPLAYED, destinations.TARGET, place, count=1)
        return store.existing_delivery(connection, org, delivery_id)


def replay_since(
    db: Database,
    caller: Caller,
    destination_id: str,
    since: int,
    states: Collection[DeliveryState] = ("failed", "delivered"),
) -> int:
    """Send again what was created for a destination at `since` (UTC milliseconds) or later; how
    many, at most REPLAYED_MAX, oldest first. Raises as `replay`.
    """
    org, columns = caller.org_id, alert_deliveries.c
    with db.transaction() as connection:
        destinations.check_enabled(destinations.existing(connection, org, destination_id))
        query = (
            select(columns.delivery_id)
            .filter_by(org_id=org, destination_id=destination_id)
            .where(columns.created_at >= since, columns.state.in_(states))
            .order_by(columns.delivery_id)
            .limit(REPLAYED_MAX)
        )
        chosen = list(connection.execute(query).scalars())
        _replay(connection, org, chosen)
        payload = {"count": len(chosen), "since": since}
        audit.note(connection, caller, REPLAYED, destinations.TARGET, destination_id, **payload)
        return len(chosen)


def _replay(connection: Connection, org: ids.OrgId, delivery_ids: Collection[str]) -> None:
    columns = alert_deliveries.c
    connection.execute(
        update(alert_deliveries)
        .where(
            columns.org_id == org,
            columns.delivery_id.in_(delivery_ids),
            columns.state != "waiting",
        )
        .values(state="waiting", attempts=0, due_at=clock.now_ms(), finished_at=None)
    )


def waiting(db: Database) -> tuple[int, int | None]:
    """How many deliveries wait in the installation, and since when the oldest one does."""
    [(count, oldest)] = db.rows(
        "SELECT COUNT(*), MIN(created_at) FROM alert_deliveries WHERE state = 'waiting'"
    )
    return count, oldest
