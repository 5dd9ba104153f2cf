"""Budgets: their nouns, their rows, and what people call them.

An amount is a number of Standard Credits or of 10⁻¹² US dollars.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from sqlalchemy import Connection, delete, select

from stationmaster import budget_rules, clock, days, ids
from stationmaster.access.model import is_program
from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import (
    budget_holds,
    budget_requests,
    budget_use,
    budgets,
)
from stationmaster.db.upserts import upsert
from stationmaster.limits.model import Currency, Period, period_of
from stationmaster.model_names import matches_any

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
PeriodKind = Literal["day", "week", "month", "dates"]
AtEnd = Literal["refuse", "allow-models", "warn"]
WhenUnreachable = Literal["allow", "refuse"]
SCOPE_KINDS: tuple[ScopeKind, ...] = get_args(ScopeKind)
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
    return Scope("service-account" if is_program(principal_id) else "user", principal_id)


class Cost(NamedTuple):
    """What a call costs, in both currencies."""

    picodollars: int = 0
    credits: int = 0

    def of(self, currency: Currency) -> int:
        """The cost in Standard Credits, or in 10⁻¹² US dollars for `usd`."""
        return self.credits if currency == "credits" else self.picodollars


class Call(NamedTuple):
    """For whom a model is called, and where. The team is looked up."""

    org: ids.OrgId
    principal_id: str
    key_id: str
    agent: str
    model: str
    repository: str = ""

    @property
    def is_of_program(self) -> bool:
        """Whether a service account calls it."""
        return is_program(self.principal_id)


class Budget(msgspec.Struct, frozen=True):
    """How much may be used of a scope in a period, and what happens at its end.

    `starts_on` and `ends_on` (included) are those of the period `dates`. `models` are the patterns
    that `allow-models` leaves. `when_unreachable` is what a hook does that cannot ask the server.
    """

    id: str
    org: ids.OrgId
    scope: Scope
    amount: int
    currency: Currency
    period: PeriodKind
    starts_on: date | None = None
    ends_on: date | None = None
    at_end: AtEnd = "warn"
    models: tuple[str, ...] = ()
    when_unreachable: WhenUnreachable = "allow"

    @classmethod
    def new(cls, org: ids.OrgId, **terms: Any) -> Budget:
        """A budget under an id of its own."""
        return cls(ids.new("budget"), org, **terms)

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


def reset_text(period: Period) -> str:
    """When a period is over, for people."""
    return f"{days.of_ms(period.reset).isoformat()} 00:00 UTC"


COLUMNS = (
    "budget_id, scope_kind, scope_id, amount, currency, period, starts_on, ends_on, at_end, "
    "models, when_unreachable"
)
_OF_ORG = f"SELECT {COLUMNS} FROM budgets WHERE org_id = ?"
_OF_PRINCIPAL = f"""
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_id IN ('', ?, ?)
  AND scope_kind IN ('organization', 'each-user', 'team', 'user', 'service-account')
UNION ALL
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_kind IN ('agent', 'model')
UNION ALL
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_kind = 'key' AND scope_id IN (
  SELECT key_id FROM api_keys WHERE org_id = ? AND principal_id = ?)
UNION ALL
SELECT {COLUMNS} FROM budgets WHERE org_id = ? AND scope_kind = 'repository' AND scope_id IN (
  SELECT repository FROM agent_sessions WHERE org_id = ? AND user_id = ? AND ended_at > ?)
"""
_models = msgspec.json.Decoder(tuple[str, ...])


@lru_cache(maxsize=4_096)
def read_budget(org: ids.OrgId, row: tuple[Any, ...]) -> Budget:
    """A budget from its COLUMNS."""
    budget_id, kind, scope_id, amount, currency, period, starts, ends, at_end, models, gone = row
    return Budget(
        id=budget_id,
        org=org,
        scope=Scope(kind, scope_id),
        amount=int(amount),
        currency=currency,
        period=period,
        starts_on=_day(starts),
        ends_on=_day(ends),
        at_end=at_end,
        models=_models.decode(models),
        when_unreachable=gone,
    )


def row_of(budget: Budget) -> dict[str, str]:
    """The columns of a budget's row, without its organization and its times."""
    return {
        "budget_id": budget.id,
        "scope_kind": budget.scope.kind,
        "scope_id": budget.scope.id,
        "amount": str(budget.amount),
        "currency": budget.currency,
        "period": budget.period,
        "starts_on": "" if budget.starts_on is None else budget.starts_on.isoformat(),
        "ends_on": "" if budget.ends_on is None else budget.ends_on.isoformat(),
        "at_end": budget.at_end,
        "models": msgspec.json.encode(budget.models).decode(),
        "when_unreachable": budget.when_unreachable,
    }


