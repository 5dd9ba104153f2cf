"""`/limits/own`: the budgets that apply to oneself, and asking for more of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from pydantic import BaseModel
from starlette.responses import Response

from stationmaster.errors import BadRequest, NotFound, StationmasterError
from stationmaster.limits import budget_requests, effective, model
from stationmaster.web.frame.pages import AnyVisit, Visit, router, see_other
from stationmaster.web.limits import tables as limit_tables
from stationmaster.web.limits.budgets import LIMITS, outcome
from stationmaster.web.limits.tables import name_of

PATH = f"{LIMITS}/own"

routes = router()


class RequestForMore(BaseModel):
    """A request for more, as it was typed."""

    budget_id: str = ""
    amount: str = ""
    reason: str = ""


@routes.get(PATH)
def show_own(visit: AnyVisit, budget: str = "") -> Response:
    return own_page(visit, RequestForMore(budget_id=budget))


@routes.post(PATH)
def ask(visit: AnyVisit, form: Annotated[RequestForMore, Form()]) -> Response:
    """Ask for more of a budget that applies to the caller."""
    try:
        db = visit.db
        try:
            budget = effective.budget_of(db, visit.caller, form.budget_id)
        except NotFound:
            raise BadRequest("Choose one of your budgets.") from None
        amount = model.amount_of(form.amount, budget.currency) if form.amount.strip() else None
        budget_requests.ask(db, visit.caller, budget, form.reason, amount)
    except StationmasterError as fault:
        return own_page(visit, form, fault)
    return see_other(PATH)


def own_page(
    visit: Visit, form: RequestForMore | None = None, fault: StationmasterError | None = None
) -> Response:
    """What binds the caller, what each agent does about it, and the caller's requests for more."""
    own = effective.of(visit.db, visit.caller, visit.settings.credit_reset_day)
    by_id = {row.budget.id: row for row in own.budgets}
    requests = budget_requests.requests(visit.db, visit.caller)
    rows = [row for row in requests if row.principal_id == visit.caller.principal_id]
    currencies = {id: row.budget.currency for id, row in by_id.items()}
    return visit.lists(
        "own_budgets.html",
        PATH,
        [
            *limit_tables.applied(visit, own, visit.caller.principal_id),
            limit_tables.requests_of_one(visit, rows, currencies),
        ],
        own=own,
        by_id=by_id,
        form=form or RequestForMore(),
        **outcome(fault),
        choices=[(row.budget.id, name_of(row)) for row in own.budgets],
        asked=rows,
        reason_max=budget_requests.REASON_MAX,
    )
