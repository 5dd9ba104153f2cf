"""What one process knows of who called lately, and whether the budgets let calls go on while the
database is away.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from stationmaster import clock
from stationmaster.access.model import Caller, hash_of
from stationmaster.gateway.providers import Provider
from stationmaster.limits.budgets import Budget, Call, binding

KEPT_S = 600.0
"""How long after its last call a key is known without the database."""
_CALLERS_MAX = 10_000


class KeyRoute(NamedTuple):
    """Who a key is of, when it expires (UTC ms), and where calls of a name go."""

    caller: Caller
    expires_at: int | None
    provider: Provider
    others: tuple[Provider, ...]

    @property
    def is_valid(self) -> bool:
        """True while the key has not expired."""
        return self.expires_at is None or clock.now_ms() < self.expires_at


class _Noted(NamedTuple):
    at: float
    version: object
    route: KeyRoute


class Memory:
    """Callers by the hash of their key and a provider's name, and budgets by organization."""

    def __init__(self) -> None:
        self._callers: dict[tuple[str, str], _Noted] = {}
        self._budgets: dict[str, list[Budget]] = {}

    def note(self, token: str, name: str, version: object | None, entry: KeyRoute) -> None:
        """Remember a caller and the provider of that name, as the database had them at a version
        (see `Database.quick_version`)."""
        if len(self._callers) >= _CALLERS_MAX:
            self._callers.clear()
        # Never the key itself.
        self._callers[hash_of(token), name] = _Noted(time.monotonic(), version, entry)

    def current(self, token: str, name: str, version: object | None) -> KeyRoute | None:
        """What the database has now; None where that is unknown."""
        noted = self._callers.get((hash_of(token), name))
        if noted is None or version is None or noted.version != version:
            return None
        return noted.route if noted.route.is_valid else None

    def late(self, token: str, name: str) -> KeyRoute | None:
        """What it had within the last KEPT_S seconds, for a time without it."""
        noted = self._callers.get((hash_of(token), name))
        if noted is None or time.monotonic() - noted.at >= KEPT_S:
            return None
        return noted.route if noted.route.is_valid else None

    def organizations(self) -> set[str]:
        """Those whose callers are remembered."""
        return {str(noted.route.caller.org_id) for noted in self._callers.values()}

    def note_budgets(self, org: str, budgets: list[Budget]) -> None:
        """Remember the budgets of an organization in place of those before."""
        self._budgets[org] = budgets

    def lets_go_on(self, call: Call) -> bool:
        """May a call be made while nothing can be held? Not where a budget refuses, and not where
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
