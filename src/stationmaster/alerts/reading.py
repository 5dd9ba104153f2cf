"""Alerts as a caller may see them: owners and managers all of them, everybody else their own;
and the recipients of mail as of the moment in which it is sent."""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster.access import privacy, store as access
from stationmaster.access.change_rules import MANAGING
from stationmaster.access.model import Caller, Role
from stationmaster.alerts import store
from stationmaster.alerts.model import Alert, Audience, Destination, Kind
from stationmaster.alerts.texts import AlertText, NamedPerson, shown
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, UserId

_ROLES: dict[str, Role] = {"owners": "owner", "managers": "manager"}


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


def addresses_of(
    connection: Connection, org: OrgId, destination: Destination, alert: Alert, audience: Audience
) -> list[str]:
    """The addresses of a delivery by mail, each once; none where no recipient is left."""
    if audience == "person":
        person = person_of(connection, org, alert)
        return [] if person is None or person.email is None else [person.email]
    roles = [_ROLES[word] for word in destination.recipients if word in _ROLES]
    # The erasure of a person leaves text without an address.
    written = [recipient for recipient in destination.recipients if "@" in recipient]
    return list(dict.fromkeys([*written, *access.addresses_of_roles(connection, org, roles)]))


def person_of(connection: Connection, org: OrgId, alert: Alert) -> NamedPerson | None:
    """Whom an alert is about; the address only of who is a member."""
    if alert.person_id is None:
        return None
    member = access.member(connection, org, UserId(alert.person_id))
    is_present = member is not None and member.status == "active"
    return NamedPerson(alert.person_id, member.email if member is not None and is_present else None)
