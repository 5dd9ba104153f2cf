"""What one process knows for the time in which the database is away: who called lately, and whether
the budgets let calls go on then.
"""

from __future__ import annotations

import time
from typing import TypeVar

from stationmaster.access import keys
from stationmaster.access.model import Caller
from stationmaster.gateway.providers import Provider
from stationmaster.limits.budgets import Budget, Call, binding

KEPT_S = 600.0
"""How long after its last call a key is known without the database."""
_CALLERS_MAX = 10_000
Known = tuple[Caller, Provider, tuple[Provider, ...]]
T = TypeVar("T")


class Memory:
    def __init__(self) -> None:
        self._callers: dict[tuple[str, str], tuple[float, Known]] = {}
        self._budgets: dict[str, list[Budget]] = {}

    def note(self, token: str, name: str, known: Known) -> None:
        """Remember a caller and the provider of that name."""
        if len(self._callers) >= _CALLERS_MAX:
            self._callers.clear()
        # Never the key itself.
        self._callers[keys.hash_of(token), name] = time.monotonic(), known

    def find(self, token: str, name: str) -> Known | None:
        noted_at, known = self._callers.get((keys.hash_of(token), name), (0.0, None))
        return known if time.monotonic() - noted_at < KEPT_S else None

    def organizations(self) -> set[str]:
        """Those whose callers are remembered."""
        return {str(known[0].org_id) for _, known in self._callers.values()}

    def note_budgets(self, org: str, budgets: list[Budget]) -> None:
        self._budgets[org] = budgets

    def lets_go_on(self, call: Call) -> bool:
        """May a call be made while nothing can be held? Not where a budget says no, and not where
        the budgets are not known. A budget of any team counts: whose team it is, is not known."""
        budgets = self._budgets.get(str(call.org))
        if budgets is None:
            return False
        teams = {budget.scope.id for budget in budgets if budget.scope.kind == "team"}
        return not any(
            budget.is_hard
            and budget.when_unreachable == "refuse"
            and not budget.allows_at_end(call.model)
            for team in (None, *teams)
            for budget in binding(budgets, call, team)
        )
