"""One transaction over the budgets of an organization: what is spent, what is held, who may begin.

Every change of holds happens here, and an organization's are made one after the other: on SQLite
because a writing transaction is the only one, on PostgreSQL by a lock that ends with it. So a sum
that was read is still right when the decision is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stationmaster import days, ids
from stationmaster.db.alone import number_of
from stationmaster.db.quick import Quick
from stationmaster.ids import OrgId
from stationmaster.limits import budget_rows
from stationmaster.limits.budgets import Budget, Call, Cost, Currency, binding, subject_of
from stationmaster.limits.model import Period

HOLD_MAX = 2**49
"""The largest hold of a call, some 560 dollars: the sum of 16,000 such holds fits into 64 bits."""
KEPT_MS = days.MS_PER_DAY
"""How long the row of an expired hold is kept, for a call that ends after all."""

_LOCK = "SELECT pg_advisory_xact_lock(?)"
_TEAM = "SELECT team FROM members WHERE org_id = ? AND user_id = ? AND removed_at IS NULL"
_BUDGETS = f"""
SELECT {budget_rows.COLUMNS} FROM budgets WHERE org_id = ? AND scope_id IN (?, ?, ?, ?, ?, ?)
UNION ALL
SELECT {budget_rows.COLUMNS} FROM budgets WHERE org_id = ? AND scope_kind = 'model'
"""
_GRANTS = """
SELECT budget_id, subject, granted FROM budget_requests
WHERE org_id = ? AND budget_id IN ({marks}) AND state = 'approved' AND until > ?
"""
_USE = """
SELECT budget_id, subject, period_start, spent, reported, streams_most, tails_most FROM budget_use
WHERE org_id = ? AND budget_id IN ({marks}) AND subject IN (?, ?) AND period_start IN ({starts})
"""
_HELD = """
SELECT budget_id, subject, period_start, count(*), sum(amount), sum(tail) FROM budget_holds
WHERE org_id = ? AND budget_id IN ({marks}) AND subject IN (?, ?) AND period_start IN ({starts})
  AND charged IS NULL
GROUP BY budget_id, subject, period_start
"""
_PUT_USE = """
INSERT INTO budget_use (org_id, budget_id, subject, period_start, spent, reported, reported_at,
                        streams_most, tails_most)
