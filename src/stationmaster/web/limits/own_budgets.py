"""`/limits/own`: the budgets that apply to oneself, and asking for more of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Caller
from stationmaster.errors import BadRequest, NotFound, StationmasterError
from stationmaster.limits import asking, effective, manage
from stationmaster.web.frame.lists import list_page
from stationmaster.web.frame.pages import router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.limits import tables as limit_tables
from stationmaster.web.limits.budgets import LIMITS, outcome
from stationmaster.web.limits.tables import name_of

PATH = f"{LIMITS}/own"

routes = router()


class Ask(BaseModel):
    """A request for more, as it was typed."""

    budget_id: str = ""
    amount: str = ""
    reason: str = ""


@routes.get(PATH)
def show_own(request: Request, caller: SignedIn, budget: str = "") -> Response:
    return own_page(request, caller, Ask(budget_id=budget))


@routes.post(PATH)
def ask(request: Request, caller: SignedIn, form: Annotated[Ask, Form()]) -> Response:
    """Ask for more of a budget that applies to the caller."""
    try:
        db = services_of(request).db
        try:
            budget = asking.budget_of(db, caller, form.budget_id)
        except NotFound:
            raise BadRequest("Choose one of your budgets.") from None
        amount = manage.amount_of(form.amount, budget.currency) if form.amount.strip() else None
        asking.ask(db, caller, budget, form.reason, amount)
    except StationmasterError as fault:
        return own_page(request, caller, form, fault)
    return see_other(PATH)


def own_page(
    request: Request,
    caller: Caller,
    form: Ask | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    """What binds the caller, what each agent does about it, and the caller's requests for more."""
    own = _own(request, caller)
    by_id = {row.budget.id: row for row in own.budgets}
    requests = asking.requests(services_of(request).db, caller)
    rows = [row for row in requests if row.principal_id == caller.principal_id]
    currencies = {id: row.budget.currency for id, row in by_id.items()}
    return list_page(
        "own_budgets.html",
        caller,
        request,
        PATH,
        [
            *limit_tables.applied(request, own, caller.principal_id),
            limit_tables.requests_of_one(request, rows, currencies),
        ],
        own=own,
        by_id=by_id,
        form=form or Ask(),
        **outcome(fault),
        choices=[(row.budget.id, name_of(row)) for row in own.budgets],
        asked=rows,
        reason_max=asking.REASON_MAX,
    )


def _own(request: Request, caller: Caller) -> effective.Effective:
    services = services_of(request)
    return effective.of(services.db, caller, services.settings.credit_reset_day)
