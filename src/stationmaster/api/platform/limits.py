"""Caps beside what is used of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.analytics.model import DayRange
from stationmaster.api import blocking, callers, wire
from stationmaster.api.answers import told
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.api.v0.organization import Credits
from stationmaster.limits import service
from stationmaster.limits.model import Standing, period_of

routes = router("/api/platform/v1/limits", "Limits")


class CreditPeriod(wire.Answer):
    """First and last day (UTC), and the time in Unix milliseconds when `used` is 0 again."""

    start: str
    end: str
    reset: int


class PrincipalUsage(wire.Answer):
    """A member or a service account, its own limit, the one that applies, and its use of it.

    `share` is used / effectiveLimit, above 1 beyond it. Nulls: a service account has no e-mail, a
    person no name; without a limit nothing remains of it; what a person used is told where people
    are shown by name.
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


class LimitsUsage(wire.Answer):
    """`usedThrough` is the last day that counts: yesterday (UTC), null on a period's first day.

    `totalUsed` is the whole organization's, former members and people without membership included.
    """

    period: CreditPeriod
    used_through: str | None
    global_limit: int | None
    total_used: int
    principals: list[PrincipalUsage]
    pagination: wire.Pagination


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
    today = clock.today()
    period = period_of(today, services.settings.credit_reset_day)
    through = today - timedelta(days=1) if today > period.start else None
    if through is not None:
        await services.bring_up_to_date(caller.org_id, DayRange(period.start, through))
    found = await blocking.work(
        lambda: service.usage(
            services.db, caller.org_id, period, through, after=cursor or "", count=limit + 1
        )
    )
    page, pagination = wire.paged(found.standings, limit, lambda each: each.principal_id)
    usage = LimitsUsage(
        period=CreditPeriod(
            start=period.start.isoformat(), end=period.end.isoformat(), reset=period.reset
        ),
        used_through=None if through is None else through.isoformat(),
        global_limit=found.global_limit,
        total_used=found.total_used,
        principals=[_shown(each) for each in page],
        pagination=pagination,
    )
    return told(usage, response)


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
    )
