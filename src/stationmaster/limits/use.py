"""What is spent, held and granted of budgets, read outside of decisions."""

from __future__ import annotations

from collections.abc import Collection

from stationmaster.db.engine import Database
from stationmaster.db.readers import marks
from stationmaster.ids import OrgId
from stationmaster.limits.budget_use import BudgetUse, Key

AT_ONCE = 500
"""Budgets that one statement names."""
_USE = """
SELECT budget_id, subject, period_start, spent, reported, streams_most, tails_most FROM budget_use
WHERE org_id = ? AND period_start IN ({starts})
"""
_HELD = """
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


def of_all(db: Database, org: OrgId, starts: Collection[str]) -> dict[Key, BudgetUse]:
    """All use of an organization in periods that began on some days (YYYY-MM-DD)."""
    return _standings(db, org, starts, "", ())


def of_some(db: Database, org: OrgId, keys: Collection[Key]) -> dict[Key, BudgetUse]:
    """The use of some budgets in some periods, of at most one subject beside ""."""
    if not keys:
        return {}
    budgets, subjects, starts = (sorted({key[part] for key in keys}) for part in range(3))
    standings: dict[Key, BudgetUse] = {}
    for at in range(0, len(budgets), AT_ONCE):
        some = budgets[at : at + AT_ONCE]
        which = f"AND budget_id IN ({marks(some)}) AND subject IN (?, ?) "
        standings |= _standings(db, org, starts, which, (*some, subjects[0], subjects[-1]))
    return standings


def grants(db: Database, org: OrgId, now: int) -> Grants:
    """What is granted beyond an organization's budgets at a time (UTC ms)."""
    sums: Grants = {}
    for budget, subject, amount in db.rows(_GRANTS, org, now):
        sums[budget, subject] = sums.get((budget, subject), 0) + int(amount)
    return sums


def _standings(
    db: Database, org: OrgId, starts: Collection[str], which: str, params: tuple[str, ...]
) -> dict[Key, BudgetUse]:
    if not starts:
        return {}
    values, places = (org, *starts, *params), marks(starts)
    standings: dict[Key, BudgetUse] = {}
    used = db.rows(_USE.format(starts=places) + which, *values)
    for budget, subject, start, spent, reported, streams, tails in used:
        standings[budget, subject, start] = BudgetUse(
            int(spent), int(reported), 0, 0, 0, streams, int(tails)
        )
    held = db.rows(_HELD.format(starts=places) + which + _BY_KEY, *values)
    for budget, subject, start, count, amount, tails in held:
        key = (budget, subject, start)
        standings[key] = standings.get(key, BudgetUse())._replace(
            held=int(amount), streams=count, tails=int(tails)
        )
    return standings
