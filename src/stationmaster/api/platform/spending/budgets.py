"""Budgets: what is set, what applies to whom, and asking for more."""

from __future__ import annotations

from datetime import date
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.agents.recognition import PRODUCTS
from stationmaster.api import blocking, callers, wire
from stationmaster.api.platform.spending.budget_bodies import (
    AgentRung,
    AppliedBudget,
    Approval,
    Ask,
    BudgetForecast,
    BudgetList,
    BudgetPeriod,
    BudgetPrincipal,
    BudgetScope,
    BudgetTerms,
    EffectiveBudgets,
    Name,
    NewBudget,
    RequestForMore,
    RequestsForMore,
    Who,
)
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.ids import user_of_email
from stationmaster.limits import asking, effective, gates, manage, reported
from stationmaster.limits.budgets.model import Currency, amount_text
from stationmaster.limits.effective import Applied
from stationmaster.limits.manage import Wanted

routes = router("/api/platform/v1/limits", "Limits")


@routes.get("/budgets")
async def list_budgets(request: Request, caller: callers.Manager) -> BudgetList:
    """All budgets of the organization with their use, by scope."""
    services = services_of(request)
    found = await blocking.work(
        effective.all_of, services.db, caller.org_id, services.settings.credit_reset_day
    )
    return BudgetList(as_of=clock.now_ms(), budgets=[shown(each) for each in found])


@routes.put("/budgets")
async def set_budget(
    request: Request, body: NewBudget, caller: callers.LimitWriter
) -> AppliedBudget:
    """Make a budget, or change the one of the same scope, currency and period."""
    services = services_of(request)
    wanted = Wanted(
        scope=body.scope,
        amount=_amount(body.amount, body.currency),
        currency=body.currency,
        period=body.period,
        starts_on=body.starts_on,
        ends_on=body.ends_on,
        at_end=body.at_end,
        models=body.models,
        when_unreachable=body.when_unreachable,
    )
    return await blocking.work(lambda: _set(services, caller, wanted))


@routes.get("/budgets/{budget_id}")
async def get_budget(
    request: Request, budget_id: wire.Identifier, caller: callers.Manager
) -> AppliedBudget:
    """One budget with its use."""
    return await blocking.work(_one, services_of(request), caller, budget_id)


@routes.put("/budgets/{budget_id}")
async def change_budget(
    request: Request, budget_id: wire.Identifier, body: BudgetTerms, caller: callers.LimitWriter
) -> AppliedBudget:
    """Change how much a budget is, and what happens at its end."""
    services = services_of(request)

    def change() -> AppliedBudget:
        before = _one(services, caller, budget_id)
        changed = {
            "amount": _amount(body.amount, before.currency),
            "at_end": body.at_end,
            "models": tuple(body.models),
            "when_unreachable": body.when_unreachable,
        }
        manage.change_budget(services.db, caller, budget_id, **changed)
        return _one(services, caller, budget_id)

    return await blocking.work(change)


@routes.delete("/budgets/{budget_id}", status_code=204)
async def remove_budget(
    request: Request, budget_id: wire.Identifier, caller: callers.LimitWriter
) -> Response:
    """Remove a budget with what was used and asked for of it."""
    await blocking.work(manage.remove_budget, services_of(request).db, caller, budget_id)
    return Response(status_code=204)


@routes.get("/effective")
async def get_effective_budgets(
    request: Request,
    caller: callers.Gate,
    user: Who = None,
    agent: Name = None,
    model: Name = None,
) -> EffectiveBudgets:
    """The budgets that apply to the caller, whatever the role, or for managers to anybody: how much
    is left, which one binds, and on which rung each agent stands.

    A key that may only send telemetry is enough for one's own: machines with a gate have no other.
    """
    services = services_of(request)
    if user is not None:
        require(caller)
    principal = None if user is None else _principal(caller, user)
    gated = [
        name for name in request.headers.get(callers.GATE_HEADER, "").split(",") if name in PRODUCTS
    ]

    def find() -> effective.Effective:
        if gated:
            gates.note(services.db, caller.org_id, caller.principal_id, gated)
        reset_day = services.settings.credit_reset_day
        return effective.of(services.db, caller, reset_day, principal, agent, model)

    found = await blocking.work(find)
    return EffectiveBudgets(
        as_of=found.as_of,
        principal=BudgetPrincipal(id=found.principal_id, name=found.name),
        budgets=[shown(budget) for budget in found.budgets],
        binding=found.binding,
        rungs=[AgentRung(**rung._asdict()) for rung in found.rungs],
    )


