"""`/limits/budgets/…`: what is used of a budget and who changed it; add, change, remove one."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, NamedTuple

from fastapi import Form
from pydantic import BaseModel
from starlette.responses import Response

from stationmaster import days
from stationmaster.access import audit
from stationmaster.errors import BadRequest, NotFound, StationmasterError
from stationmaster.limits import budget_requests, effective, manage, reported, service
from stationmaster.limits.budgets import (
    UNNAMED,
    AtEnd,
    Budget,
    PeriodKind,
    ScopeKind,
    WhenUnreachable,
)
from stationmaster.limits.model import Currency, amount_of, amount_text, plain_amount
from stationmaster.web.frame.pages import ManagerVisit, Visit, router, see_other
from stationmaster.web.limits import tables as limit_tables

LIMITS = "/limits"
PATH = f"{LIMITS}/budgets"
HISTORY_READ = 500
"""Records of each kind that are looked through for those of one budget."""
HISTORY_SHOWN = 20
_FIELDS = {
    "invalid_scope": "name",
    "invalid_amount": "amount",
    "invalid_period": "starts_on",
    "invalid_models": "models",
    "invalid_reason": "reason",
    "invalid_until": "until",
}
"""The field of a form about budgets that an error is shown at, by the error's code."""

routes = router()


class Terms(BaseModel):
    """What can be changed of a budget, as it was typed."""

    amount: str = ""
    at_end: AtEnd = "warn"
    models: str = ""
    when_unreachable: WhenUnreachable = "allow"


class NewBudget(Terms):
    """A whole budget, as it was typed."""

    kind: ScopeKind = "organization"
    name: str = ""
    currency: Currency = "usd"
    period: PeriodKind = "month"
    starts_on: str = ""
    ends_on: str = ""


class BudgetChange(NamedTuple):
    """A record of the audit log about a budget, and its text."""

    record: audit.AuditRecord
    text: str


@routes.get(PATH + "/new")
def show_new(visit: ManagerVisit) -> Response:
    return _new(visit, NewBudget())


@routes.post(PATH + "/new")
def add(visit: ManagerVisit, form: Annotated[NewBudget, Form()]) -> Response:
    """Add a budget, or change the one of the same scope, currency and period."""
    try:
        budget = manage.set_budget(visit.db, visit.caller, _wanted(form))
    except StationmasterError as fault:
        return _new(visit, form, fault)
    reported.refresh(visit.db, visit.settings, visit.org)
    return see_other(f"{PATH}/{budget.id}")


@routes.get(PATH + "/{budget_id}")
def show_budget(visit: ManagerVisit, budget_id: str) -> Response:
    return _one(visit, budget_id)


@routes.post(PATH + "/{budget_id}")
def change(visit: ManagerVisit, budget_id: str, form: Annotated[Terms, Form()]) -> Response:
    """Change how much a budget is, and what happens at its end."""
    budget = _applied(visit, budget_id).budget
    try:
        manage.change_budget(
            visit.db,
            visit.caller,
            budget_id,
            amount=amount_of(form.amount, budget.currency),
            at_end=form.at_end,
            models=_models(form.models),
            when_unreachable=form.when_unreachable,
        )
    except BadRequest as fault:
        return _one(visit, budget_id, form, fault)
    return see_other(f"{PATH}/{budget_id}")


@routes.get(PATH + "/{budget_id}/remove")
def ask_to_remove(visit: ManagerVisit, budget_id: str) -> Response:
    applied = _applied(visit, budget_id)
    return visit.confirm("budget", limit_tables.name_of(applied), f"{PATH}/{budget_id}")


@routes.post(PATH + "/{budget_id}/remove")
def remove(visit: ManagerVisit, budget_id: str) -> Response:
    _applied(visit, budget_id)
    manage.remove_budget(visit.db, visit.caller, budget_id)
    return see_other(LIMITS)


def listed(visit: Visit) -> list[effective.ApplyingBudget]:
    """All budgets: those of many before those of one person, the most used first."""
    rows = effective.all_of(visit.db, visit.org, visit.settings.credit_reset_day)
    return sorted(
        rows,
        key=lambda row: (
            row.budget.scope.kind == "user",
            # The order must not reveal how much people use who are not shown by name.
            -row.share if row.is_shown else 0,
            row.budget.scope,
        ),
    )


