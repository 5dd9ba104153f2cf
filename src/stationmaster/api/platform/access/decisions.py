"""What an organization decides: how people are shown, when its days begin, how long raw events are
kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access import privacy, retention, time_zone
from stationmaster.access.model import PrivacyMode
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, Opened, router

time_zone_routes = router("/api/platform/v1/time-zone", "Time zone")


_ZONE_LENGTH_MAX = time_zone.NAME_LENGTH_MAX


class OrganizationTimeZone(wire.Answer):
    """A name of the IANA list, such as `Asia/Tokyo`; `UTC` by default."""

    time_zone: str


class OrganizationTimeZoneChange(wire.Question):
    time_zone: Annotated[str, Field(min_length=1, max_length=_ZONE_LENGTH_MAX)]


@time_zone_routes.get("")
@blocking.reads
def get_time_zone(db: Db, caller: callers.Manager) -> OrganizationTimeZone:
    """The time zone in which the days of reports other than the five begin and end."""
    name = time_zone.of(db, caller.org_id)
    return OrganizationTimeZone(time_zone=name)


@time_zone_routes.put("")
def set_time_zone(
    db: Db, body: OrganizationTimeZoneChange, caller: callers.Owner
) -> OrganizationTimeZone:
    """Set the time zone, from the next request. Stored data does not change."""
    name = time_zone.put(db, caller.org_id, body.time_zone, by=caller)
    return OrganizationTimeZone(time_zone=name)


privacy_routes = router("/api/platform/v1/privacy", "Privacy")


class OrganizationPrivacy(wire.Answer):
    """`minimum` is the minimum size of a group in the modes `team-only` and `off`."""

    mode: PrivacyMode
    minimum: int


class OrganizationPrivacyChange(wire.Question):
    """A minimum that is left out or null stays unchanged."""

    mode: PrivacyMode
    minimum: (
        Annotated[
            int, Field(strict=True, ge=privacy.MINIMUM_MIN, le=privacy.MINIMUM_MAX), wire.WHOLE
        ]
        | None
    ) = None


@privacy_routes.get("")
@blocking.reads
def get_privacy(db: Db, caller: callers.Manager) -> OrganizationPrivacy:
    """The privacy mode: how people are shown."""
    return OrganizationPrivacy.of(privacy.of(db, caller.org_id))


@privacy_routes.put("")
def set_privacy(
    db: Db, body: OrganizationPrivacyChange, caller: callers.Owner
) -> OrganizationPrivacy:
    """Show people by name, under other names, in groups, or not at all, from the next request.
    Stored data does not change, so every mode can be undone."""
    return OrganizationPrivacy.of(
        privacy.put(db, caller.org_id, body.mode, body.minimum, by=caller)
    )


retention_routes = router("/api/platform/v1/retention", "Retention")


class OrganizationRetention(wire.Answer):
    """Closed days whose raw events are kept: the organization's own number (null: the
    operator's applies), the operator's (null: all days), and the effective one, the smaller of
    both."""

    days: int | None
    operator_days: int | None
    effective_days: int | None


class OrganizationRetentionChange(wire.Question):
    """Null: the operator's number applies."""

    days: (
        Annotated[int, Field(strict=True, ge=retention.DAYS_MIN, le=retention.DAYS_MAX), wire.WHOLE]
        | None
    )


@retention_routes.get("")
@blocking.reads
def get_retention(services: Opened, caller: callers.Manager) -> OrganizationRetention:
    """The number of days for which raw events are kept."""
    return OrganizationRetention.of(retention.of(services.db, services.settings, caller.org_id))


@retention_routes.put("")
def set_retention(
    services: Opened, body: OrganizationRetentionChange, caller: callers.Owner
) -> OrganizationRetention:
    """Set the number of days for which raw events are kept, at most the operator's. Events of
    older days are erased permanently within minutes; their figures stay."""
    return OrganizationRetention.of(
        retention.put(services.db, services.settings, caller.org_id, body.days, by=caller)
    )
