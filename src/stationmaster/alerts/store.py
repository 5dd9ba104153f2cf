"""Every query of alerts, destinations and deliveries but those of raising and of the queue."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select, update

from stationmaster.alerts import model
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
"""No identifier is later."""
_ALERT = tuple(alerts.c[name] for name in model.Alert.__struct_fields__)
_DELIVERY = tuple(alert_deliveries.c[name] for name in model.Delivery.__struct_fields__)
_NAMES = {"address": "shown_address"}
_DESTINATION = tuple(
    alert_destinations.c[_NAMES.get(name, name)] for name in model.Destination.__struct_fields__
)
_ATTEMPTS = """
SELECT started_at, ended_at, status, error FROM alert_attempts
WHERE org_id = ? AND delivery_id = ? ORDER BY attempt_id
"""


def alert(connection: Connection, org: OrgId, alert_id: str) -> model.Alert | None:
    """An alert by its id; None where the organization has no such alert."""
    query = select(*_ALERT).filter_by(org_id=org, alert_id=alert_id)
    row = connection.execute(query).first()
    return None if row is None else _alert(row)


def alerts_page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None,
    kind: model.Kind | None,
    person: str | None,
    is_open: bool | None,
    since: int | None,
) -> list[model.Alert]:
    """At most `limit`, newest first: those older than `before`; of a kind, about a person, raised
    at `since` or later, and open (not resolved) or not, where given.
    """
    query = select(*_ALERT).where(
        alerts.c.org_id == org, alerts.c.alert_id < (before or _AFTER_ALL)
    )
    if kind is not None:
        query = query.where(alerts.c.kind == kind)
    if person is not None:
        query = query.where(alerts.c.person_id == person)
    if is_open is not None:
        resolved = alerts.c.resolved_at
        query = query.where(resolved.is_(None) if is_open else resolved.is_not(None))
    if since is not None:
        query = query.where(alerts.c.raised_at >= since)
    with db.reading() as connection:
        newest = query.order_by(alerts.c.alert_id.desc()).limit(limit)
        return [_alert(row) for row in connection.execute(newest)]


def destination(
    connection: Connection, org: OrgId, destination_id: str
) -> model.Destination | None:
    """A destination by its id; None where the organization has no such destination."""
    row = connection.execute(
        select(*_DESTINATION).filter_by(org_id=org, destination_id=destination_id)
    ).first()
    return None if row is None else _destination(row)


def destinations(connection: Connection, org: OrgId) -> list[model.Destination]:
    """Oldest first."""
    rows = connection.execute(
        select(*_DESTINATION).filter_by(org_id=org).order_by(alert_destinations.c.destination_id)
    )
    return [_destination(row) for row in rows]


def sealed(
    connection: Connection, org: OrgId, destination_id: str
) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Address, secret and previous secret."""
    columns = alert_destinations.c
    row = connection.execute(
        select(columns.sealed_address, columns.sealed_secret, columns.sealed_previous).filter_by(
            org_id=org, destination_id=destination_id
        )
    ).one()
    return row[0], row[1], row[2]


def set_destination(
    connection: Connection, org: OrgId, destination_id: str, **changed: Any
) -> None:
    """Change columns of a destination."""
    connection.execute(
        update(alert_destinations)
        .filter_by(org_id=org, destination_id=destination_id)
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
        delete(alert_destinations).filter_by(org_id=org, destination_id=destination_id)
    )


def delivery(connection: Connection, org: OrgId, delivery_id: str) -> model.Delivery | None:
    """A delivery by its id; None where the organization has no such delivery."""
    row = connection.execute(
        select(*_DELIVERY).filter_by(org_id=org, delivery_id=delivery_id)
    ).first()
    return None if row is None else model.Delivery(*row)


def existing_delivery(connection: Connection, org: OrgId, delivery_id: str) -> model.Delivery:
    """Raises NotFound."""
    delivery_row = delivery(connection, org, delivery_id)
    if delivery_row is None:
        raise NotFound("There is no such delivery.")
    return delivery_row


def deliveries_page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None = None,
    destination_id: str | None = None,
    alert_id: str | None = None,
    state: model.DeliveryState | None = None,
) -> list[model.Delivery]:
    """At most `limit`, newest first: those older than `before`, with the values given."""
    columns = alert_deliveries.c
    query = select(*_DELIVERY).where(
        columns.org_id == org, columns.delivery_id < (before or _AFTER_ALL)
    )
    for column, value in (
        (columns.destination_id, destination_id),
        (columns.alert_id, alert_id),
        (columns.state, state),
    ):
        if value is not None:
            query = query.where(column == value)
    with db.reading() as connection:
        newest = query.order_by(columns.delivery_id.desc()).limit(limit)
        return [model.Delivery(*row) for row in connection.execute(newest)]


def delivery_with_attempts(
    db: Database, org: OrgId, delivery_id: str
) -> tuple[model.Delivery, list[model.Attempt]]:
    """Raises NotFound."""
    with db.reading() as connection:
        delivery_row = existing_delivery(connection, org, delivery_id)
    return delivery_row, attempts(db, org, delivery_id)


def attempts(db: Database, org: OrgId, delivery_id: str) -> list[model.Attempt]:
    """Oldest first."""
    return [model.Attempt(*row) for row in db.rows(_ATTEMPTS, org, delivery_id)]


def _alert(row: Any) -> model.Alert:
    fields = dict(zip(model.Alert.__struct_fields__, row, strict=True))
    return model.Alert(**{**fields, "data": _data(fields["data"])})


def _data(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        # The erasure of a person replaces text in every place.
        return {}


def _destination(row: Any) -> model.Destination:
    fields = dict(zip(model.Destination.__struct_fields__, row, strict=True))
    return model.Destination(
        **{
            **fields,
            "kinds": tuple(fields["kinds"].split()),
            "recipients": tuple(filter(None, fields["recipients"].split("\n"))),
        }
    )
