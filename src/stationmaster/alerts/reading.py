"""Alerts as a caller may see them: owners and managers all of them, everybody else their own."""

from __future__ import annotations

from stationmaster.access import privacy
from stationmaster.access.change_rules import MANAGING
from stationmaster.access.model import Caller
from stationmaster.alerts import store
from stationmaster.alerts.model import Kind
from stationmaster.alerts.recipients import person_of
from stationmaster.alerts.texts import AlertText, shown
from stationmaster.db.engine import Database


def page(
    db: Database,
    caller: Caller,
    *,
    limit: int,
    before: str | None = None,
    kind: Kind | None = None,
    is_open: bool | None = None,
    since: int | None = None,
) -> list[AlertText]:
    """At most `limit`, newest first: those older than the alert `before`, of a kind, raised at
    `since` (UTC milliseconds) or later, and open or resolved, where given.
    """
    person = None if caller.role in MANAGING else caller.principal_id
    alerts = store.alerts_page(
        db,
        caller.org_id,
        limit=limit,
        before=before,
        kind=kind,
        person=person,
        is_open=is_open,
        since=since,
    )
    with db.reading() as connection:
        is_named = privacy.within(connection, caller.org_id).is_named
        return [
            shown(
                alert,
                person_of(connection, caller.org_id, alert)
                if is_named or alert.person_id == caller.principal_id
                else None,
            )
            for alert in alerts
        ]
