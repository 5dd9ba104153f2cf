"""Holds: what open calls may still cost, in rows with an owner and an end.

A call is admitted where every budget that it falls under has room for what is held, in one
transaction, and settled with what it cost. A hold whose owner is gone is charged its floor when it
expires. Nothing here is a counter that a crash could leave too high.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits.admission import KEPT_MS, Desk, Shortage
from stationmaster.limits.budgets import names as budget_names
from stationmaster.limits.budgets.model import Budget, Call, Cost, amount_text, reset_text

SWEPT_AT_ONCE = 200
_KEPT_MAX = 1_000
"""Organizations of which one process knows what its transactions have read."""
# A clock that was set back must not let a hold live on: none expires later than after its life.
_DUE = """
SELECT DISTINCT org_id, hold_id FROM budget_holds
WHERE (charged IS NULL AND (expires_at <= ? OR expires_at > ? + 2 * lives_ms))
   OR (charged IS NOT NULL AND (expires_at <= ? OR expires_at > ? + 2 * lives_ms + ?))
ORDER BY org_id, hold_id LIMIT ?
"""
_ORG = "SELECT org_id FROM budget_holds WHERE hold_id = ? LIMIT 1"


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
        self._kept: dict[OrgId, tuple[object, Desk]] = {}
        """What transactions that did not wait have read, with the version it is of."""

    @contextmanager
    def desk(self, org: OrgId) -> Iterator[Desk]:
        """Several decisions about an organization in one transaction, which is cheaper."""
        with self._db.quick() as transaction:
            desk = Desk(transaction, org, self._reset_day, clock.now_ms())
            yield desk
            desk.finish()

    @contextmanager
    def desk_at_once(self, org: OrgId) -> Iterator[Desk]:
        """The same, always on one thread, without waiting for others: see `Database.quick`. What
        it has read is not read again while nobody else writes. Raises Busy."""
        with self._db.quick(wait=False) as transaction:
            version, now = transaction.version(), clock.now_ms()
            # It is back only once this transaction is committed.
            of, desk = self._kept.pop(org, (None, None))
            if desk is not None and of == version and desk.is_current(now):
                desk.begin_again(transaction, now)
            else:
                desk = Desk(transaction, org, self._reset_day, now)
            yield desk
            desk.finish()
        if len(self._kept) >= _KEPT_MAX:
            self._kept.clear()
        self._kept[org] = (version, desk)

    def admit(
        self,
        call: Call,
        cost: Cost,
        *,
        owner: str,
        lives_ms: int,
        request_id: str,
        floor: Cost | None = None,
        tail: Cost = Cost(),  # noqa: B008 - a constant
    ) -> Hold | Refusal:
        """Hold the cost of a call in every budget that it falls under, or in none: see
        `Desk.admit`."""
        with self.desk(call.org) as desk:
            now = clock.now_ms()
            answer = desk.admit(
                *(call, cost),
                owner=owner,
                lives_ms=lives_ms,
                request_id=request_id,
                floor=floor,
                tail=tail,
            )
        return self.answered(answer, now + lives_ms)

    def answered(self, answer: str | list[Shortage], expires_at: int) -> Hold | Refusal:
        """What `Desk.admit` answered, for the caller; read after its transaction."""
        if isinstance(answer, str):
            return Hold(answer, expires_at)
        # The one that keeps the call away for longest.
        short = max(answer, key=lambda each: (each.place.period.reset, each.place.budget.id))
        return refusal(self._db, short)

    def extend(self, hold_id: str, more: Cost, *, lives_ms: int) -> bool:
        """Hold more for an open call; False where a budget has no room: see `Desk.extend`."""
        with self._of(hold_id) as desk:
            return desk is None or desk.extend(hold_id, more, lives_ms=lives_ms)

    def note(self, hold_id: str, floor: Cost) -> None:
        """State what a call has cost at least so far: see `Desk.note`."""
        with self._of(hold_id) as desk:
            if desk is not None:
                desk.note(hold_id, floor)

    def settle(self, hold_id: str, actual: Cost) -> None:
        """Count what a call cost and end its hold: see `Desk.settle`."""
        with self._of(hold_id) as desk:
            if desk is not None:
                desk.settle({hold_id: actual})

    def sweep(self, now: int | None = None) -> int:
        """Charge the floor of holds that have expired; how many there were. Any number of
        processes may do this at once."""
        now = clock.now_ms() if now is None else now
        due = self._db.rows(_DUE, now, now, now - KEPT_MS, now, KEPT_MS, SWEPT_AT_ONCE)
        for org in sorted({org for org, _ in due}):
            with self._db.quick() as transaction:
                desk = Desk(transaction, org, self._reset_day, now)
                desk.expire(hold_id for of, hold_id in due if of == org)
                desk.finish()
        return len(due)

    @contextmanager
    def _of(self, hold_id: str) -> Iterator[Desk | None]:
        """The desk of a hold's organization; None for a hold without rows."""
        with self._db.quick() as transaction:
            rows = transaction.rows(_ORG, hold_id)
            if not rows:
                yield None
                return
            desk = Desk(transaction, rows[0][0], self._reset_day, clock.now_ms())
            yield desk
            desk.finish()


def refusal(db: Database, short: Shortage) -> Refusal:
    """A shortage in words: who, how much of what, until when, and the command to ask for more."""
    (budget, subject, period, _, amount), standing = short.place, short.standing
    used = standing.spent + standing.reported
    whose = budget_names.of(db, budget, subject)
    unit = budget.currency
    parts = [
        f"The {_every(budget)}budget of {whose} has no room for this call: "
        f"{amount_text(used, unit)} of {amount_text(amount, unit)} used"
    ]
    if standing.held:
        parts.append(f", {amount_text(standing.held, unit)} held by running calls")
    parts.append(f". It is available again from {reset_text(period)}.")
    if budget.models:
        parts.append(f" Still allowed: {', '.join(budget.models)}.")
    parts.append(f" Ask for more: stationmaster limits ask {budget.id} --reason WHY")
    return Refusal(budget, amount, used, standing.held, period.reset, "".join(parts))


def _every(budget: Budget) -> str:
    words = {"day": "daily ", "week": "weekly ", "month": "monthly ", "dates": ""}
    return words[budget.period]
