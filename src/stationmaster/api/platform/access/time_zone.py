"""The time zone of an organization's days."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access import time_zone
from stationmaster.access.time_zone import NAME_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router

routes = router("/api/platform/v1/time-zone", "Time zone")


class OrganizationTimeZone(wire.Answer):
    """A name of the IANA list, such as `Asia/Tokyo`; `UTC` by default."""

    time_zone: str


class OrganizationTimeZoneChange(wire.Question):
    time_zone: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX)]


@routes.get("")
@blocking.reads
def get_time_zone(db: Db, caller: callers.Manager) -> OrganizationTimeZone:
    """The time zone in which the days of reports besides the five begin and end."""
    name = time_zone.of(db, caller.org_id)
    return OrganizationTimeZone(time_zone=name)


@routes.put("")
def set_time_zone(
    db: Db, body: OrganizationTimeZoneChange, caller: callers.Owner
) -> OrganizationTimeZone:
    """Set the time zone, from the next request. Stored data does not change."""
    name = time_zone.put(db, caller.org_id, body.time_zone, by=caller)
    return OrganizationTimeZone(time_zone=name)
