"""Every query of alerts, destinations and deliveries but those of raising and of the queue."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select, update

from stationmaster.alerts.model import (
    Alert,
    Attempt,
    Delivery,
    DeliveryState,
    Destination,
    Kind,
)
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import (
    alert_attempts,
    alert_deliveries,
    alert_destinations,
    alerts,
)
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId

_AFTER_ALL = "~"
"""No identifier comes later."""
_ALERT = tuple(alerts.c[name] for name in Alert.__struct_fields__)
_DELIVERY = tuple(alert_deliveries.c[name] for name in Delivery.__struct_fields__)
_NAMES = {"address": "shown_address"}
_DESTINATION = tuple(
    alert_destinations.c[_NAMES.get(name, name)] for name in Destination.__struct_fields__
)
_ATTEMPTS = """
SELECT started_at, ended_at, status, error FROM alert_attempts
WHERE org_id = ? AND delivery_id = ? ORDER BY attempt_id
"""


def alert(connection: Connection, org: OrgId, alert_id: str) -> Alert | None:
    """An alert by its id; None where the organization has no such alert."""
    wanted = select(*_ALERT).where(alerts.c.org_id == org, alerts.c.alert_id == alert_id)
    row = connection.execute(wanted).first()
    return None if row is None else _alert(row)


def alerts_page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None,
    kind: Kind | None,
    person: str | None,
    is_open: bool | None,
    since: int | None,
) -> list[Alert]:
    """At most `limit`, newest first: those older than `before`; of a kind, about a person, raised
    at `since` or later, and open (not resolved) or not, where given.
    """
    wanted = select(*_ALERT).where(
        alerts.c.org_id == org, alerts.c.alert_id < (before or _AFTER_ALL)
    )
    if kind is not None:
        wanted = wanted.where(alerts.c.kind == kind)
    if person is not None:
        wanted = wanted.where(alerts.c.person_id == person)
    if is_open is not None:
        resolved = alerts.c.resolved_at
        wanted = wanted.where(resolved.is_(None) if is_open else resolved.is_not(None))
    if since is not None:
        wanted = wanted.where(alerts.c.raised_at >= since)
    with db.reading() as connection:
        newest = wanted.order_by(alerts.c.alert_id.desc()).limit(limit)
        return [_alert(row) for row in connection.execute(newest)]


def destination(connection: Connection, org: OrgId, destination_id: str) -> Destination | None:
    """A destination by its id; None where the organization has no such destination."""
    row = connection.execute(
        select(*_DESTINATION).where(
            alert_destinations.c.org_id == org,
            alert_destinations.c.destination_id == destination_id,
        )
    ).first()
    return None if row is None else _destination(row)


def destinations(connection: Connection, org: OrgId) -> list[Destination]:
    """Oldest first."""
    rows = connection.execute(
        select(*_DESTINATION)
        .where(alert_destinations.c.org_id == org)
        .order_by(alert_destinations.c.destination_id)
    )
    return [_destination(row) for row in rows]


def sealed(
    connection: Connection, org: OrgId, destination_id: str
) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Address, secret and previous secret."""
    columns = alert_destinations.c
    row = connection.execute(
        select(columns.sealed_address, columns.sealed_secret, columns.sealed_previous).where(
            columns.org_id == org, columns.destination_id == destination_id
        )
    ).one()
    return row[0], row[1], row[2]


def set_destination(
    connection: Connection, org: OrgId, destination_id: str, **changed: Any
) -> None:
    """Change columns of a destination."""
    connection.execute(
        update(alert_destinations)
        .where(
            alert_destinations.c.org_id == org,
            alert_destinations.c.destination_id == destination_id,
        )
        .values(**changed)
    )


def delete_destination(connection: Connection, org: OrgId, destination_id: str) -> None:
    """Delete a destination with its deliveries and their attempts."""
    mine = (
        alert_deliveries.c.org_id == org,
        alert_deliveries.c.destination_id == destination_id,
    )
    connection.execute(
        delete(alert_attempts).where(
            alert_attempts.c.org_id == org,
            alert_attempts.c.delivery_id.in_(select(alert_deliveries.c.delivery_id).where(*mine)),
        )
    )
    connection.execute(delete(alert_deliveries).where(*mine))
    connection.execute(
        delete(alert_destinations).where(
            alert_destinations.c.org_id == org,
            alert_destinations.c.destination_id == destination_id,
        )
    )


def delivery(connection: Connection, org: OrgId, delivery_id: str) -> Delivery | None:
    """A delivery by its id; None where the organization has no such delivery."""
    row = connection.execute(
        select(*_DELIVERY).where(
            alert_deliveries.c.org_id == org, alert_deliveries.c.delivery_id == delivery_id
        )
    ).first()
    return None if row is None else Delivery(*row)


def existing_delivery(connection: Connection, org: OrgId, delivery_id: str) -> Delivery:
    """Raises NotFound."""
    found = delivery(connection, org, delivery_id)
    if found is None:
        raise NotFound("There is no such delivery.")
    return found


def deliveries_page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None,
    destination_id: str | None,
    alert_id: str | None,
    state: DeliveryState | None,
) -> list[Delivery]:
    """At most `limit`, newest first: those older than `before`, with the values given."""
    columns = alert_deliveries.c
    wanted = select(*_DELIVERY).where(
        columns.org_id == org, columns.delivery_id < (before or _AFTER_ALL)
    )
    for column, value in (
        (columns.destination_id, destination_id),
        (columns.alert_id, alert_id),
        (columns.state, state),
    ):
        if value is not None:
            wanted = wanted.where(column == value)
    with db.reading() as connection:
        newest = wanted.order_by(columns.delivery_id.desc()).limit(limit)
        return [Delivery(*row) for row in connection.execute(newest)]


def delivery_with_attempts(
    db: Database, org: OrgId, delivery_id: str
) -> tuple[Delivery, list[Attempt]]:
    """Raises NotFound."""
    with db.reading() as connection:
        found = existing_delivery(connection, org, delivery_id)
    return found, attempts(db, org, delivery_id)


def attempts(db: Database, org: OrgId, delivery_id: str) -> list[Attempt]:
    """Oldest first."""
    return [Attempt(*row) for row in db.rows(_ATTEMPTS, org, delivery_id)]


def _alert(row: Any) -> Alert:
    fields = dict(zip(Alert.__struct_fields__, row, strict=True))
    return Alert(**{**fields, "data": _data(fields["data"])})


def _data(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        # The erasure of a person replaces text wherever it stands.
        return {}


def _destination(row: Any) -> Destination:
    fields = dict(zip(Destination.__struct_fields__, row, strict=True))
    return Destination(
        **{
            **fields,
            "kinds": tuple(fields["kinds"].split()),
            "recipients": tuple(filter(None, fields["recipients"].split("\n"))),
        }
    )
