"""How long an organization keeps its raw events."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.requests import Request

from stationmaster.access import retention
from stationmaster.access.retention import DAYS_MAX, DAYS_MIN
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/retention", "Retention")


class OrganizationRetention(wire.Answer):
    """Closed days whose raw events are kept: the organization's own number (null: the operator's
    holds), the operator's (null: all days), and what holds, the smaller one of both."""

    days: int | None
    operator_days: int | None
    effective_days: int | None


class OrganizationRetentionChange(wire.Question):
    """Null leaves it to the operator."""

    days: Annotated[int, Field(strict=True, ge=DAYS_MIN, le=DAYS_MAX), wire.WHOLE] | None


@routes.get("")
async def get_retention(request: Request, caller: callers.Manager) -> OrganizationRetention:
    """For how many days raw events are kept."""
    services = services_of(request)
    return _shown(
        await blocking.read(
            services.db, retention.of, services.db, services.settings, caller.org_id
        )
    )


@routes.put("")
async def set_retention(
    request: Request, body: OrganizationRetentionChange, caller: callers.Owner
) -> OrganizationRetention:
    """Set for how many days raw events are kept, within what the operator keeps.

    Events of older days are erased for good from the next minutes on; their figures stay.
    """
    services = services_of(request)
    return _shown(
        await blocking.work(
            lambda: retention.put(
                services.db, services.settings, caller.org_id, body.days, by=caller
            )
        )
    )


def _shown(policy: retention.Retention) -> OrganizationRetention:
    return OrganizationRetention(
        days=policy.days,
        operator_days=policy.operator_days,
        effective_days=policy.effective_days,
    )