def budgets_of(db: Database, org: ids.OrgId) -> list[Budget]:
    """The budgets of an organization, by scope."""
    return _in_order(org, db.rows(_OF_ORG, org))


def budgets_of_principal(
    db: Database, org: ids.OrgId, principal_id: str, team: str | None, since: int
) -> list[Budget]:
    """The budgets that a principal's calls can fall under: also all of agents and models, and
    those of repositories in which the principal had a session that ended after `since` (UTC ms).
    """
    params = (org, team, principal_id, org, org, org, principal_id, org, org, principal_id, since)
    return _in_order(org, db.rows(_OF_PRINCIPAL, *params))


def _in_order(org: ids.OrgId, rows: Iterable[tuple[Any, ...]]) -> list[Budget]:
    budgets_of = [read_budget(org, row) for row in rows]
    return sorted(budgets_of, key=lambda budget: (budget.scope, budget.period, budget.currency))


def organizations_with_budgets(db: Database) -> list[ids.OrgId]:
    """The organizations that have budgets."""
    return [org for (org,) in db.rows("SELECT DISTINCT org_id FROM budgets ORDER BY org_id")]


def one_budget(connection: Connection, org: ids.OrgId, budget_id: str) -> Budget | None:
    """A budget by its id; None where the organization has no such budget."""
    columns = [budgets.c[name] for name in COLUMNS.split(", ")]
    row = connection.execute(select(*columns).filter_by(org_id=org, budget_id=budget_id)).first()
    return None if row is None else read_budget(org, tuple(row))


def put_budget(connection: Connection, budget: Budget) -> None:
    """Store a budget, or change the one of its id."""
    now = clock.now_ms()
    row = {"org_id": budget.org, **row_of(budget), "created_at": now, "updated_at": now}
    upsert(connection, budgets, [row], keep=("created_at",))


def delete_budget(connection: Connection, org: ids.OrgId, budget_id: str) -> None:
    """Delete a budget with what was used, held and asked for of it."""
    for table in (budget_holds, budget_use, budget_requests, budgets):
        connection.execute(delete(table).filter_by(org_id=org, budget_id=budget_id))


def _day(text: str) -> date | None:
    return days.parse(text) if text else None


_EMAIL = "SELECT email FROM members WHERE org_id = ? AND user_id = ?"
_ACCOUNT = "SELECT name FROM service_accounts WHERE org_id = ? AND service_account_id = ?"
_KEY = "SELECT name FROM api_keys WHERE org_id = ? AND key_id = ?"


def principal_name(db: Database, org: ids.OrgId, principal_id: str) -> str:
    """A person's e-mail, or `the service account NAME`."""
    is_account = is_program(principal_id)
    rows = db.rows(_ACCOUNT if is_account else _EMAIL, org, principal_id)
    name = str(rows[0][0]) if rows else principal_id
    return f"the service account {name}" if is_account else name


def budget_name(db: Database, budget: Budget, subject: str = "") -> str:
    """Whose budget it is, in words; `subject` is the principal of one for each user."""
    kind, scope_id = budget.scope
    if kind == "organization":
        return "the organization"
    if kind == "each-user":
        if not subject:
            return "each user"
        return principal_name(db, budget.org, subject)
    if kind in ("user", "service-account"):
        return principal_name(db, budget.org, scope_id)
    if kind == "key":
        rows = db.rows(_KEY, budget.org, scope_id)
        return f"the key {rows[0][0] if rows else scope_id}"
    return f"the {kind} {scope_id}"


_NAMES = """
SELECT 'user', user_id, email FROM members WHERE org_id = ?
UNION ALL SELECT 'service-account', service_account_id, name FROM service_accounts WHERE org_id = ?
UNION ALL SELECT 'key', key_id, name FROM api_keys WHERE org_id = ?
"""


def scope_names(db: Database, org: ids.OrgId) -> dict[tuple[str, str], str]:
    """What people call the ids of scopes, by kind and id; all others are their own names."""
    return {(kind, scope_id): name for kind, scope_id, name in db.rows(_NAMES, org, org, org)}
