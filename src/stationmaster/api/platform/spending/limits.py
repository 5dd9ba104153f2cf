"""Caps beside what is used of them."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.analytics.model import DayRange
from stationmaster.api import blocking, callers, wire
from stationmaster.api.answers import told
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.api.v0.organization import Credits
from stationmaster.limits import service
from stationmaster.limits.model import Period, Standing, State, period_of

routes = router("/api/platform/v1/limits", "Limits")


class CreditPeriod(wire.Answer):
    """First and last day (UTC), and the time in Unix milliseconds when `used` is 0 again."""

    start: str
    end: str
    reset: int


class PrincipalUsage(wire.Answer):
    """A member or a service account, its own limit, the one that applies, and its use of it.

    `share` is used / effectiveLimit, above 1 beyond it. `forecast` is what will be used by the end
    of the period at the average of the days that count, and needs `daysCounted` of 3. `state` is
    `over` from a share of 1 on, `near` from 0.8 on, `expected` where the forecast is above the
    limit, else `within`. Nulls: a service account has no e-mail, a person no name; without a limit
    nothing remains of it; what a person used is stated only where people are shown by name, or
    where that person asks.
    """

    id: str
    kind: Literal["human", "service"]
    email: str | None
    name: str | None
    limit: int | None
    effective_limit: int | None
    used: int | None
    remaining: int | None
    share: float | None
    state: State | None
    forecast: int | None


class LimitsUsage(wire.Answer):
    """`usedThrough` is the last day that counts: yesterday (UTC), null on a period's first day;
    `daysCounted` is the number of days of the period through it.

    `totalUsed` and `totalForecast` are of the whole organization, former members and people
    without membership included.
    """

    period: CreditPeriod
    used_through: str | None
    days_counted: int
    global_limit: int | None
    total_used: int
    total_forecast: int | None
    principals: list[PrincipalUsage]
    pagination: wire.Pagination


class OwnLimit(wire.Answer):
    """The caller's own row of the limits, with the days that it is of."""

    period: CreditPeriod
    used_through: str | None
    days_counted: int
    principal: PrincipalUsage


class LimitChange(wire.Question):
    """null takes the own limit back."""

    limit: Credits | None


class AppliedLimit(wire.Answer):
    """The limit that applies now; null where there is none."""

    id: str
    limit: int | None


@routes.get("", response_model=LimitsUsage)
async def get_limits(
    request: Request,
    response: Response,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None, Query(pattern=wire.ID, description="The principal before the page.")
    ] = None,
) -> Response:
    """How members and service accounts stand against their limits, by id."""
    services = services_of(request)
    period, through = await _counted(services, caller)
    found = await blocking.work(
        lambda: service.usage(
            services.db, caller.org_id, period, through, after=cursor or "", count=limit + 1
        )
    )
    page, pagination = wire.paged(found.standings, limit, lambda each: each.principal_id)
    usage = LimitsUsage(
        period=_period(period),
        used_through=None if through is None else through.isoformat(),
        days_counted=period.counted(through),
        global_limit=found.global_limit,
        total_used=found.total_used,
        total_forecast=found.total_forecast,
        principals=[_shown(each) for each in page],
        pagination=pagination,
    )
    return told(usage, response)


@routes.get("/me")
async def get_own_limit(request: Request, caller: callers.Reader) -> OwnLimit:
    """How the caller stands against the limit that applies to it, whatever its role."""
    services = services_of(request)
    period, through = await _counted(services, caller)
    standing = await blocking.work(
        lambda: service.standing(
            services.db, caller.org_id, period, through, caller.principal_id, by=caller
        )
    )
    return OwnLimit(
        period=_period(period),
        used_through=None if through is None else through.isoformat(),
        days_counted=period.counted(through),
        principal=_shown(standing),
    )


@routes.put("/service-accounts/{account_id}")
async def set_service_account_limit(
    request: Request,
    account_id: wire.Identifier,
    body: LimitChange,
    caller: callers.LimitWriter,
) -> AppliedLimit:
    """Set or remove the limit of a service account, which has no e-mail address."""
    applied = await blocking.work(
        service.set_service_account_limit, services_of(request).db, caller, account_id, body.limit
    )
    return AppliedLimit(id=account_id, limit=applied)


async def _counted(services: Services, caller: Caller) -> tuple[Period, date | None]:
    """The period of today and its last day that counts, after all of its days are current."""
    today = clock.today()
    period = period_of(today, services.settings.credit_reset_day)
    through = period.through(today)
    if through is not None:
        await services.bring_up_to_date(caller.org_id, DayRange(period.start, through))
    return period, through


def _period(period: Period) -> CreditPeriod:
    return CreditPeriod(
        start=period.start.isoformat(), end=period.end.isoformat(), reset=period.reset
    )


def _shown(standing: Standing) -> PrincipalUsage:
    return PrincipalUsage(
        id=standing.principal_id,
        kind=standing.kind,
        email=standing.email,
        name=standing.name,
        limit=standing.limit,
        effective_limit=standing.effective_limit,
        used=standing.used,
        remaining=standing.remaining,
        share=standing.share,
        state=standing.state,
        forecast=standing.forecast,
    )
