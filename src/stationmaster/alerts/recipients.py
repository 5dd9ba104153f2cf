"""Whom mail goes to, and whom an alert is about, as of the moment in which it is sent."""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster.access import store as access
from stationmaster.access.model import Role
from stationmaster.alerts.model import Alert, Audience, Destination
from stationmaster.alerts.texts import NamedPerson
from stationmaster.ids import OrgId, UserId

_ROLES: dict[str, Role] = {"owners": "owner", "managers": "manager"}


def addresses_of(
    connection: Connection, org: OrgId, destination: Destination, alert: Alert, audience: Audience
) -> list[str]:
    """The addresses of a delivery by mail, each once; none where nobody is left."""
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
