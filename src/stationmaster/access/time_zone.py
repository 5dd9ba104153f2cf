"""In which time zone an organization's days begin and end, in reports other than the five."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy import select

from stationmaster.access import change_rules
from stationmaster.access.audit import note
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organization_time_zones
from stationmaster.db.upserts import upsert
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId

UTC = "UTC"
NAME_LENGTH_MAX = 64
_OF = "SELECT name FROM organization_time_zones WHERE org_id = ?"


def of(db: Database, org: OrgId) -> str:
    """The name of the zone, as the IANA list spells it; UTC unless an owner has set another one."""
    rows = db.rows(_OF, org)
    return str(rows[0][0]) if rows else UTC


def zone(name: str) -> ZoneInfo:
    """A zone by its name. Raises BadRequest for one that is not on the IANA list."""
    if name not in _names():
        raise BadRequest(
            f"{name[:NAME_LENGTH_MAX]!r} is not a time zone of the IANA list; "
            "use a city, such as Europe/Berlin or Asia/Tokyo, or UTC.",
            code="invalid_time_zone",
        )
    return ZoneInfo(name)


def put(db: Database, org: OrgId, name: str, *, by: Caller) -> str:
    """Set the zone, from the next request on. Raises BadRequest as `zone` does."""
    zone(name)
    with db.transaction() as connection:
        change_rules.lock(connection, org)
        zones = organization_time_zones.c
        before = connection.execute(select(zones.name).where(zones.org_id == org)).scalar() or UTC
        if before == name:
            return name
        upsert(connection, organization_time_zones, [{"org_id": org, "name": name}])
        payload = {"time_zone": name, "previous_time_zone": before}
        note(connection, by, "time_zone_changed", "organization", org, **payload)
    return name


@cache
def _names() -> frozenset[str]:
    """All names; some milliseconds the first time."""
    return frozenset(available_timezones())
