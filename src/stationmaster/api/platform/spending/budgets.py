"""Budgets: what is set, what applies to whom, and asking for more."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.model import EMAIL_LENGTH_MAX, Caller, require
from stationmaster.agents.cards import PRODUCTS
from stationmaster.api import callers, wire
from stationmaster.api.routing import Db, Opened, router
from stationmaster.limits import budget_requests, effective, gates, manage, reported, scopes
from stationmaster.limits.budgets import AtEnd, PeriodKind, ScopeKind, WhenUnreachable
from stationmaster.limits.model import Currency, Forecast, amount_of, amount_text

Amount = Annotated[
    Annotated[int, Field(strict=True, ge=0), wire.WHOLE] | Annotated[str, Field(max_length=50)],
    Field(
        description="An integer of credits or of picodollars (10⁻¹² dollars), or a text of whole "
        'credits or dollars: "5" is 5000000000000 picodollars.',
        examples=["5"],
    ),
]
Models = Annotated[list[Annotated[str, Field(max_length=scopes.MODEL_MAX)]], Field(max_length=50)]
Who = Annotated[
    str | None,
    Query(max_length=EMAIL_LENGTH_MAX, description="A member's e-mail, or an id of a principal."),
]
Name = Annotated[str | None, Query(max_length=scopes.MODEL_MAX, pattern=wire.ONE_LINE)]


class BudgetScope(wire.Answer):
    kind: ScopeKind
    id: str
    name: str


class BudgetPeriod(wire.Answer):
    """First and last day (UTC), and the time in Unix milliseconds at which use starts at 0
    again."""

    kind: PeriodKind
    start: wire.DayText
    end: wire.DayText
    reset: int


class BudgetForecast(wire.Answer, record=Forecast):
    """`exhaustedOn` is null if it is not within the period; `pace` is the use so far relative
    to the previous period at the same point, 1 for equal."""

    exhausted_on: wire.DayText | None


class AppliedBudget(wire.Answer):
    """A budget and its use. Amounts are integers of credits or of picodollars (10⁻¹² dollars);
    `amount` includes grants, `spent` includes what telemetry reports, `held` is what running
    calls may still cost. `worstOvershoot` is the most by which the gateway's
    calls of this period can exceed the amount; for a budget of a repository, of those calls
    whose repository is known. It is null if nothing limits that: the budget refuses nothing or
    not all, or no
    call of the period has passed the gateway. `overshootNote` states what it does not cover, null
    if it covers all. The use of people who are not shown by name is null.
    """

    id: str
    scope: BudgetScope
    amount: int
    amount_text: str
    currency: Currency
    period: BudgetPeriod
    spent: int | None
    held: int | None
    remaining: int | None
    share: float | None
    state: effective.State | None
    at_end: AtEnd
    models: list[str]
    when_unreachable: WhenUnreachable
    forecast: BudgetForecast | None
    worst_overshoot: int | None
    overshoot_note: str | None
    binds: str


class BudgetList(wire.Answer):
    as_of: int
    budgets: list[AppliedBudget]


class BudgetPrincipal(wire.Answer):
    id: str
    name: str


class AgentRung(wire.Answer, record=effective.AgentEnforcement):
    """`tells`: alerts only; `asks`: hooks refuse; `stops`: the gateway refuses."""


class EffectiveBudgets(wire.Answer):
    """`binding` is the id of the hard budget with the largest used share."""

    as_of: int
    principal: BudgetPrincipal
    budgets: list[AppliedBudget]
    binding: str | None
    rungs: list[AgentRung]


class BudgetTerms(wire.Question):
    amount: Amount
    at_end: AtEnd = "warn"
    models: Models = Field(default_factory=list)
    when_unreachable: WhenUnreachable = "allow"


class NewBudget(BudgetTerms):
    """`scope` is `organization`, `each-user`, or `user:EMAIL`, `team:NAME`, `service-account:NAME`,
    `key:ID`, `repository:URL`, `agent:NAME`, `model:PATTERN`."""

    scope: Annotated[str, Field(min_length=1, max_length=scopes.TEXT_MAX)]
    currency: Currency
    period: PeriodKind = "month"
    starts_on: wire.Day | None = None
    ends_on: wire.Day | None = None


class Ask(wire.Question):
    budget_id: Annotated[str, Field(pattern=wire.ID)]
    reason: Annotated[str, Field(min_length=1, max_length=budget_requests.REASON_MAX)]
    amount: Amount | None = None


class Approval(wire.Question):
    """Without `until` (Unix milliseconds) the grant ends with the budget's period."""

    amount: Amount
    until: Annotated[int, Field(strict=True, ge=0, le=2**53), wire.WHOLE] | None = None


class RequestForMore(wire.Answer, record=budget_requests.BudgetRequest, without=("subject",)):
    request_id: str = wire.sent_as("id")


class RequestsForMore(wire.Answer):
    requests: list[RequestForMore]


routes = router("/api/platform/v1/limits", "Limits")

_USE = (
    *("spent", "held", "remaining", "share", "state", "forecast"),
    *("worst_overshoot", "overshoot_note"),
)
"""What is null of a budget of people who are not shown by name."""


@routes.get("/budgets")
def list_budgets(services: Opened, caller: callers.Manager) -> BudgetList:
    """All budgets of the organization with their use, by scope."""
    listed = effective.all_of(services.db, caller.org_id, services.settings.credit_reset_day)
    return BudgetList(as_of=clock.now_ms(), budgets=[shown(budget) for budget in listed])


