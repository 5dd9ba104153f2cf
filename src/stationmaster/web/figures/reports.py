"""Reports asked by pages, in this process: the same questions and answers as over the API.

A page names a report and the parameters of the API's operation; roles, privacy, freshness and
figures are those of the functions that answer that operation, so that both cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, NamedTuple

import msgspec
from anyio import CapacityLimiter, from_thread

from stationmaster.analytics import queries, ranges, reports
from stationmaster.analytics.spending import rate_lines, what_if
from stationmaster.pricing import current
from stationmaster.report_names import INSIGHTS, Insight, Report
from stationmaster.web.figures.period import Period
from stationmaster.web.frame.pages import Visit

Parameters = Sequence[tuple[str, str]]
"""Of a query, in the API's spelling, without the dates."""

OWN_CALLS: Mapping[str, str] = {"spend": "/api/platform/v1/me/usage"}
"""The operations that answer reports about the caller alone."""


class ReportAnswer(NamedTuple):
    """What the API answers to `call`, decoded; "" where no operation answers it. `revision` grows
    when a day is restated.
    """

    rows: list[dict[str, Any]]
    meta: dict[str, Any]
    revision: int
    call: str


def ask(
    visit: Visit,
    report: Report | Insight,
    period: Period,
    parameters: Parameters = (),
    *,
    is_own: bool = False,
) -> ReportAnswer:
    """A report of closed days. Raises Forbidden as the API does, for roles and for privacy.

    With `is_own` it is about the caller alone, whom neither keeps from their own figures.
    """
    services, caller = visit.services, visit.caller
    if is_own:
        parameters = [parameter for parameter in parameters if parameter[0] != "user"]
        parameters.append(("user", caller.principal_id))
    else:
        visit.require_manager()
    query = [*_dates(period), *parameters]
    filters: dict[str, list[str]] = {}
    for name, value in parameters:
        filters.setdefault(name, []).append(value)
    db, org, mode = services.db, caller.org_id, caller.privacy
    question = queries.asked(
        db, services.settings, org, report, dict(query), filters, mode, is_own=is_own
    )
    services.freshness.ensure_asked(question)
    with _turn(services.folding if question.is_sliced else None):
        answer = reports.find(services.db, question)
        body = b"".join(reports.envelope(services.db, answer))
    decoded = msgspec.json.decode(body)
    is_insight = report in INSIGHTS
    path = f"/api/{'platform/' if is_insight else ''}v1/analytics/{report}"
    if is_own:
        path, query = OWN_CALLS.get(report, ""), [pair for pair in query if pair[0] != "user"]
    call = visit.call(path, query) if path else ""
    return ReportAnswer(decoded["data"], decoded["meta"], answer.revision, call)


def list_prices(
    visit: Visit, models: Iterable[str], day: date
) -> dict[str, rate_lines.ListPrice | None]:
    """The price of each model on a day, as the API's operation on rates answers it; None where
    there is none."""
    visit.require_manager()
    card = current.card(visit.db, visit.settings, visit.org)
    return {model: rate_lines.of_model(card, model, day).rates[0].usd for model in models}


def compare_card(visit: Visit, first: str, last: str, text: str) -> what_if.WhatIf:
    """What closed days (ISO) would have cost by another rate card (TOML).

    Raises BadRequest for days or a card that cannot be read, or a range that is too long.
    """
    visit.require_manager()
    db, settings, org = visit.db, visit.settings, visit.org
    days = ranges.closed(first, last, what_if.DAYS_MAX)
    cards = what_if.cards(db, settings, org, text)
    visit.services.freshness.ensure(org, days, facts=True)
    with _turn(visit.services.folding):
        return what_if.compare(db, settings, *cards, org, days)


def _dates(period: Period) -> list[tuple[str, str]]:
    return [("startDate", f"{period.first}"), ("endDate", f"{period.last}")]


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
