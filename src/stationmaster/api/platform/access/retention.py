"""How long an organization keeps its raw events."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access import retention
from stationmaster.access.retention import DAYS_MAX, DAYS_MIN
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Opened, router

routes = router("/api/platform/v1/retention", "Retention")


class OrganizationRetention(wire.Answer):
    """Closed days whose raw events are kept: the organization's own number (null: the
    operator's applies), the operator's (null: all days), and the effective one, the smaller of
    both."""

    days: int | None
    operator_days: int | None
    effective_days: int | None


class OrganizationRetentionChange(wire.Question):
    """Null: the operator's number applies."""

    days: Annotated[int, Field(strict=True, ge=DAYS_MIN, le=DAYS_MAX), wire.WHOLE] | None


@routes.get("")
@blocking.reads
def get_retention(services: Opened, caller: callers.Manager) -> OrganizationRetention:
    """The number of days for which raw events are kept."""
    return OrganizationRetention.of(retention.of(services.db, services.settings, caller.org_id))


@routes.put("")
def set_retention(
    services: Opened, body: OrganizationRetentionChange, caller: callers.Owner
) -> OrganizationRetention:
    """Set the number of days for which raw events are kept, at most the operator's. Events of
    older days are erased permanently within minutes; their figures stay."""
    return OrganizationRetention.of(
        retention.put(services.db, services.settings, caller.org_id, body.days, by=caller)
    )
