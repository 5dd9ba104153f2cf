"""Alerts about budgets: thresholds that were crossed and budgets that will not last, once a period
each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stationmaster.alerts.model import Kind
from stationmaster.alerts.raising import PERSON, raise_alert
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits import effective
from stationmaster.limits.budgets import budget_name, reset_text
from stationmaster.limits.effective import ApplyingBudget
from stationmaster.limits.model import amount_text

THRESHOLDS = (50, 80, 90, 100)
"""Percent of a budget."""
_raised: set[tuple[str, str]] = set()
"""Organization and key of what this process has raised, so that it writes nothing twice."""
_RAISED_MAX = 100_000
_KEY_OWNER = "SELECT principal_id FROM api_keys WHERE org_id = ? AND key_id = ?"


class Crossing(NamedTuple):
    """What is to be reported about a budget; `threshold` is None for a forecast."""

    applied: ApplyingBudget
    threshold: int | None

    @property
    def key(self) -> str:
        """What distinguishes two alerts: budget, subject, period and threshold or forecast."""
        applied, what = self.applied, self.threshold or "forecast"
        start = applied.period.start.isoformat()
        return f"{applied.budget.id} {applied.subject or '-'} {start} {what}"


def crossed(applied: Iterable[ApplyingBudget]) -> list[Crossing]:
    """The highest threshold that each budget has reached, and those that will be used up within
    their period at the present rate."""
    crossings = []
    for entry in applied:
        reached = [t for t in THRESHOLDS if entry.amount and 100 * entry.used >= t * entry.amount]
        if reached:
            crossings.append(Crossing(entry, reached[-1]))
        if entry.state == "expected":
            crossings.append(Crossing(entry, None))
    return crossings


def raise_alerts(db: Database, org: OrgId, reset_day: int) -> int:
    """Raise what was crossed and not raised before in its period; how many that was."""
    applied = effective.everywhere(db, org, reset_day)
    new = [passed for passed in crossed(applied) if (org, passed.key) not in _raised]
    if not new:
        return 0
    texts = []
    for crossing in new:
        person = _person(db, org, crossing.applied)
        texts.append((crossing, person, _texts(db, crossing, is_personal=person is not None)))
    with db.transaction() as connection:
        count = 0
        for crossing, person, (title, body) in texts:
            kind: Kind = "limit.threshold" if crossing.threshold else "limit.forecast"
            data: dict[str, object] = {"threshold": crossing.threshold}
            if person is None or crossing.applied.subject:
                data["budgetId"] = crossing.applied.budget.id
            count += raise_alert(
                *(connection, org, kind, crossing.key, title, body, data),
                person=person,
                until=crossing.applied.period.reset,
            )
    if len(_raised) > _RAISED_MAX:
        _raised.clear()
    _raised.update((org, passed.key) for passed in new)
    return count


def _person(db: Database, org: OrgId, applied: ApplyingBudget) -> str | None:
    """The id of the member whose own use a budget counts; None of all others."""
    kind, scope_id = applied.budget.scope
    principal = applied.subject or (scope_id if kind == "user" else "")
    if kind == "key":
        principal = next((owner for (owner,) in db.rows(_KEY_OWNER, org, scope_id)), "")
    return principal if principal.startswith("user_") else None


def _texts(db: Database, crossing: Crossing, *, is_personal: bool) -> tuple[str, str]:
    """Title and body of an alert.

    Those about one person have no amounts: the texts are stored, and the organization may choose
    later that people are not shown by name.
    """
    applied = crossing.applied
    budget, kind = applied.budget, applied.budget.scope.kind
    if is_personal:
        whose = f"a key of {PERSON}" if kind == "key" else PERSON
    else:
        whose = budget_name(db, budget, applied.subject)
    amounts = (amount_text(n, budget.currency) for n in (applied.used, applied.amount))
    used = "" if is_personal else f"{' of '.join(amounts)} are used. "
    if crossing.threshold is None:
        title = f"The budget of {whose} will be used up on {applied.forecast.exhausted_on} (UTC)"
        return title, f"{used}Expected from {applied.forecast.basis}."
    title = f"{crossing.threshold} % of the budget of {whose} is used"
    return title, f"{used}It is available again from {reset_text(applied.period)}."