VALUES (?, ?, ?, ?, '0', '0', 0, ?, ?)
ON CONFLICT (org_id, budget_id, subject, period_start) DO UPDATE
SET streams_most = excluded.streams_most, tails_most = excluded.tails_most
"""
_PUT_HOLD = """
INSERT INTO budget_holds (org_id, budget_id, subject, period_start, hold_id, amount, floor, tail,
                          is_hard, lives_ms, expires_at, owner, request_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HOLD = """
SELECT h.budget_id, h.subject, h.period_start, h.amount, h.floor, h.tail, h.is_hard, h.charged,
       h.lives_ms, h.expires_at, b.currency, b.amount, u.spent
FROM budget_holds h
JOIN budgets b ON b.org_id = h.org_id AND b.budget_id = h.budget_id
JOIN budget_use u ON u.org_id = h.org_id AND u.budget_id = h.budget_id AND u.subject = h.subject
  AND u.period_start = h.period_start
WHERE h.hold_id = ? AND h.org_id = ?
ORDER BY h.budget_id
"""
_SPENT = """
UPDATE budget_use SET spent = ?
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ?
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
_FORGET = """
DELETE FROM budget_holds
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ? AND hold_id = ?
"""
_REMOVE = "DELETE FROM budget_holds WHERE org_id = ? AND hold_id = ?"

Key = tuple[str, str, str]
"""A budget, the subject, and the first day of the period."""


class Standing(NamedTuple):
    """What is gone of a budget in a period: settled, reported beyond that, and held by `streams`
    open calls, which could cost `tails` more than they hold."""

    spent: int = 0
    reported: int = 0
    held: int = 0
    streams: int = 0
    tails: int = 0
    streams_most: int = 0
    tails_most: int = 0

    @property
    def gone(self) -> int:
        return self.spent + self.reported + self.held


class Shortage(NamedTuple):
    """A budget that has no room for a call."""

    budget: Budget
    subject: str
    period: Period
    amount: int
    """With what was granted beyond the budget's own."""
    standing: Standing


class _Held(NamedTuple):
    """One row of a hold, with its budget and what was spent of that."""

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
    spent: int

    def is_over(self, now: int) -> bool:
        """Has it expired? One that would live for longer than it may was made by a clock that was
        set back since."""
        kept = 0 if self.charged is None else KEPT_MS
        return not now - kept < self.expires_at <= now + 2 * self.lives_ms + kept


class Desk:
    """Decisions in one transaction at one moment; `reset_day` is when months of credits begin."""

    def __init__(self, transaction: Quick, org: OrgId, reset_day: int, now: int) -> None:
        self._transaction = transaction
        self._org = org
        self._reset_day = reset_day
        self._now = now
        if transaction.is_postgresql:
            transaction.rows(_LOCK, number_of(f"budgets of {org}"))

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
        and say which budgets have no room.

        `floor` is charged where the call never says what it cost: all that is held, unless another
        one is stated. `tail` is the most that the call may cost beyond what it holds.
        """
        places = self._places(call)
        standings = self.standings([_key(*place) for place in places])
        if short := self._short(call, cost, places, standings):
            return short
        hold_id = ids.new("hold")
        rows, used = [], []
        for budget, subject, period in places:
            key = _key(budget, subject, period)
            kept, least, more = (
                _bounded(part.of(budget.currency)) for part in (cost, floor or cost, tail)
            )
            is_hard = int(not budget.allows_at_end(call.model))
            row = (self._org, *key, hold_id, kept, least, more, is_hard)
            rows.append((*row, lives_ms, self._now + lives_ms, owner, request_id))
            standing = standings[key]
            streams = max(standing.streams_most, standing.streams + 1)
            tails = max(standing.tails_most, standing.tails + more)
            if (streams, tails) != (standing.streams_most, standing.tails_most):
                used.append((self._org, *key, streams, str(tails)))
        if used:
            self._transaction.many(_PUT_USE, used)
        if rows:
            self._transaction.many(_PUT_HOLD, rows)
        return hold_id

    def extend(self, hold_id: str, more: Cost, *, lives_ms: int) -> bool:
        """Hold more for an open call, and let it live on; False, with nothing changed, where a
        budget has no room. A hold that has expired is opened again."""
        held = self._held(hold_id)
        standings = self.standings([each.key for each in held])
        granted = self._granted([each.key[0] for each in held])
        for each in held:
            price = more.of(each.currency)
            gone = standings[each.key].gone
            if each.charged is not None:
                gone += each.amount - each.charged
            limit = each.limit + granted.get(each.key[:2], 0)
            if price > 0 and each.is_hard and gone + price > limit:
                return False
        self._transaction.many(
            _EXTEND,
            [
                (
                    _bounded(each.amount + more.of(each.currency)),
                    *(lives_ms, self._now + lives_ms),
                    *(self._org, *each.key, hold_id),
                )
                for each in held
            ],
        )
        for each in held:
            if each.charged:
                self._put_spent(each, each.spent - each.charged)
        return True

    def note(self, hold_id: str, floor: Cost) -> None:
        """State what a call has cost at least so far, which is charged where it never ends."""
        self._transaction.many(
            _FLOOR,
            [
                (_bounded(floor.of(each.currency)), self._org, *each.key, hold_id)
                for each in self._held(hold_id)
            ],
        )

    def settle(self, hold_id: str, actual: Cost) -> None:
        """Count what a call cost, and hold nothing for it any longer. A second time does nothing;
        after the hold has expired, what was charged then is corrected."""
        held = self._held(hold_id)
        for each in held:
            price = max(actual.of(each.currency), 0)
            self._put_spent(each, max(each.spent - (each.charged or 0), 0) + price)
        if held:
            self._transaction.run(_REMOVE, self._org, hold_id)

    def expire(self, hold_ids: Iterable[str]) -> None:
        """Charge the floor of holds that have expired; forget those that did so a day ago."""
        for hold_id in hold_ids:
            for each in self._held(hold_id):
                at = (self._org, *each.key, hold_id)
                if not each.is_over(self._now):
                    continue
                if each.charged is not None:
                    self._transaction.run(_FORGET, *at)
                    continue
                self._put_spent(each, each.spent + each.floor)
                self._transaction.run(_CHARGE, each.floor, self._now, *at)

    def standings(self, keys: Sequence[Key]) -> dict[Key, Standing]:
        """What is gone of budgets in periods."""
        found = dict.fromkeys(keys, Standing())
        if not keys:
            return found
        budgets, subjects, starts = (sorted({key[part] for key in keys}) for part in range(3))
        # At most one principal: the rest of a call's budgets have the subject "".
        params = (self._org, *budgets, subjects[0], subjects[-1], *starts)
        marks = {"marks": _marks(budgets), "starts": _marks(starts)}
        for *key, spent, reported, streams, tails in self._transaction.rows(
            _USE.format(**marks), *params
        ):
            found[tuple(key)] = Standing(int(spent), int(reported), 0, 0, 0, streams, int(tails))
        for *key, count, held, tails in self._transaction.rows(_HELD.format(**marks), *params):
            place: Key = tuple(key)
            found[place] = found.get(place, Standing())._replace(
                held=int(held), streams=count, tails=int(tails)
            )
        return found

    def _places(self, call: Call) -> list[tuple[Budget, str, Period]]:
        """The budgets that a call falls under now, each with its subject and period."""
        team = None
        if not call.principal_id.startswith("svc_"):
            for (name,) in self._transaction.rows(_TEAM, self._org, call.principal_id):
                team = name
        scopes = ("", team, call.principal_id, call.key_id, call.repository, call.agent)
        rows = self._transaction.rows(_BUDGETS, self._org, *scopes, self._org)
        day = days.of_ms(self._now)
        places = []
        for budget in binding((budget_rows.read(self._org, row) for row in rows), call, team):
            period = budget.period_on(day, self._reset_day)
            if period is not None:
                places.append((budget, subject_of(budget, call.principal_id), period))
        return places

    def _short(
        self,
        call: Call,
        cost: Cost,
        places: Sequence[tuple[Budget, str, Period]],
        standings: Mapping[Key, Standing],
    ) -> list[Shortage]:
        """The budgets that have no room for a cost. What costs nothing fits into any."""
        amounts = self._amounts([(budget, subject) for budget, subject, _ in places])
        short = []
        for budget, subject, period in places:
            price, standing = cost.of(budget.currency), standings[_key(budget, subject, period)]
            amount = amounts[budget.id, subject]
            is_full = price > 0 and standing.gone + price > amount
            if is_full and not budget.allows_at_end(call.model):
                short.append(Shortage(budget, subject, period, amount, standing))
        return short

    def _amounts(self, places: Sequence[tuple[Budget, str]]) -> dict[tuple[str, str], int]:
        """The amounts of budgets, with what was granted beyond them."""
        granted = self._granted([budget.id for budget, _ in places])
        return {
            (budget.id, subject): budget.amount + granted.get((budget.id, subject), 0)
            for budget, subject in places
        }

    def _granted(self, budgets: Sequence[str]) -> dict[tuple[str, str], int]:
        found: dict[tuple[str, str], int] = {}
        if budgets:
            sql = _GRANTS.format(marks=_marks(budgets))
            for budget, subject, amount in self._transaction.rows(
                sql, self._org, *budgets, self._now
            ):
                found[budget, subject] = found.get((budget, subject), 0) + int(amount)
        return found

    def _held(self, hold_id: str) -> list[_Held]:
        return [_read(row) for row in self._transaction.rows(_HOLD, hold_id, self._org)]

    def _put_spent(self, held: _Held, spent: int) -> None:
        self._transaction.run(_SPENT, str(max(spent, 0)), self._org, *held.key)


def _read(row: tuple[Any, ...]) -> _Held:
    budget, subject, start, amount, floor, tail, is_hard, charged, lives_ms, expires_at, *rest = row
    currency, limit, spent = rest
    return _Held(
        *((budget, subject, start), amount, floor, tail, bool(is_hard), charged, lives_ms),
        *(expires_at, currency, int(limit), int(spent)),
    )


def _key(budget: Budget, subject: str, period: Period) -> Key:
    return budget.id, subject, period.start.isoformat()


def _bounded(amount: int) -> int:
    return min(max(amount, 0), HOLD_MAX)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
