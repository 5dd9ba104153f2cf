"""Budgets and calls in short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stationmaster import clock, ids
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits import holds
from stationmaster.limits.admission import Admission
from stationmaster.limits.budgets import Budget, Call, Cost, Scope, ScopeKind, put_budget
from stationmaster.limits.holds import Hold, Refusal
from stationmaster.pricing.credits.dollars import PER_DOLLAR

LIVES_MS = 60_000


class Ledger(holds.Ledger):
    """A ledger whose decisions are each a transaction of their own."""

    def admit(self, call: Call, cost: Cost, *, lives_ms: int, **about: Any) -> Hold | Refusal:
        """Hold the cost of a call: see `Admission.admit`."""
        with self.admission(call.org) as admission:
            now = clock.now_ms()
            answer = admission.admit(call, cost, lives_ms=lives_ms, **about)
        return self.answered(answer, now + lives_ms)

    def extend(self, hold_id: str, more: Cost, *, lives_ms: int) -> bool:
        """Hold more for an open call: see `Admission.extend`."""
        with self._of(hold_id) as admission:
            return admission is None or admission.extend(hold_id, more, lives_ms=lives_ms)

    def note(self, hold_id: str, floor: Cost) -> None:
        """State what a call has cost at least so far: see `Admission.note`."""
        with self._of(hold_id) as admission:
            if admission is not None:
                admission.note(hold_id, floor)

    def settle(self, hold_id: str, actual: Cost) -> None:
        """Count what a call cost and end its hold: see `Admission.settle`."""
        with self._of(hold_id) as admission:
            if admission is not None:
                admission.settle({hold_id: actual})

    @contextmanager
    def _of(self, hold_id: str) -> Iterator[Admission | None]:
        """The admission of a hold's organization; None for a hold without rows."""
        with self._db.quick() as transaction:
            rows = transaction.rows("SELECT org_id FROM budget_holds WHERE hold_id = ?", hold_id)
            if not rows:
                yield None
                return
            admission = Admission(transaction, rows[0][0], self._reset_day, clock.now_ms())
            yield admission
            admission.finish()


def usd(amount: float) -> Cost:
    """A cost in dollars alone."""
    return Cost(picodollars=round(amount * 1000) * PER_DOLLAR // 1000)


def a_budget(
    db: Database, org: OrgId, kind: ScopeKind = "organization", scope_id: str = "", **fields: Any
) -> Budget:
    """A stored hard budget of five dollars a month, unless stated otherwise."""
    usual = {
        "id": ids.new("budget"),
        "amount": usd(5).picodollars,
        "currency": "usd",
        "period": "month",
        "at_end": "refuse",
    }
    budget = Budget(org=org, scope=Scope(kind, scope_id), **(usual | fields))
    with db.transaction() as connection:
        put_budget(connection, budget)
    return budget


def a_call(org: OrgId, principal_id: str = "user_ada", **fields: str) -> Call:
    usual = {"key_id": "key_1", "agent": "claude-code", "model": "claude-opus-5-5"}
    return Call(org, principal_id, **(usual | fields))


def ask(ledger: Ledger, call: Call, cost: Cost, **fields: Any) -> Hold | Refusal:
    usual = {"owner": "gateway-1", "lives_ms": LIVES_MS, "request_id": "req_1"}
    return ledger.admit(call, cost, **(usual | fields))


def hold(ledger: Ledger, call: Call, cost: Cost, **fields: Any) -> str:
    """The id of a hold that must be given."""
    answer = ask(ledger, call, cost, **fields)
    assert isinstance(answer, Hold), answer
    return answer.id


def refused(ledger: Ledger, call: Call, cost: Cost, **fields: Any) -> Refusal:
    answer = ask(ledger, call, cost, **fields)
    assert isinstance(answer, Refusal), answer
    return answer


def spent(db: Database, budget: Budget, subject: str = "") -> int:
    """What is settled of a budget, in all periods."""
    rows = db.rows(
        "SELECT spent FROM budget_use WHERE budget_id = ? AND subject = ?", budget.id, subject
    )
    return sum(int(text) for (text,) in rows)


def open_holds(db: Database) -> int:
    [(count,)] = db.rows("SELECT count(*) FROM budget_holds WHERE charged IS NULL")
    return int(count)
