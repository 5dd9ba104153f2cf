"""Refusing an agent's work when a budget is used up, by the rule and in the words of the gate that
runs with agents (`client/hooks/gate.py`)."""

from __future__ import annotations

from stationmaster.access.model import Caller
from stationmaster.client.hooks import gate_decision
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden
from stationmaster.limits import effective
from stationmaster.limits.effective import ApplyingBudget

USED_UP = "budget_used_up"


def check(db: Database, caller: Caller, reset_day: int, principal_id: str, agent: str) -> None:
    """Raise Forbidden where a budget refuses what an agent does for a principal. Raises NotFound as
    `effective.of`."""
    limits = effective.of(db, caller, reset_day, principal_id, agent)
    answer = {
        "asOf": limits.as_of,
        "principal": {"name": limits.name},
        "budgets": [_budget(applied) for applied in limits.budgets],
    }
    stored = {"answer": answer, "refreshedAt": limits.as_of}
    refused, _ = gate_decision.decide(stored, agent, "", limits.as_of)
    if refused:
        raise Forbidden(refused, code=USED_UP)


def _budget(applied: ApplyingBudget) -> dict[str, object]:
    """The members of a budget that the gate reads."""
    budget = applied.budget
    return {
        "id": budget.id,
        "scope": {"kind": budget.scope.kind, "id": budget.scope.id, "name": applied.name},
        "amount": applied.amount,
        "currency": budget.currency,
        "period": {"reset": applied.period.reset},
        "spent": applied.used,
        "remaining": applied.remaining,
        "atEnd": budget.at_end,
        "models": list(budget.models),
        "whenUnreachable": budget.when_unreachable,
    }
