"""Raising an alert and resolving it, within the transaction that finds its cause or its end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from stationmaster import clock, ids
from stationmaster.alerts.model import Audience, Event, Format, Kind
from stationmaster.db.tables.alerts import alert_deliveries, alert_destinations, alerts
from stationmaster.ids import OrgId

TITLE_MAX, BODY_MAX = 200, 2_000
DATA_MAX = 6_000
"""Bytes of `data` as JSON. With the texts, a webhook stays far below 20 KB."""
RESOLVING: frozenset[Format] = frozenset({"webhook", "alertmanager"})
"""Formats that get a message when an alert is resolved; people are not."""
PERSON = "{person}"
"""The placeholder in title and body of the person that an alert is about; see `texts.shown`."""
_TO_PERSON = "person"
"""The placeholder for the recipient that an alert is about."""
_OWN_DEEDS: frozenset[Kind] = frozenset({"limit.request"})
"""Kinds that the person that they are about has caused by asking, and needs no message about."""


def raise_alert(
    connection: Connection,
    org: OrgId,
    kind: Kind,
    key: str,
    title: str,
    body: str,
    data: dict[str, Any],
    *,
    person: str | None = None,
    until: int | None = None,
) -> bool:
    """Store an alert and its deliveries; False, and nothing changes, where `key` was raised before.

    `key` holds what the alert is about and its period, such as `bud_1 2026-11-01 80`. `person` is
    the id of a member that the alert is about: title and body write `{person}` (PERSON) in
    that person's place, and `data` names no person, for it is shown to everybody. `until` is when
    the cause ends by itself, in UTC milliseconds. Texts are cut, and characters that do not print
    become spaces; larger data are left out.
    """
    alert_id = store_alert(
        connection, org, kind, key, title, body, data, person=person, until=until
    )
    if alert_id is None:
        return False
    for destination_id, audience in _wanting(connection, org, kind, "raised", person):
        add_delivery(connection, org, alert_id, destination_id, "raised", audience)
    return True


def store_alert(
    connection: Connection,
    org: OrgId,
    kind: Kind,
    key: str,
    title: str,
    body: str,
    data: dict[str, Any],
    *,
    person: str | None = None,
    until: int | None = None,
) -> str | None:
    """`raise_alert` without deliveries: the id of the new alert, None where it is not new."""
    encoded = msgspec.json.encode(data)
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    stored = connection.execute(
        dialect.insert(alerts)
        .values(
            org_id=org,
            alert_id=ids.new_sortable("alert"),
            kind=kind,
            digest=digest_of(key),
            title=_cut(title, TITLE_MAX),
            body=_cut(body, BODY_MAX),
            data=encoded.decode() if len(encoded) <= DATA_MAX else "{}",
            person_id=person,
            raised_at=clock.now_ms(),
            until=until,
        )
        .on_conflict_do_nothing(index_elements=["org_id", "kind", "digest"])
        .returning(alerts.c.alert_id)
    ).first()
    return None if stored is None else str(stored.alert_id)


def resolve_alert(connection: Connection, org: OrgId, kind: Kind, digest: str) -> bool:
    """Note that the cause of an alert has ended, named by the digest of its key; False where it was
    not raised, or is resolved."""
    resolved = connection.execute(
        update(alerts)
        .filter_by(org_id=org, kind=kind, digest=digest, resolved_at=None)
        .values(resolved_at=clock.now_ms())
        .returning(alerts.c.alert_id)
    ).first()
    if resolved is None:
        return False
    for destination_id, audience in _wanting(connection, org, kind, "resolved", None):
        add_delivery(connection, org, resolved.alert_id, destination_id, "resolved", audience)
    return True


def add_delivery(
    connection: Connection,
    org: OrgId,
    alert_id: str,
    destination_id: str,
    event: Event,
    audience: Audience,
) -> str:
    """Have an alert sent to a destination; the id of the delivery, which is its `webhook-id`."""
    delivery_id, now = ids.new_sortable("msg"), clock.now_ms()
    connection.execute(
        insert(alert_deliveries).values(
            org_id=org,
            delivery_id=delivery_id,
            alert_id=alert_id,
            destination_id=destination_id,
            event=event,
            audience=audience,
            state="waiting",
            attempts=0,
            due_at=now,
            created_at=now,
        )
    )
    return delivery_id


def digest_of(key: str) -> str:
    """A hash in the place of the key, which may name a person."""
    return hashlib.blake2b(key.encode(), digest_size=16).hexdigest()


def _wanting(
    connection: Connection, org: OrgId, kind: Kind, event: Event, person: str | None
) -> Iterator[tuple[str, Audience]]:
    """The enabled destinations that want an event, with the audience of each delivery."""
    columns = alert_destinations.c
    enabled = select(columns.destination_id, columns.format, columns.kinds, columns.recipients)
    for row in connection.execute(
        enabled.where(columns.org_id == org, columns.state == "enabled")
    ).all():
        kinds, recipients = row.kinds.split(), set(row.recipients.split("\n"))
        if (kinds and kind not in kinds) or (event == "resolved" and row.format not in RESOLVING):
            continue
        if row.format != "mail" or recipients != {_TO_PERSON}:
            yield row.destination_id, "all"
        if _TO_PERSON in recipients and person is not None and kind not in _OWN_DEEDS:
            yield row.destination_id, "person"


def _cut(text: str, length: int) -> str:
    clean = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return clean if len(clean) <= length else clean[: length - 1] + "…"