@routes.get("/requests")
async def list_requests(request: Request, caller: callers.Reader) -> RequestsForMore:
    """Requests for more, the newest first; members see their own."""
    found = await blocking.work(asking.requests, services_of(request).db, caller)
    return RequestsForMore(requests=[_request(each) for each in found])


@routes.post("/requests", status_code=201)
async def ask_for_more(request: Request, body: Ask, caller: callers.Anyone) -> RequestForMore:
    """Ask for more of a budget that applies to the caller, with a reason.

    A key that may only send telemetry is enough: machines with a gate have no other.
    """
    db = services_of(request).db

    def ask() -> asking.Asked:
        budget = asking.budget_of(db, caller, body.budget_id)
        amount = None if body.amount is None else _amount(body.amount, budget.currency)
        return asking.ask(db, caller, budget, body.reason, amount)

    return _request(await blocking.work(ask))


@routes.post("/requests/{request_id}/approve")
async def approve_request(
    request: Request, request_id: wire.Identifier, body: Approval, caller: callers.LimitWriter
) -> RequestForMore:
    """Grant an amount beyond the budget until a time."""
    services = services_of(request)

    def approve() -> asking.Asked:
        _, budget = asking.one(services.db, caller, request_id)
        until = body.until or asking.period_end(budget, services.settings.credit_reset_day)
        amount = _amount(body.amount, budget.currency)
        return asking.approve(services.db, caller, request_id, amount, until)

    return _request(await blocking.work(approve))


@routes.post("/requests/{request_id}/deny")
async def deny_request(
    request: Request, request_id: wire.Identifier, caller: callers.LimitWriter
) -> RequestForMore:
    """Deny a request for more."""
    return _request(await blocking.work(asking.deny, services_of(request).db, caller, request_id))


def shown(applied: Applied) -> AppliedBudget:
    """A budget as it is answered."""
    budget, period = applied.budget, applied.period
    use: dict[str, Any] = dict.fromkeys(
        (
            "spent",
            "held",
            "remaining",
            "share",
            "state",
            "forecast",
            "worst_overshoot",
            "overshoot_note",
        )
    )
    if applied.is_shown:
        exhausted_on, basis, pace = applied.forecast
        use = {
            "spent": applied.used,
            "held": applied.standing.held,
            "remaining": applied.remaining,
            "share": applied.share,
            "state": applied.state,
            "forecast": BudgetForecast(exhausted_on=_iso(exhausted_on), basis=basis, pace=pace),
            "worst_overshoot": applied.worst_overshoot,
            "overshoot_note": applied.overshoot_note,
        }
    return AppliedBudget(
        id=budget.id,
        scope=BudgetScope(kind=budget.scope.kind, id=budget.scope.id, name=applied.name),
        amount=applied.amount,
        amount_text=amount_text(applied.amount, budget.currency),
        currency=budget.currency,
        period=BudgetPeriod(
            kind=budget.period,
            start=period.start.isoformat(),
            end=period.end.isoformat(),
            reset=period.reset,
        ),
        at_end=budget.at_end,
        models=[*budget.models],
        when_unreachable=budget.when_unreachable,
        binds=applied.binds,
        **use,
    )


def _set(services: Services, caller: Caller, wanted: Wanted) -> AppliedBudget:
    budget = manage.set_budget(services.db, caller, wanted)
    reported.refresh(services.db, services.settings, caller.org_id)
    return _one(services, caller, budget.id)


def _one(services: Services, caller: Caller, budget_id: str) -> AppliedBudget:
    reset_day = services.settings.credit_reset_day
    return shown(effective.one(services.db, caller.org_id, reset_day, budget_id))


def _amount(amount: int | str, currency: Currency) -> int:
    return manage.amount_of(amount, currency) if isinstance(amount, str) else amount


def _principal(caller: Caller, user: str) -> str:
    return user_of_email(caller.org_id, user) if "@" in user else user


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _request(asked: asking.Asked) -> RequestForMore:
    return RequestForMore(
        id=asked.request_id,
        budget_id=asked.budget_id,
        principal_id=asked.principal_id,
        reason=asked.reason,
        asked=asked.asked,
        state=asked.state,
        created_at=asked.created_at,
        decided_at=asked.decided_at,
        decided_by=asked.decided_by,
        granted=asked.granted,
        until=asked.until,
    )
