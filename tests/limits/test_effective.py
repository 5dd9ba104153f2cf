"""What is stated of budgets: by how much each can be exceeded, and where nothing limits that."""

from __future__ import annotations

import pytest

from stationmaster.db.engine import Database
from stationmaster.limits import effective
from stationmaster.limits.effective import ApplyingBudget
from tests.limits.cases import Ledger, a_budget, a_call, hold, usd
from tests.support.builders import an_organization


def applied(db: Database, at_end: str, *, passes: bool, reported: int = 0) -> ApplyingBudget:
    org = an_organization(db)
    budget = a_budget(db, org, at_end=at_end)
    if passes:
        hold(Ledger(db, 1), a_call(org), usd(0.5), tail=usd(0.125))
    if reported:
        sql = "UPDATE budget_use SET reported = ? WHERE org_id = ? AND budget_id = ?"
        db.write(sql, [(str(reported), org, budget.id)])
    return effective.one(db, org, 1, budget.id)


def test_a_budget_that_refuses_states_what_calls_at_the_gateway_can_exceed_it_by(
    db: Database,
) -> None:
    budget = applied(db, "refuse", passes=True)

    assert (budget.worst_overshoot, budget.overshoot_note) == (usd(0.125).picodollars, None)


@pytest.mark.parametrize(
    ("at_end", "passes", "reason"),
    [
        ("warn", True, "refuses nothing"),
        ("allow-models", True, "models that it names"),
        ("refuse", False, "No call of this period has passed the gateway"),
    ],
)
def test_where_nothing_limits_what_exceeds_a_budget_no_figure_is_stated_but_the_reason(
    db: Database, at_end: str, passes: bool, reason: str
) -> None:
    budget = applied(db, at_end, passes=passes)

    assert budget.worst_overshoot is None
    assert reason in (budget.overshoot_note or "")


def test_what_passed_no_gateway_is_named_beside_the_figure(db: Database) -> None:
    budget = applied(db, "refuse", passes=True, reported=usd(3.2).picodollars)

    assert budget.worst_overshoot == usd(0.125).picodollars
    assert "$3.20 did not pass a gateway" in (budget.overshoot_note or "")
