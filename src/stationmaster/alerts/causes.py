"""Alerts that last as long as their cause: raised when it is found, resolved when it has ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select

from stationmaster import clock, days
from stationmaster.alerts.model import Kind
from stationmaster.alerts.raising import digest_of, raise_alert, resolve_alert, store_alert
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import alert_attempts, alert_deliveries, alerts
from stationmaster.ids import OrgId

TOGETHER_MAX = 5
"""More new causes of a kind at one time are one message, so that an outage does not send hundreds.
"""
KEPT_MS = 400 * days.MS_PER_DAY
DELIVERIES_KEPT_MS = 90 * days.MS_PER_DAY
_STORED = "SELECT digest, resolved_at FROM alerts WHERE org_id = ? AND kind = ?"
_ENDED = "SELECT kind, digest FROM alerts WHERE org_id = ? AND until <= ? AND resolved_at IS NULL"


class Cause(NamedTuple):
    """What an alert is about, as `raise_alert` takes it."""

    title: str
    body: str
    data: dict[str, Any]
    person: str | None = None
    until: int | None = None


def reconcile(
    db: Database,
    org: OrgId,
    kind: Kind,
    causes: Mapping[str, Cause],
    *,
    lasting: Collection[str] = (),
    together: str = "",
) -> None:
    """Raise what is new of all present causes of a kind by key, and resolve what has ended: the
    open alerts whose key is neither a cause's nor `lasting`.

    `together` is the title of one message for more than TOGETHER_MAX new causes, with `{count}`.
    Writes nothing where nothing changed.
    """
    stored: dict[str, int | None] = dict(db.rows(_STORED, org, kind))
    new = {key: cause for key, cause in causes.items() if digest_of(key) not in stored}
    present = {digest_of(key) for key in (*causes, *lasting)}
    ended = {digest for digest, at in stored.items() if at is None} - present
    if not new and not ended:
        return
    with db.transaction() as connection:
        if len(new) > TOGETHER_MAX:
            _raise_together(connection, org, kind, new, together)
        else:
            for key, cause in new.items():
                raise_alert(connection, org, kind, key, *cause[:3], **_more(cause))
        for digest in sorted(ended):
            resolve_alert(connection, org, kind, digest)


def resolve_ended(db: Database, org: OrgId) -> None:
    """Resolve the alerts whose cause has ended by itself, such as with a budget's period."""
    ended = db.rows(_ENDED, org, clock.now_ms())
    if not ended:
        return
    with db.transaction() as connection:
        for kind, digest in ended:
            resolve_alert(connection, org, kind, digest)


def delete_old(db: Database, org: OrgId) -> None:
    """Delete alerts of over 400 days and deliveries of over 90, unless they wait."""
    now = clock.now_ms()
    columns = alert_deliveries.c
    with db.transaction() as connection:
        connection.execute(
            delete(alerts).where(alerts.c.org_id == org, alerts.c.raised_at < now - KEPT_MS)
        )
        old = select(columns.delivery_id).where(
            columns.org_id == org,
            columns.created_at < now - DELIVERIES_KEPT_MS,
            columns.state != "waiting",
        )
        connection.execute(
            delete(alert_attempts).where(
                alert_attempts.c.org_id == org, alert_attempts.c.delivery_id.in_(old)
            )
        )
        connection.execute(
            delete(alert_deliveries).where(columns.org_id == org, columns.delivery_id.in_(old))
        )


def _raise_together(
    connection: Connection, org: OrgId, kind: Kind, new: Mapping[str, Cause], title: str
) -> None:
    """Store every alert, and send one message for all of them."""
    for key, cause in new.items():
        store_alert(connection, org, kind, key, *cause[:3], **_more(cause))
    raise_alert(
        connection,
        org,
        kind,
        "together " + " ".join(sorted(new)),
        title.format(count=len(new)),
        "Stationmaster lists them.",
        {"count": len(new)},
    )


def _more(cause: Cause) -> dict[str, Any]:
    return {"person": cause.person, "until": cause.until}
