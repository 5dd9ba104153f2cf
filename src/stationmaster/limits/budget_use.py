"""What is taken of budgets in their periods, as one transaction reads and changes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from stationmaster.db.engine import Database
from stationmaster.db.quick import Quick
from stationmaster.db.readers import marks
from stationmaster.ids import OrgId

AT_ONCE = 500
"""Budgets that one statement names."""
_MANY_USED = """
SELECT budget_id, subject, period_start, spent, reported, streams_most, tails_most FROM budget_use
WHERE org_id = ? AND period_start IN ({starts})
"""
_MANY_HELD = """
SELECT budget_id, subject, period_start, count(*), sum(amount), sum(tail) FROM budget_holds
WHERE org_id = ? AND period_start IN ({starts}) AND charged IS NULL
"""
_GRANTS = """
SELECT budget_id, subject, granted FROM budget_requests
WHERE org_id = ? AND state = 'approved' AND until > ?
"""
_BY_KEY = "GROUP BY budget_id, subject, period_start"
Grants = dict[tuple[str, str], int]
"""What is granted beyond a budget, by budget and subject."""

_USE = """
SELECT budget_id, subject, period_start, spent, reported, streams_most, tails_most FROM budget_use
WHERE org_id = ? AND budget_id IN ({budgets}) AND subject IN ({subjects})
  AND period_start IN ({starts})
"""
_HELD = """
SELECT budget_id, subject, period_start, count(*), sum(amount), sum(tail) FROM budget_holds
WHERE org_id = ? AND budget_id IN ({budgets}) AND subject IN ({subjects})
  AND period_start IN ({starts}) AND charged IS NULL
GROUP BY budget_id, subject, period_start
"""
_PUT_USE = """
INSERT INTO budget_use (org_id, budget_id, subject, period_start, spent, reported, reported_at,
                        streams_most, tails_most)
