"""Caps beside what is used of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request

from stationmaster import clock
from stationmaster.analytics.model import DayRange
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.api.v0.organization import Credits
from stationmaster.limits import service
from stationmaster.limits.model import Standing, period_of

routes = router("/api/platform/v1/limits", "Limits")


class CreditPeriod(BaseModel):
    """First and last day (UTC), and the time in Unix milliseconds when `used` is 0 again."""

    start: str
    end: str
    reset: int


class PrincipalUsage(BaseModel):
    """A member or a service account, its own limit, the one that applies, and its use of it.

    `share` is used / effectiveLimit, above 1 beyond it. Nulls: a service account has no e-mail, a
    person no name; without a limit nothing remains of it.
    """

    id: str
    kind: Literal["human", "service"]
    email: str | None
    name: str | None
    limit: int | None
    effectiveLimit: int | None
    used: int
    remaining: int | None
    share: float | None


class LimitsUsage(BaseModel):
    """`usedThrough` is the last day that counts: yesterday (UTC), null on a period's first day.

    `totalUsed` is the whole organization's, former members and people without membership included.
    """

    period: CreditPeriod
    usedThrough: str | None
    globalLimit: int | None
    totalUsed: int
    principals: list[PrincipalUsage]
    pagination: wire.Pagination


class LimitChange(BaseModel):
    """null takes the own limit back."""

    model_config = ConfigDict(extra="forbid")
    limit: Credits | None


class AppliedLimit(BaseModel):
    """The limit that applies now; null where there is none."""

    id: str
    limit: int | None


@routes.get("")
async def get_limits(
    request: Request,
    caller: callers.Manager,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str, Query(max_length=128)] = "",
) -> LimitsUsage:
    """How members and service accounts stand against their limits, by id."""
    services = services_of(request)
    today = clock.today()
    period = period_of(today, services.settings.credit_reset_day)
    through = today - timedelta(days=1) if today > period.start else None
    if through is not None:
        await services.bring_up_to_date(caller.org_id, DayRange(period.start, through))
    # No id holds NUL, so what follows one cannot move the position.
    after = cursor.partition("\0")[0]
    found = await blocking.work(
        lambda: service.usage(services.db, caller.org_id, period, through, after=after, count=limit)
    )
    return LimitsUsage(
        period=CreditPeriod(
            start=period.start.isoformat(), end=period.end.isoformat(), reset=period.reset
        ),
        usedThrough=None if through is None else through.isoformat(),
        globalLimit=found.global_limit,
        totalUsed=found.total_used,
        principals=[_shown(each) for each in found.standings],
        pagination=wire.Pagination(
            has_more=found.next_cursor is not None, next_cursor=found.next_cursor
        ),
    )


@routes.put("/service-accounts/{account_id}")
async def set_service_account_limit(
    request: Request,
    account_id: Annotated[str, Path(pattern="^[^\\x00]+$")],
    body: LimitChange,
    caller: callers.LimitWriter,
) -> AppliedLimit:
    """Set or remove the limit of a service account, which has no e-mail address."""
    applied = await blocking.work(
        service.set_service_account_limit, services_of(request).db, caller, account_id, body.limit
    )
    return AppliedLimit(id=account_id, limit=applied)


def _shown(standing: Standing) -> PrincipalUsage:
    return PrincipalUsage(
        id=standing.principal_id,
        kind=standing.kind,
        email=standing.email,
        name=standing.name,
        limit=standing.limit,
        effectiveLimit=standing.effective_limit,
        used=standing.used,
        remaining=standing.remaining,
        share=standing.share,
    )
