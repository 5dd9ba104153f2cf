"""`/limits/requests/…`: owners and managers decide on requests for more of a budget."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Form
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import days
from stationmaster.access import service as access
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.errors import BadRequest, Conflict, NotFound, StationmasterError
from stationmaster.limits import asking, effective, manage
from stationmaster.limits.asking import Asked
from stationmaster.limits.budgets import names as budget_names
from stationmaster.limits.budgets import rows as budget_rows
from stationmaster.limits.budgets.model import Budget
from stationmaster.limits.effective import Applied
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.limits.budgets import LIMITS, outcome, plain_amount

PATH = f"{LIMITS}/requests"
DECIDED_SHOWN = 10
OPEN_SHOWN = 100

routes = router()


class Approval(BaseModel):
    """How much is granted, until the end of which day, as it was typed."""

    amount: str = ""
    until: str = ""


class RequestRow(NamedTuple):
    """A request for more, who asks, and of which budget."""

    asked: Asked
    who: str
    budget: Budget
    budget_name: str


@routes.get(PATH + "/{request_id}")
def show_request(request: Request, caller: SignedIn, request_id: str) -> Response:
    return _one(request, caller, request_id)


@routes.post(PATH + "/{request_id}/approve")
def approve(
    request: Request, caller: SignedIn, request_id: str, form: Annotated[Approval, Form()]
) -> Response:
    """Grant an amount beyond the budget, without a day until the end of the budget's period."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    _, budget = asking.one(services.db, caller, request_id)
    try:
        amount = manage.amount_of(form.amount, budget.currency)
        until = (
            _end_of(form.until)
            if form.until
            else asking.period_end(budget, services.settings.credit_reset_day)
        )
        asking.approve(services.db, caller, request_id, amount, until)
    except StationmasterError as fault:
        return _one(request, caller, request_id, form, fault)
    return see_other(LIMITS)


@routes.post(PATH + "/{request_id}/deny")
def deny(request: Request, caller: SignedIn, request_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    try:
        asking.deny(services_of(request).db, caller, request_id)
    except Conflict as fault:
        return _one(request, caller, request_id, fault=fault)
    return see_other(LIMITS)


def rows(request: Request, caller: Caller) -> list[RequestRow]:
    """Requests that wait, and the newest that were decided, as owners and managers see them."""
    db = services_of(request).db
    requests = asking.requests(db, caller)
    waiting = [row for row in requests if row.state == "open"][:OPEN_SHOWN]
    decided = [row for row in requests if row.state != "open"][:DECIDED_SHOWN]
    names = access.names(db, caller.org_id)
    budgets = {row.id: row for row in budget_rows.all_of(db, caller.org_id)}
    return [
        RequestRow(
            asked,
            names.get(asked.principal_id, asked.principal_id),
            budgets[asked.budget_id],
            budget_names.of(db, budgets[asked.budget_id]),
        )
        for asked in waiting + decided
        if asked.budget_id in budgets
    ]


def _one(
    request: Request,
    caller: Caller,
    request_id: str,
    form: Approval | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    """A request with what is left of its budget, and the forms that decide it."""
    require(caller, *menu.MANAGERS)
    db = services_of(request).db
    asked, budget = asking.one(db, caller, request_id)
    amount = "" if asked.asked is None else plain_amount(asked.asked, budget.currency)
    names = access.names(db, caller.org_id)
    return page(
        "budget_request.html",
        caller,
        request,
        asked=asked,
        who=names.get(asked.principal_id, asked.principal_id),
        by=names.get(asked.decided_by or "", asked.decided_by),
        budget=budget,
        budget_name=budget_names.of(db, budget),
        row=_applied(request, caller, asked),
        form=form or Approval(amount=amount),
        **outcome(fault),
    )


def _applied(request: Request, caller: Caller, asked: Asked) -> Applied | None:
    """The budget as it applies to who asked; None where it does not any more."""
    services = services_of(request)
    reset_day = services.settings.credit_reset_day
    try:
        found = effective.of(services.db, caller, reset_day, asked.principal_id)
    except NotFound:
        return None
    return next((row for row in found.budgets if row.budget.id == asked.budget_id), None)


def _end_of(text: str) -> int:
    """The end of a UTC day, in milliseconds. Raises BadRequest."""
    try:
        return days.start_ms(days.parse(text)) + days.MS_PER_DAY
    except ValueError:
        raise BadRequest("Enter a day like 2026-12-31.", code="invalid_until") from None
