"""Reports asked by pages, in this process: the same questions and answers as over the API.

A page names a report and the parameters of the API's operation; roles, privacy, freshness and
figures come from the functions that answer that operation, so that both cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from anyio import CapacityLimiter, from_thread
from starlette.requests import Request

from stationmaster import clock
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.analytics import person_ids, privacy, queries, ranges, reports
from stationmaster.analytics.days import local_days
from stationmaster.analytics.model import INSIGHTS, DayRange, Insight, Report
from stationmaster.analytics.spending import costs, rate_lines, what_if
from stationmaster.analytics.spending.rate_lines import ListPrice
from stationmaster.analytics.spending.what_if import WhatIf
from stationmaster.pricing import current, review
from stationmaster.pricing.credits import reading
from stationmaster.web.figures.period import Period
from stationmaster.web.frame import menu
from stationmaster.web.frame.requests import services_of, visited_address

Parameters = Sequence[tuple[str, str]]
"""Of a query, in the API's spelling, without the dates."""

OWN_CALLS: Mapping[str, str] = {"spend": "/api/platform/v1/me/usage"}
"""The operations that answer reports about the caller alone."""


class Answer(NamedTuple):
    """What the API answers to `call`, decoded; "" where no operation answers it. `revision` grows
    when a day is restated.
    """

    rows: list[dict[str, Any]]
    meta: dict[str, Any]
    revision: int
    call: str


def ask(
    request: Request,
    caller: Caller,
    report: Report | Insight,
    period: Period,
    parameters: Parameters = (),
    *,
    is_own: bool = False,
) -> Answer:
    """A report of closed days. Raises Forbidden as the API does, for roles and for privacy.

    With `is_own` it is about the caller alone, whom neither keeps from their own figures.
    """
    services = services_of(request)
    if is_own:
        parameters = [parameter for parameter in parameters if parameter[0] != "user"]
        parameters.append(("user", caller.principal_id))
    else:
        require(caller, *menu.MANAGERS)
    query = [*_dates(period), *parameters]
    filters: dict[str, list[str]] = {}
    for name, value in parameters:
        filters.setdefault(name, []).append(value)
    question = queries.parse(
        caller.org_id,
        report,
        dict(query),
        filters,
        today=clock.today(),
        days_max=services.settings.range_days_max,
        zone=local_days.zone_of(services.db, caller.org_id, caller.privacy)
        if report in INSIGHTS
        else local_days.UTC_NAME,
    )
    question = person_ids.widened(services.db, question)
    question = privacy.judged(services.db, question, "named" if is_own else caller.privacy)
    services.freshness.ensure(caller.org_id, local_days.stored(question), sliced=question.is_sliced)
    with _turn(services.folding if question.is_sliced else None):
        found = reports.find(services.db, question)
        body = b"".join(reports.envelope(services.db, found))
    decoded = msgspec.json.decode(body)
    is_insight = report in INSIGHTS
    path = f"/api/{'platform/' if is_insight else ''}v1/analytics/{report}"
    if is_own:
        path, query = OWN_CALLS.get(report, ""), [each for each in query if each[0] != "user"]
    call = call_of(request, path, query) if path else ""
    return Answer(decoded["data"], decoded["meta"], found.revision, call)


def ask_costs(
    request: Request, caller: Caller, period: Period, group_by: costs.Grouping | None = None
) -> Answer:
    """Costs in dollars of closed days. Raises Forbidden as the API does."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    asked = DayRange(*period)
    review.review(services.db, services.settings, caller.org_id)
    card = current.card(services.db, services.settings, caller.org_id)
    services.freshness.ensure(caller.org_id, asked, facts=True)
    with _turn(services.folding):
        found = costs.find(services.db, card, caller.org_id, asked, group_by)
        body = b"".join(found.parts())
    decoded = msgspec.json.decode(body)
    query = [*_dates(period), *([("group_by", str(group_by))] if group_by else [])]
    call = call_of(request, "/api/platform/v1/costs", query)
    return Answer(decoded["data"], decoded["meta"], 0, call)


def list_prices(
    request: Request, caller: Caller, models: Iterable[str], day: date
) -> dict[str, ListPrice | None]:
    """The price of each model on a day, as the API's operation on rates tells it; None where
    nothing has one."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    card = current.card(services.db, services.settings, caller.org_id)
    return {model: rate_lines.of_model(card, model, day).rates[0].usd for model in models}


def compare_card(request: Request, caller: Caller, first: str, last: str, text: str) -> WhatIf:
    """What closed days (ISO) would have come to by another rate card (TOML).

    Raises BadRequest for days or a card that cannot be read, or a range that is too long.
    """
    require(caller, *menu.MANAGERS)
    services, org = services_of(request), caller.org_id
    faults: list[ranges.Fault] = []
    asked = ranges.parse(first, last, faults, today=clock.today(), days_max=what_if.DAYS_MAX)
    if asked is None:
        raise ranges.refusal(faults)
    review.review(services.db, services.settings, org)
    mine = current.card(services.db, services.settings, org)
    other = reading.parse(text[: reading.CARD_LENGTH_MAX], "request").before(mine)
    services.freshness.ensure(org, asked, facts=True)
    with _turn(services.folding):
        return what_if.compare(services.db, services.settings, mine, other, org, asked)


def _dates(period: Period) -> list[tuple[str, str]]:
    return [("startDate", f"{period.first}"), ("endDate", f"{period.last}")]


def call_of(request: Request, path: str, query: Parameters = ()) -> str:
    """The address under which the API answers what a page shows."""
    return f"{visited_address(request)}{path}" + (f"?{urlencode(query)}" if query else "")


@contextmanager
def _turn(limiter: CapacityLimiter | None) -> Iterator[None]:
    """One of the few that fold days at a time, so that all others keep a processor."""
    if limiter is None:
        yield
        return
    borrower = object()
    from_thread.run(limiter.acquire_on_behalf_of, borrower)
    try:
        yield
    finally:
        from_thread.run_sync(limiter.release_on_behalf_of, borrower)