@routes.put("/budgets")
def set_budget(services: Opened, body: NewBudget, caller: callers.LimitWriter) -> AppliedBudget:
    """Create a budget, or change the one of the same scope, currency and period."""
    budget = manage.set_budget(
        services.db,
        caller,
        manage.BudgetForm(**dict(body) | {"amount": _amount(body.amount, body.currency)}),
    )
    reported.refresh(services.db, services.settings, caller.org_id)
    return _one(services, caller, budget.id)


@routes.get("/budgets/{budget_id}")
def get_budget(
    services: Opened, budget_id: wire.Identifier, caller: callers.Manager
) -> AppliedBudget:
    """One budget with its use."""
    return _one(services, caller, budget_id)


@routes.put("/budgets/{budget_id}")
def change_budget(
    services: Opened, budget_id: wire.Identifier, body: BudgetTerms, caller: callers.LimitWriter
) -> AppliedBudget:
    """Change the amount of a budget, and what happens when it is used up."""
    before = _one(services, caller, budget_id)
    changed = {
        "amount": _amount(body.amount, before.currency),
        "at_end": body.at_end,
        "models": tuple(body.models),
        "when_unreachable": body.when_unreachable,
    }
    manage.change_budget(services.db, caller, budget_id, **changed)
    return _one(services, caller, budget_id)


@routes.delete("/budgets/{budget_id}", status_code=204)
def remove_budget(db: Db, budget_id: wire.Identifier, caller: callers.LimitWriter) -> Response:
    """Remove a budget with its use and its requests."""
    manage.remove_budget(db, caller, budget_id)
    return Response(status_code=204)


@routes.get("/effective")
def get_effective_budgets(
    services: Opened,
    request: Request,
    caller: callers.Gate,
    user: Who = None,
    agent: Name = None,
    model: Name = None,
) -> EffectiveBudgets:
    """The budgets that apply to the caller, for every role, or, for owners and managers, to
    anyone: how much is left, which one binds, and the rung of each agent. A key that may only
    send telemetry is enough for the caller's own budgets."""
    if user is not None:
        require(caller)
    gated = [
        name for name in request.headers.get(callers.GATE_HEADER, "").split(",") if name in PRODUCTS
    ]
    if gated:
        gates.note(services.db, caller.org_id, caller.principal_id, gated)
    reset_day = services.settings.credit_reset_day
    limits = effective.of(services.db, caller, reset_day, user, agent, model)
    return EffectiveBudgets.of(
        limits,
        principal=BudgetPrincipal(id=limits.principal_id, name=limits.name),
        budgets=[shown(budget) for budget in limits.budgets],
        rungs=limits.rungs,
    )


@routes.get("/requests")
def list_requests(db: Db, caller: callers.Reader) -> RequestsForMore:
    """Requests for more, newest first; members see their own."""
    listed = budget_requests.requests(db, caller)
    return RequestsForMore.of(requests=listed)


@routes.post("/requests", status_code=201)
def ask_for_more(db: Db, body: Ask, caller: callers.Anyone) -> RequestForMore:
    """Ask for more of a budget that applies to the caller, with a reason.

    A key that may only send telemetry is enough.
    """
    budget = effective.budget_of(db, caller, body.budget_id)
    amount = None if body.amount is None else _amount(body.amount, budget.currency)
    return RequestForMore.of(budget_requests.ask(db, caller, budget, body.reason, amount))


@routes.post("/requests/{request_id}/approve")
def approve_request(
    services: Opened, request_id: wire.Identifier, body: Approval, caller: callers.LimitWriter
) -> RequestForMore:
    """Grant an amount beyond the budget until a time."""
    _, budget = budget_requests.one(services.db, caller, request_id)
    until = body.until or budget_requests.period_end(budget, services.settings.credit_reset_day)
    amount = _amount(body.amount, budget.currency)
    return RequestForMore.of(
        budget_requests.approve(services.db, caller, request_id, amount, until)
    )


@routes.post("/requests/{request_id}/deny")
def deny_request(
    db: Db, request_id: wire.Identifier, caller: callers.LimitWriter
) -> RequestForMore:
    """Deny a request for more."""
    return RequestForMore.of(budget_requests.deny(db, caller, request_id))


def shown(applied: effective.ApplyingBudget) -> AppliedBudget:
    """A budget as it is answered."""
    budget = applied.budget
    use: dict[str, Any] = dict.fromkeys(_USE)
    if applied.is_shown:
        use = {
            "spent": applied.used,
            "held": applied.use.held,
            "forecast": BudgetForecast.of(applied.forecast),
        }
    return AppliedBudget.of(
        applied,
        budget,
        scope=BudgetScope.of(budget.scope, name=applied.name),
        amount_text=amount_text(applied.amount, budget.currency),
        period=BudgetPeriod.of(applied.period, kind=budget.period),
        **use,
    )


def _one(services: Opened, caller: Caller, budget_id: str) -> AppliedBudget:
    reset_day = services.settings.credit_reset_day
    return shown(effective.one(services.db, caller.org_id, reset_day, budget_id))


def _amount(amount: int | str, currency: Currency) -> int:
    return amount_of(amount, currency) if isinstance(amount, str) else amount
