"""Caps with what is used of them."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.analytics.model import DayRange
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.v0.organization import Credits
from stationmaster.limits import service
from stationmaster.limits.model import Period, PrincipalUse, State, period_of

routes = router("/api/platform/v1/limits", "Limits")


class CreditPeriod(wire.Answer):
    """First and last day (UTC), and the time in Unix milliseconds when `used` is 0 again."""

    start: wire.DayText
    end: wire.DayText
    reset: int


class PrincipalUsage(wire.Answer, record=PrincipalUse, without=("forecast",)):
    """A member or a service account, its individual limit, the limit that applies, and its use.

    `share` is used / effectiveLimit, above 1 beyond it. `forecast` is the use by the end of the
    period at the average of the counted days, and needs 3 `daysCounted`. `state` is
    `over` from a share of 1 on, `near` from 0.8 on, `expected` where the forecast is above the
    limit, else `within`. Null values: the e-mail address of a service account, the name of a
    person; `remaining` without a limit; `used` if people are not shown by name, except for the
    person concerned.
    """

    principal_id: str = wire.sent_as("id")
    remaining: int | None
    share: float | None
    state: State | None
    forecast: int | None


class LimitsUsage(wire.Answer):
    """`usedThrough` is the last day that counts: yesterday (UTC), null on a period's first day;
    `daysCounted` is the number of days of the period through it.

    `totalUsed` and `totalForecast` are of the whole organization, including former members and
    people without membership.
    """

    period: CreditPeriod
    used_through: wire.DayText | None
    days_counted: int
    global_limit: int | None
    total_used: int
    total_forecast: int | None
    principals: list[PrincipalUsage]
    pagination: wire.Pagination


class OwnLimit(wire.Answer):
    """The caller's own row of the limits, with the counted days."""

    period: CreditPeriod
    used_through: wire.DayText | None
    days_counted: int
    principal: PrincipalUsage


class LimitChange(wire.Question):
    """null removes the individual limit."""

    limit: Credits | None


class AppliedLimit(wire.Answer):
    """The limit that applies now; null where there is none."""

    id: str
    limit: int | None


@routes.get("", response_model=LimitsUsage)
async def get_limits(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None, Query(pattern=wire.ID, description="The last principal of the previous page.")
    ] = None,
) -> Response:
    """The use of limits by members and service accounts, by id."""
    period, through = await _counted(services, caller)
    limits = await blocking.work(
        lambda: service.usage(
            services.db, caller.org_id, period, through, after=cursor or "", count=limit + 1
        )
    )
    rows, pagination = wire.paged(limits.principals, limit, lambda row: row.principal_id)
    usage = LimitsUsage.of(
        limits,
        period=period,
        used_through=through,
        days_counted=period.counted(through),
        principals=rows,
        pagination=pagination,
    )
    return wire.body_answer(usage, response)


@routes.get("/me")
async def get_own_limit(services: Opened, caller: callers.Reader) -> OwnLimit:
    """The caller's use of the limit that applies, for every role."""
    period, through = await _counted(services, caller)
    principal = await blocking.work(
        lambda: service.principal_use(
            services.db, caller.org_id, period, through, caller.principal_id, by=caller
        )
    )
    return OwnLimit.of(
        period=period,
        used_through=through,
        days_counted=period.counted(through),
        principal=principal,
    )


@routes.put("/service-accounts/{account_id}")
def set_service_account_limit(
    db: Db, account_id: wire.Identifier, body: LimitChange, caller: callers.LimitWriter
) -> AppliedLimit:
    """Set or remove the limit of a service account, which has no e-mail address."""
    applied = service.set_service_account_limit(db, caller, account_id, body.limit)
    return AppliedLimit(id=account_id, limit=applied)


async def _counted(services: Opened, caller: Caller) -> tuple[Period, date | None]:
    """The period of today and its last day that counts, after all of its days are current."""
    today = clock.today()
    period = period_of(today, services.settings.credit_reset_day)
    through = period.through(today)
    if through is not None:
        await services.bring_up_to_date(caller.org_id, DayRange(period.start, through))
    return period, through
