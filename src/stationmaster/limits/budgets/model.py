"""The nouns of budgets. An amount is a number of Standard Credits or of 10⁻¹² US dollars."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Literal, NamedTuple, get_args

import msgspec

from stationmaster import budget_rules, days
from stationmaster.ids import OrgId
from stationmaster.limits.model import Period, period_of
from stationmaster.model_names import matches_any
from stationmaster.pricing.credits import dollars

ScopeKind = Literal[
    "organization",
    "each-user",
    "team",
    "user",
    "service-account",
    "key",
    "repository",
    "agent",
    "model",
]
Currency = Literal["credits", "usd"]
PeriodKind = Literal["day", "week", "month", "dates"]
AtEnd = Literal["refuse", "allow-models", "warn"]
WhenUnreachable = Literal["allow", "refuse"]
SCOPE_KINDS: tuple[ScopeKind, ...] = get_args(ScopeKind)
CURRENCIES: tuple[Currency, ...] = get_args(Currency)
PERIODS: tuple[PeriodKind, ...] = get_args(PeriodKind)
AT_ENDS: tuple[AtEnd, ...] = get_args(AtEnd)
UNNAMED: tuple[ScopeKind, ...] = ("organization", "each-user")
"""Scopes without an id: there is one in an organization."""


class Scope(NamedTuple):
    """What a budget is of. `id` is a user id, a team's name, the id of a service account or a key,
    a repository's address, an agent's name or a pattern of models; "" for those in UNNAMED.

    `each-user` is a budget of the same size for every member and service account that has none of
    its own in the same currency and period.
    """

    kind: ScopeKind
    id: str = ""


def own_scope(principal_id: str) -> Scope:
    """The scope of a person or a service account."""
    return Scope("service-account" if principal_id.startswith("svc_") else "user", principal_id)


class Cost(NamedTuple):
    """What a call costs, in both currencies."""

    picodollars: int = 0
    credits: int = 0

    def of(self, currency: Currency) -> int:
        """The cost in Standard Credits, or in 10⁻¹² US dollars for `usd`."""
        return self.credits if currency == "credits" else self.picodollars


class Call(NamedTuple):
    """For whom a model is called, and where. The team is looked up."""

    org: OrgId
    principal_id: str
    key_id: str
    agent: str
    model: str
    repository: str = ""


class Budget(msgspec.Struct, frozen=True):
    """How much may be used of a scope in a period, and what happens at its end.

    `starts_on` and `ends_on` (included) are those of the period `dates`. `models` are the patterns
    that `allow-models` leaves. `when_unreachable` is what a hook does that cannot ask the server.
    """

    id: str
    org: OrgId
    scope: Scope
    amount: int
    currency: Currency
    period: PeriodKind
    starts_on: date | None = None
    ends_on: date | None = None
    at_end: AtEnd = "warn"
    models: tuple[str, ...] = ()
    when_unreachable: WhenUnreachable = "allow"

    @property
    def is_hard(self) -> bool:
        """True where calls may be refused once all is used."""
        return budget_rules.is_hard(self.at_end)

    def allows_at_end(self, model: str) -> bool:
        """May a model still be called when all is used?"""
        return budget_rules.allows_at_end(self.at_end, self.models, model)

    def period_on(self, day: date, reset_day: int) -> Period | None:
        """The period that a day falls in; None outside of fixed dates. Months begin on the day on
        which credits are reset, weeks on Monday."""
        if self.period == "day":
            return Period(day, day)
        if self.period == "week":
            monday = day - timedelta(days=day.weekday())
            return Period(monday, monday + timedelta(days=6))
        if self.period == "month":
            return period_of(day, reset_day)
        assert self.starts_on is not None
        assert self.ends_on is not None
        is_inside = self.starts_on <= day <= self.ends_on
        return Period(self.starts_on, self.ends_on) if is_inside else None

    def before(self, period: Period, reset_day: int) -> Period | None:
        """The period before one; None of fixed dates."""
        if self.period == "dates":
            return None
        return self.period_on(period.start - timedelta(days=1), reset_day)

    @property
    def kind(self) -> tuple[Currency, PeriodKind, date | None, date | None]:
        """What an own budget shares with the one for each user that it takes the place of."""
        return self.currency, self.period, self.starts_on, self.ends_on


def subject_of(budget: Budget, principal_id: str) -> str:
    """Whose use of a budget is counted by itself: the principal's of one for each user, else ""."""
    return principal_id if budget.scope.kind == "each-user" else ""


def binding(candidates: Iterable[Budget], call: Call, team: str | None) -> list[Budget]:
    """Those of an organization's budgets that a call falls under."""
    ids: dict[ScopeKind, str | None] = {
        "organization": "",
        "each-user": "",
        "team": team,
        own_scope(call.principal_id).kind: call.principal_id,
        "key": call.key_id,
        "repository": call.repository or None,
        "agent": call.agent,
    }
    fitting = [
        budget
        for budget in candidates
        if (
            matches_any(call.model, [budget.scope.id])
            if budget.scope.kind == "model"
            else ids.get(budget.scope.kind) == budget.scope.id
        )
    ]
    own = {budget.kind for budget in fitting if budget.scope.kind in ("user", "service-account")}
    return [
        budget for budget in fitting if budget.scope.kind != "each-user" or budget.kind not in own
    ]


def amount_text(amount: int, currency: Currency) -> str:
    """An amount for people: `$4.20` or `80,000,000 credits`. Dollars are cut after the cent, or
    shown exactly where they are less."""
    if currency == "credits":
        return f"{amount:,} credits"
    if 0 < amount < dollars.PER_DOLLAR // 100:
        return f"${dollars.text(amount)}"
    whole, rest = divmod(amount, dollars.PER_DOLLAR)
    return f"${whole:,}.{rest // 10**10:02d}"


def reset_text(period: Period) -> str:
    """When a period is over, for people."""
    return f"{days.of_ms(period.reset).isoformat()} 00:00 UTC"
