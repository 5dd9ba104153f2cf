"""`/limits/requests/…`: owners and managers decide on requests for more of a budget."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Form
from pydantic import BaseModel
from starlette.responses import Response

from stationmaster import days
from stationmaster.access import service as access
from stationmaster.errors import BadRequest, Conflict, NotFound, StationmasterError
from stationmaster.limits import budget_requests, effective, model
from stationmaster.limits.budgets import Budget, budget_name, budgets_of
from stationmaster.web.frame.pages import ManagerVisit, Visit, router, see_other
from stationmaster.web.limits.budgets import LIMITS, outcome

PATH = f"{LIMITS}/requests"
DECIDED_SHOWN = 10
OPEN_SHOWN = 100

routes = router()


class Approval(BaseModel):
    """How much is granted, until the end of which day, as it was typed."""

    amount: str = ""
    until: str = ""


class RequestRow(NamedTuple):
    """A request for more, its sender, and the budget."""

    asked: budget_requests.BudgetRequest
    who: str
    budget: Budget
    budget_name: str


@routes.get(PATH + "/{request_id}")
def show_request(visit: ManagerVisit, request_id: str) -> Response:
    return _one(visit, request_id)


@routes.post(PATH + "/{request_id}/approve")
def approve(visit: ManagerVisit, request_id: str, form: Annotated[Approval, Form()]) -> Response:
    """Grant an amount beyond the budget, without a day until the end of the budget's period."""
    _, budget = budget_requests.one(visit.db, visit.caller, request_id)
    try:
        amount = model.amount_of(form.amount, budget.currency)
        until = (
            _end_of(form.until)
            if form.until
            else budget_requests.period_end(budget, visit.settings.credit_reset_day)
        )
        budget_requests.approve(visit.db, visit.caller, request_id, amount, until)
    except StationmasterError as fault:
        return _one(visit, request_id, form, fault)
    return see_other(LIMITS)


@routes.post(PATH + "/{request_id}/deny")
def deny(visit: ManagerVisit, request_id: str) -> Response:
    try:
        budget_requests.deny(visit.db, visit.caller, request_id)
    except Conflict as fault:
        return _one(visit, request_id, fault=fault)
    return see_other(LIMITS)


def rows(visit: Visit) -> list[RequestRow]:
    """Requests that wait, and the newest that were decided, as owners and managers see them."""
    requests = budget_requests.requests(visit.db, visit.caller)
    waiting = [row for row in requests if row.state == "open"][:OPEN_SHOWN]
    decided = [row for row in requests if row.state != "open"][:DECIDED_SHOWN]
    names = access.names(visit.db, visit.org)
    budgets = {row.id: row for row in budgets_of(visit.db, visit.org)}
    return [
        RequestRow(
            request,
            names.get(request.principal_id, request.principal_id),
            budgets[request.budget_id],
            budget_name(visit.db, budgets[request.budget_id]),
        )
        for request in waiting + decided
        if request.budget_id in budgets
    ]


def _one(
    visit: Visit,
    request_id: str,
    form: Approval | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    """A request with what is left of its budget, and the forms that decide it."""
    request, budget = budget_requests.one(visit.db, visit.caller, request_id)
    amount = "" if request.asked is None else model.plain_amount(request.asked, budget.currency)
    names = access.names(visit.db, visit.org)
    return visit.page(
        "budget_request.html",
        asked=request,
        who=names.get(request.principal_id, request.principal_id),
        by=names.get(request.decided_by or "", request.decided_by),
        budget=budget,
        budget_name=budget_name(visit.db, budget),
        row=_applied(visit, request),
        form=form or Approval(amount=amount),
        **outcome(fault),
    )


def _applied(
    visit: Visit, request: budget_requests.BudgetRequest
) -> effective.ApplyingBudget | None:
    """The budget as it applies to who asked; None where it does not any more."""
    reset_day = visit.settings.credit_reset_day
    try:
        limits = effective.of(visit.db, visit.caller, reset_day, request.principal_id)
    except NotFound:
        return None
    return next((row for row in limits.budgets if row.budget.id == request.budget_id), None)


def _end_of(text: str) -> int:
    """The end of a UTC day, in milliseconds. Raises BadRequest."""
    try:
        return days.start_ms(days.parse(text)) + days.MS_PER_DAY
    except ValueError:
        raise BadRequest("Enter a day like 2026-12-31.", code="invalid_until") from None
