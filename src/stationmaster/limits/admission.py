"""Whether a model call may begin under the budgets of an organization, what is held for it, and
its cost: one transaction, which the gateway opens through `holds.Ledger`.

Every change of holds happens here, and an organization's are made one after the other: on SQLite
because a writing transaction is the only one, on PostgreSQL by a lock that ends with it. So a sum
that was read is still right when the decision is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stationmaster import days, ids
from stationmaster.budget_rules import has_room
from stationmaster.db.alone import number_of
from stationmaster.db.quick import Quick
from stationmaster.db.readers import marks
from stationmaster.limits.budget_use import BudgetUse, BudgetUses, Key
from stationmaster.limits.budgets import (
    COLUMNS,
    Budget,
    Call,
    Cost,
    binding,
    read_budget,
    subject_of,
)
from stationmaster.limits.model import Currency, Period

HOLD_MAX = 2**49
"""The largest hold of a call, some 560 dollars: the sum of 16,000 such holds fits into 64 bits."""
KEPT_MS = days.MS_PER_DAY
"""How long the row of an expired hold is kept, for a call that ends after all."""

_LOCK = "SELECT pg_advisory_xact_lock(?)"
_TEAM = "SELECT team FROM members WHERE org_id = ? AND user_id = ? AND removed_at IS NULL"
_BUDGETS = f"""
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_id IN (?, ?, ?, ?, ?, ?)
UNION ALL
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_kind = 'model'
"""
_GRANTS = """
SELECT budget_id, subject, granted, until FROM budget_requests
WHERE org_id = ? AND budget_id IN ({marks}) AND state = 'approved' AND until > ?
"""
_PUT_HOLD = """
INSERT INTO budget_holds (org_id, budget_id, subject, period_start, hold_id, amount, floor, tail,
                          is_hard, lives_ms, expires_at, owner, request_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HOLDS = """
SELECT h.hold_id, h.budget_id, h.subject, h.period_start, h.amount, h.floor, h.tail, h.is_hard,
       h.charged, h.lives_ms, h.expires_at, b.currency, b.amount
FROM budget_holds h
JOIN budgets b ON b.org_id = h.org_id AND b.budget_id = h.budget_id
WHERE h.hold_id IN ({marks}) AND h.org_id = ?
ORDER BY h.hold_id, h.budget_id
"""
_EXTEND = """
UPDATE budget_holds SET amount = ?, charged = NULL, lives_ms = ?, expires_at = ?
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ? AND hold_id = ?
"""
_FLOOR = """
UPDATE budget_holds SET floor = ?
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ? AND hold_id = ?
"""
_CHARGE = """
UPDATE budget_holds SET charged = ?, expires_at = ?
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ? AND hold_id = ?
"""
_DELETE_OLD = """
DELETE FROM budget_holds
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ? AND hold_id = ?
"""
_REMOVE = "DELETE FROM budget_holds WHERE org_id = ? AND hold_id = ?"

_READ_AT_ONCE = 64
_CALLS_MAX = 10_000


class BudgetOfCall(NamedTuple):
    """A budget that a call falls under."""

    budget: Budget
    subject: str
    period: Period
    key: Key
    amount: int
    """With what was granted beyond the budget's own."""


class Shortage(NamedTuple):
    """A budget that has no room for a call."""

    of_call: BudgetOfCall
    use: BudgetUse


class _Held(NamedTuple):
    """One row of a hold, with its budget."""

    hold_id: str
    key: Key
    amount: int
    floor: int
    tail: int
    is_hard: bool
    charged: int | None
    lives_ms: int
    expires_at: int
    currency: Currency
    limit: int

    def is_over(self, now: int) -> bool:
        """Has it expired? One that would live for longer than it may was made by a clock that was
        set back since."""
        kept = 0 if self.charged is None else KEPT_MS
        return not now - kept < self.expires_at <= now + 2 * self.lives_ms + kept


class Admission:
    """Decisions in one transaction at one moment; `reset_day` is when months of credits begin.

    What was read stays true until the transaction ends, so many decisions share each reading, and
    their costs are written together by `finish`.
    """

    def __init__(self, transaction: Quick, org: ids.OrgId, reset_day: int, now: int) -> None:
        self._transaction = transaction
        self._org = org
        self._reset_day = reset_day
        self._now = now
        self._budgets: dict[Call, list[BudgetOfCall]] = {}
        self._budgets_until = days.start_ms(days.of_ms(now)) + days.MS_PER_DAY
        """When budgets may have other periods or grants."""
        self._uses = BudgetUses(transaction, org)
        self._holds: dict[str, list[_Held]] = {}
        """Open holds whose rows are known."""
        self._new: list[tuple[Any, ...]] = []
        """Rows of holds that are not written yet."""
        if transaction.is_postgresql:
            transaction.rows(_LOCK, number_of(f"budgets of {org}"))

    def is_current(self, now: int) -> bool:
        """May it go on at a later moment? Not where budgets may have other periods or grants."""
        return self._now <= now < self._budgets_until and len(self._budgets) <= _CALLS_MAX

    def begin_again(self, transaction: Quick, now: int) -> None:
        """Continue in another transaction, before which no other process has changed anything since
        this one was committed: see `Quick.version`."""
        self._transaction = self._uses.transaction = transaction
        self._now = now

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
    ) -> str | list[Shortage]:
        """Hold the cost in every budget that the call falls under: the hold's id; or hold nothing,
        and return which budgets have no room.

        `floor` is charged where the call never reports its cost: all that is held, unless another
        one is stated. `tail` is the most that the call may cost beyond what it holds.
        """
        budgets = self._budgets_of(call)
        if short := self._short(call, cost, budgets):
            return short
        hold_id = ids.new("hold")
        expires_at = self._now + lives_ms
        held = self._holds[hold_id] = []
        for of_call in budgets:
            budget, key = of_call.budget, of_call.key
            kept, least, more = (
                _bounded(part.of(budget.currency)) for part in (cost, floor or cost, tail)
            )
            is_hard = int(not budget.allows_at_end(call.model))
            row = (self._org, *key, hold_id, kept, least, more, is_hard)
            self._new.append((*row, lives_ms, expires_at, owner, request_id))
            self._uses.open(key, kept, more)
            held.append(
                _Held(
                    *(hold_id, key, kept, least, more, bool(is_hard), None, lives_ms, expires_at),
                    *(budget.currency, budget.amount),
                )
            )
        return hold_id

    def charge(self, call: Call, actual: Cost) -> None:
        """Count a call that was made while nothing could be held."""
        for of_call in self._budgets_of(call):
            self._uses.spend(of_call.key, max(actual.of(of_call.budget.currency), 0))

    def extend(self, hold_id: str, more: Cost, *, lives_ms: int) -> bool:
        """Hold more for an open call, and let it live on; False, with nothing changed, where a
        budget has no room. A hold that has expired is opened again."""
        held = self._held([hold_id])
        self._holds.pop(hold_id, None)
        granted = self._granted({hold.key[0] for hold in held})
        for hold in held:
            taken = self._uses[hold.key].taken
            if hold.charged is not None:
                taken += hold.amount - hold.charged
            limit = hold.limit + granted.get(hold.key[:2], 0)
            if hold.is_hard and not has_room(limit, taken, more.of(hold.currency)):
                return False
        rows = []
        for hold in held:
            amount = _bounded(hold.amount + more.of(hold.currency))
            rows.append(
                (amount, lives_ms, self._now + lives_ms, self._org, *hold.key, hold_id),
            )
            if hold.charged is None:
                self._uses.hold(hold.key, amount - hold.amount)
            else:
                self._uses.spend(hold.key, -hold.charged)
                self._uses.open(hold.key, amount, hold.tail)
        self._transaction.many(_EXTEND, rows)
        return True

    def note(self, hold_id: str, floor: Cost) -> None:
        """State what a call has cost at least so far, which is charged where it never ends."""
        self._transaction.many(
            _FLOOR,
            [
                (_bounded(floor.of(hold.currency)), self._org, *hold.key, hold_id)
                for hold in self._held([hold_id])
            ],
        )

    def settle(self, actual: Mapping[str, Cost]) -> None:
        """Count what calls cost, by their holds, and hold nothing for them any longer. A second
        time does nothing; after a hold has expired, what was charged then is corrected."""
        held = self._held(actual)
        for hold_id in actual:
            self._holds.pop(hold_id, None)
        for hold in held:
            self._end(hold, max(actual[hold.hold_id].of(hold.currency), 0))
        if gone := sorted({hold.hold_id for hold in held}):
            self._transaction.many(_REMOVE, [(self._org, hold_id) for hold_id in gone])

    def expire(self, hold_ids: Iterable[str]) -> None:
        """Charge the floor of holds that have expired; delete those that did so a day ago."""
        self._holds.clear()
        for hold in self._held(hold_ids):
            at = (self._org, *hold.key, hold.hold_id)
            if not hold.is_over(self._now):
                continue
            if hold.charged is not None:
                self._transaction.run(_DELETE_OLD, *at)
                continue
            self._end(hold, hold.floor)
            self._transaction.run(_CHARGE, hold.floor, self._now, *at)

    def finish(self) -> None:
        """Write what was decided. The transaction ends after it."""
        self._write_holds()
        self._uses.write()

    def _budgets_of(self, call: Call) -> list[BudgetOfCall]:
        """The budgets that a call falls under now, each with its subject and period."""
        budgets = self._budgets.get(call)
        if budgets is None:
            budgets = self._budgets[call] = self._read_budgets(call)
            self._write_holds()
            self._uses.read(of_call.key for of_call in budgets)
        return budgets

    def _read_budgets(self, call: Call) -> list[BudgetOfCall]:
        team = None
        if not call.is_of_program:
            for (name,) in self._transaction.rows(_TEAM, self._org, call.principal_id):
                team = name
        scopes = ("", team, call.principal_id, call.key_id, call.repository, call.agent)
        rows = self._transaction.rows(_BUDGETS, self._org, *scopes, self._org)
        bound = binding((read_budget(self._org, row) for row in rows), call, team)
        granted = self._granted({budget.id for budget in bound})
        day = days.of_ms(self._now)
        budgets = []
        for budget in bound:
            period = budget.period_on(day, self._reset_day)
            if period is not None:
                subject = subject_of(budget, call.principal_id)
                key = (budget.id, subject, period.start.isoformat())
                amount = budget.amount + granted.get((budget.id, subject), 0)
                budgets.append(BudgetOfCall(budget, subject, period, key, amount))
        return budgets

    def _short(self, call: Call, cost: Cost, budgets: Sequence[BudgetOfCall]) -> list[Shortage]:
        """The budgets that refuse a call of this cost."""
        short = []
        for of_call in budgets:
            price, use = cost.of(of_call.budget.currency), self._uses[of_call.key]
            is_full = not has_room(of_call.amount, use.taken, price)
            if is_full and not of_call.budget.allows_at_end(call.model):
                short.append(Shortage(of_call, use))
        return short

    def _granted(self, budgets: Iterable[str]) -> dict[tuple[str, str], int]:
        """What was granted beyond budgets, by budget and subject."""
        sums: dict[tuple[str, str], int] = {}
        if budget_ids := sorted(budgets):
            sql = _GRANTS.format(marks=marks(budget_ids))
            for budget, subject, amount, until in self._transaction.rows(
                sql, self._org, *budget_ids, self._now
            ):
                sums[budget, subject] = sums.get((budget, subject), 0) + int(amount)
                self._budgets_until = min(self._budgets_until, until)
        return sums

    def _held(self, hold_ids: Iterable[str]) -> list[_Held]:
        """The rows of holds, with the use of their budgets read."""
        self._write_holds()
        wanted = []
        held: list[_Held] = []
        for hold_id in sorted(hold_ids):
            if hold_id in self._holds:
                held += self._holds[hold_id]
            else:
                wanted.append(hold_id)
        for start in range(0, len(wanted), _READ_AT_ONCE):
            part = wanted[start : start + _READ_AT_ONCE]
            # As many marks as a power of two, so that few statements have to be prepared.
            part += part[:1] * ((1 << (len(part) - 1).bit_length()) - len(part))
            rows = self._transaction.rows(_HOLDS.format(marks=marks(part)), *part, self._org)
            held += map(_read, rows)
        self._uses.read(hold.key for hold in held)
        return held

    def _write_holds(self) -> None:
        if self._new:
            self._transaction.many(_PUT_HOLD, self._new)
            self._new.clear()

    def _end(self, held: _Held, actual: int) -> None:
        """Charge an amount in the place of what is held, or was charged at the expiry."""
        if held.charged is None:
            self._uses.close(held.key, held.amount, held.tail)
        self._uses.spend(held.key, -(held.charged or 0))
        self._uses.spend(held.key, actual)


def _read(row: tuple[Any, ...]) -> _Held:
    hold_id, budget, subject, start, amount, floor, tail, is_hard, charged, *rest = row
    lives_ms, expires_at, currency, limit = rest
    return _Held(
        *(hold_id, (budget, subject, start), amount, floor, tail, bool(is_hard), charged),
        *(lives_ms, expires_at, currency, int(limit)),
    )


def _bounded(amount: int) -> int:
    return min(max(amount, 0), HOLD_MAX)