def outcome(fault: StationmasterError | None, unknown: str | None = None) -> dict[str, Any]:
    """What a page shows of a form about budgets: its status, and the error at its field (`errors`)
    or above the form (`fault`). `unknown` is the field that names what may not exist."""
    if fault is None:
        return {"status": 200, "fault": None, "errors": {}}
    text = fault.detail.replace("`", "")
    field = unknown if isinstance(fault, NotFound) else _FIELDS.get(fault.code)
    if field is None:
        return {"status": fault.status, "fault": text, "errors": {}}
    return {"status": fault.status, "fault": None, "errors": {field: text}}


def _wanted(form: NewBudget) -> manage.BudgetForm:
    """The request of a form. Raises BadRequest."""
    has_name = form.kind not in UNNAMED or form.name.strip()
    return manage.BudgetForm(
        scope=f"{form.kind}:{form.name}" if has_name else form.kind,
        amount=amount_of(form.amount, form.currency),
        currency=form.currency,
        period=form.period,
        starts_on=_day(form.starts_on),
        ends_on=_day(form.ends_on),
        at_end=form.at_end,
        models=_models(form.models),
        when_unreachable=form.when_unreachable,
    )


def _models(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return days.parse(text)
    except ValueError:
        raise BadRequest("Enter days like 2026-12-31.", code="invalid_period") from None


def _new(visit: Visit, form: NewBudget, fault: StationmasterError | None = None) -> Response:
    return _page(visit, None, form, fault, history=[], asked=[])


def _one(
    visit: Visit, budget_id: str, form: Terms | None = None, fault: StationmasterError | None = None
) -> Response:
    """One budget with its use, its history, and the form that changes it."""
    applied = _applied(visit, budget_id)
    budget = applied.budget
    form = form or Terms(
        amount=plain_amount(budget.amount, budget.currency),
        at_end=budget.at_end,
        models="\n".join(budget.models),
        when_unreachable=budget.when_unreachable,
    )
    requests = budget_requests.requests(visit.db, visit.caller)
    history = _history(visit, budget)
    rows = [row for row in requests if row.budget_id == budget_id]
    return _page(visit, applied, form, fault, history=history, asked=rows)


def _page(
    visit: Visit,
    applied: effective.ApplyingBudget | None,
    form: Terms,
    fault: StationmasterError | None,
    *,
    history: list[BudgetChange],
    asked: list[budget_requests.BudgetRequest],
) -> Response:
    """The page of a budget, or of a new one."""
    budget = None if applied is None else applied.budget
    currencies = {} if budget is None else {budget.id: budget.currency}
    tables = [
        limit_tables.requests_of_one(visit, asked, currencies),
        limit_tables.history(visit, history, "" if budget is None else budget.id),
    ]
    return visit.lists(
        "budget.html",
        f"{PATH}/{'new' if budget is None else budget.id}",
        tables,
        row=applied,
        title="New budget" if applied is None else f"Budget of {limit_tables.name_of(applied)}",
        form=form,
        **outcome(fault, unknown="name"),
        history=history[:HISTORY_SHOWN],
        asked=asked,
    )


def _applied(visit: Visit, budget_id: str) -> effective.ApplyingBudget:
    """A budget with its use, for owners and managers. Raises NotFound."""
    reset_day = visit.settings.credit_reset_day
    return effective.one(visit.db, visit.org, reset_day, budget_id)


def _history(visit: Visit, budget: Budget) -> list[BudgetChange]:
    """Changes of a budget, the newest first; none for callers who may not read the audit log."""
    if visit.caller.role != "owner":
        return []
    changes = [
        BudgetChange(record, text)
        for kind in (manage.CHANGED, service.CHANGED)
        for record in audit.page(visit.db, visit.org, limit=HISTORY_READ, event_type=kind)
        if (text := _change_text(record, budget)) is not None
    ]
    return sorted(changes, key=lambda row: row.record.audit_id, reverse=True)


def _change_text(record: audit.AuditRecord, budget: Budget) -> str | None:
    """The text of a record on a budget; None for another one."""
    target, payload = record.target, record.payload or {}
    if target is None:
        return None
    if record.event_type == manage.CHANGED:
        if target.id != budget.id:
            return None
        return f"{amount_text(int(payload['amount']), budget.currency)}, {payload['at_end']}"
    is_published = budget.currency == "credits" and budget.period == "month"
    kind = budget.scope.kind
    published_id = budget.org if kind == "each-user" else budget.scope.id
    if not is_published or kind not in manage.PUBLISHED or target.id != published_id:
        return None
    limit = payload["limit"]
    return "removed" if limit is None else amount_text(limit, "credits")