VALUES (?, ?, ?, ?, ?, '0', 0, ?, ?)
ON CONFLICT (org_id, budget_id, subject, period_start) DO UPDATE
SET spent = excluded.spent, streams_most = excluded.streams_most, tails_most = excluded.tails_most
"""
_CHANGE_USE = """
UPDATE budget_use SET spent = ?, streams_most = ?, tails_most = ?
WHERE org_id = ? AND budget_id = ? AND subject = ? AND period_start = ?
"""

Key = tuple[str, str, str]
"""A budget, the subject, and the first day of the period."""


class BudgetUse(NamedTuple):
    """What is taken of a budget in a period: settled, reported beyond that, and held by `streams`
    open calls, which could cost `tails` more than they hold."""

    spent: int = 0
    reported: int = 0
    held: int = 0
    streams: int = 0
    tails: int = 0
    streams_most: int = 0
    tails_most: int = 0

    @property
    def taken(self) -> int:
        """The sum of what was settled, reported and is held: no new call may use it."""
        return self.spent + self.reported + self.held


class BudgetUses:
    """The use of an organization's budgets: read once, changed in memory, written once.

    No other process changes them meanwhile: see `Admission`.
    """

    def __init__(self, transaction: Quick, org: OrgId) -> None:
        self.transaction = transaction
        self._org = org
        self._uses: dict[Key, BudgetUse] = {}
        self._stored: set[Key] = set()
        """The keys that have a row of use."""
        self._changed: set[Key] = set()

    def __getitem__(self, key: Key) -> BudgetUse:
        return self._uses[key]

    def read(self, keys: Iterable[Key]) -> None:
        """Read those that were not read yet."""
        missing = {key for key in keys if key not in self._uses}
        if not missing:
            return
        budgets, subjects, starts = (sorted({key[part] for key in missing}) for part in range(3))
        params = (self._org, *budgets, *subjects, *starts)
        texts = {"budgets": marks(budgets), "subjects": marks(subjects), "starts": marks(starts)}
        rows = dict.fromkeys(missing, BudgetUse())
        for budget, subject, start, spent, reported, streams, tails in self.transaction.rows(
            _USE.format(**texts), *params
        ):
            key = (budget, subject, start)
            if key in missing:
                self._stored.add(key)
                use = (int(spent), int(reported), 0, 0, 0, streams, int(tails))
                rows[key] = BudgetUse(*use)
        for budget, subject, start, count, held, tails in self.transaction.rows(
            _HELD.format(**texts), *params
        ):
            key = (budget, subject, start)
            if key in missing:
                rows[key] = rows[key]._replace(held=int(held), streams=count, tails=int(tails))
        self._uses |= rows

    def open(self, key: Key, amount: int, tail: int) -> None:
        """Another call holds an amount."""
        use = self._uses[key]
        streams, tails = use.streams + 1, use.tails + tail
        if streams > use.streams_most or tails > use.tails_most or key not in self._stored:
            self._changed.add(key)
        self._uses[key] = use._replace(
            held=use.held + amount,
            streams=streams,
            tails=tails,
            streams_most=max(use.streams_most, streams),
            tails_most=max(use.tails_most, tails),
        )

    def hold(self, key: Key, more: int) -> None:
        """A call holds more."""
        use = self._uses[key]
        self._uses[key] = use._replace(held=use.held + more)

    def close(self, key: Key, amount: int, tail: int) -> None:
        """A call holds nothing any longer."""
        use = self._uses[key]
        self._uses[key] = use._replace(
            held=use.held - amount, streams=use.streams - 1, tails=use.tails - tail
        )

    def spend(self, key: Key, amount: int) -> None:
        """So much more is settled, or less."""
        use = self._uses[key]
        self._uses[key] = use._replace(spent=max(use.spent + amount, 0))
        self._changed.add(key)

    def write(self) -> None:
        """Store what has changed, except what is stored with holds."""
        changed = [(self._uses[key], key) for key in sorted(self._changed)]
        self._changed.clear()
        old = [
            (str(use.spent), use.streams_most, str(use.tails_most), self._org, *key)
            for use, key in changed
            if key in self._stored
        ]
        new = [
            (self._org, *key, str(use.spent), use.streams_most, str(use.tails_most))
            for use, key in changed
            if key not in self._stored
        ]
        for sql, rows in ((_CHANGE_USE, old), (_PUT_USE, new)):
            if rows:
                self.transaction.many(sql, rows)
        self._stored |= {key for _, key in changed}


def of_all(db: Database, org: OrgId, starts: Collection[str]) -> dict[Key, BudgetUse]:
    """All use of an organization in periods that began on some days (YYYY-MM-DD)."""
    return _uses(db, org, starts, "", ())


def of_some(db: Database, org: OrgId, keys: Collection[Key]) -> dict[Key, BudgetUse]:
    """The use of some budgets in some periods, of at most one subject other than ""."""
    if not keys:
        return {}
    budgets, subjects, starts = (sorted({key[part] for key in keys}) for part in range(3))
    uses: dict[Key, BudgetUse] = {}
    for at in range(0, len(budgets), AT_ONCE):
        some = budgets[at : at + AT_ONCE]
        which = f"AND budget_id IN ({marks(some)}) AND subject IN (?, ?) "
        uses |= _uses(db, org, starts, which, (*some, subjects[0], subjects[-1]))
    return uses


def grants(db: Database, org: OrgId, now: int) -> Grants:
    """What is granted beyond an organization's budgets at a time (UTC ms)."""
    sums: Grants = {}
    for budget, subject, amount in db.rows(_GRANTS, org, now):
        sums[budget, subject] = sums.get((budget, subject), 0) + int(amount)
    return sums


def _uses(
    db: Database, org: OrgId, starts: Collection[str], which: str, params: tuple[str, ...]
) -> dict[Key, BudgetUse]:
    if not starts:
        return {}
    values, places = (org, *starts, *params), marks(starts)
    uses: dict[Key, BudgetUse] = {}
    used = db.rows(_MANY_USED.format(starts=places) + which, *values)
    for budget, subject, start, spent, reported, streams, tails in used:
        uses[budget, subject, start] = BudgetUse(
            int(spent), int(reported), 0, 0, 0, streams, int(tails)
        )
    held = db.rows(_MANY_HELD.format(starts=places) + which + _BY_KEY, *values)
    for budget, subject, start, count, amount, tails in held:
        key = (budget, subject, start)
        uses[key] = uses.get(key, BudgetUse())._replace(
            held=int(amount), streams=count, tails=int(tails)
        )
    return uses
