"""Holds: what open calls may still cost, in rows with an owner and an end.

A call is admitted where every budget that it falls under has room for what is held, in one
transaction, and settled with what it cost. A hold whose owner has ended is charged its floor when
it expires. Nothing here is a counter that a crash could leave too high.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits.admission import KEPT_MS, Admission, Shortage
from stationmaster.limits.budgets import Budget, budget_name, reset_text
from stationmaster.limits.model import amount_text

SWEPT_AT_ONCE = 200
_EVERY = {"day": "daily ", "week": "weekly ", "month": "monthly ", "dates": ""}
_KEPT_MAX = 1_000
"""Organizations of which one process knows what its transactions have read."""
# A clock that was set back must not let a hold live on: none expires later than after its life.
_DUE = """
SELECT DISTINCT org_id, hold_id FROM budget_holds
WHERE (charged IS NULL AND (expires_at <= ? OR expires_at > ? + 2 * lives_ms))
   OR (charged IS NOT NULL AND (expires_at <= ? OR expires_at > ? + 2 * lives_ms + ?))
ORDER BY org_id, hold_id LIMIT ?
"""


class Hold(Struct, frozen=True):
    """A call that may begin. It ends at `expires_at` (UTC ms) unless it is extended."""

    id: str
    expires_at: int


class Refusal(Struct, frozen=True):
    """Why a call may not begin: the budget that has no room until `resets_at` (UTC ms); `amount`
    with what was granted beyond it, `spent` with what telemetry reports."""

    budget: Budget
    amount: int
    spent: int
    held: int
    resets_at: int
    message: str


class Ledger:
    """The holds of a database. Safe to use from any thread; a process opens its own."""

    def __init__(self, db: Database, reset_day: int) -> None:
        """`reset_day` is the day of the month on which months of credits begin."""
        self._db = db
        self._reset_day = reset_day
        self._kept: dict[OrgId, tuple[object, Admission]] = {}
        """What transactions that did not wait have read, with the version it is of."""

    @contextmanager
    def admission(self, org: OrgId) -> Iterator[Admission]:
        """Several decisions about an organization in one transaction, which is cheaper."""
        with self._db.quick() as transaction:
            admission = Admission(transaction, org, self._reset_day, clock.now_ms())
            yield admission
            admission.finish()

    @contextmanager
    def admission_at_once(self, org: OrgId) -> Iterator[Admission]:
        """The same, always on one thread, without waiting for others: see `Database.quick`. What
        it has read is not read again while no other process writes. Raises Busy."""
        with self._db.quick(wait=False) as transaction:
            version, now = transaction.version(), clock.now_ms()
            # It is back only once this transaction is committed.
            of, admission = self._kept.pop(org, (None, None))
            if admission is not None and of == version and admission.is_current(now):
                admission.begin_again(transaction, now)
            else:
                admission = Admission(transaction, org, self._reset_day, now)
            yield admission
            admission.finish()
        if len(self._kept) >= _KEPT_MAX:
            self._kept.clear()
        self._kept[org] = (version, admission)

    def answered(self, answer: str | list[Shortage], expires_at: int) -> Hold | Refusal:
        """What `Admission.admit` answered, for the caller; read after its transaction."""
        if isinstance(answer, str):
            return Hold(answer, expires_at)
        # The one that keeps the call away for longest.
        short = max(
            answer, key=lambda shortage: (shortage.of_call.period.reset, shortage.of_call.budget.id)
        )
        return refusal(self._db, short)

    def sweep(self, now: int | None = None) -> int:
        """Charge the floor of holds that have expired; how many there were. Any number of
        processes may do this at the same time."""
        now = clock.now_ms() if now is None else now
        due = self._db.rows(_DUE, now, now, now - KEPT_MS, now, KEPT_MS, SWEPT_AT_ONCE)
        for org in sorted({org for org, _ in due}):
            with self._db.quick() as transaction:
                admission = Admission(transaction, org, self._reset_day, now)
                admission.expire(hold_id for of, hold_id in due if of == org)
                admission.finish()
        return len(due)


def refusal(db: Database, short: Shortage) -> Refusal:
    """A shortage in words: who, how much of what, until when, and the command to ask for more."""
    (budget, subject, period, _, amount), use = short.of_call, short.use
    used = use.spent + use.reported
    whose = budget_name(db, budget, subject)
    unit = budget.currency
    parts = [
        f"The {_EVERY[budget.period]}budget of {whose} has no room for this call: "
        f"{amount_text(used, unit)} of {amount_text(amount, unit)} used"
    ]
    if use.held:
        parts.append(f", {amount_text(use.held, unit)} held by running calls")
    parts.append(f". It is available again from {reset_text(period)}.")
    if budget.models:
        parts.append(f" Still allowed: {', '.join(budget.models)}.")
    parts.append(f" Ask for more: stationmaster limits ask {budget.id} --reason WHY")
    return Refusal(budget, amount, used, use.held, period.reset, "".join(parts))
