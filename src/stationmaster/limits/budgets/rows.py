"""Budgets as they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import (
    budget_holds,
    budget_requests,
    budget_use,
    budgets,
)
from stationmaster.db.upserts import upsert
from stationmaster.ids import OrgId
from stationmaster.limits.budgets.model import Budget, Scope

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
def read(org: OrgId, row: tuple[Any, ...]) -> Budget:
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


def write(budget: Budget) -> dict[str, str]:
    """The columns of a budget's row, but for its organization and its times."""
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


def all_of(db: Database, org: OrgId) -> list[Budget]:
    """The budgets of an organization, by scope."""
    return _in_order(org, db.rows(_OF_ORG, org))


def of_principal(
    db: Database, org: OrgId, principal_id: str, team: str | None, since: int
) -> list[Budget]:
    """The budgets that a principal's calls can fall under: also all of agents and models, and
    those of repositories in which the principal had a session that ended after `since` (UTC ms).
    """
    params = (org, team, principal_id, org, org, org, principal_id, org, org, principal_id, since)
    return _in_order(org, db.rows(_OF_PRINCIPAL, *params))


def _in_order(org: OrgId, rows: Iterable[tuple[Any, ...]]) -> list[Budget]:
    budgets_of = [read(org, row) for row in rows]
    return sorted(budgets_of, key=lambda budget: (budget.scope, budget.period, budget.currency))


def organizations(db: Database) -> list[OrgId]:
    """The organizations that have budgets."""
    return [org for (org,) in db.rows("SELECT DISTINCT org_id FROM budgets ORDER BY org_id")]


def one(connection: Connection, org: OrgId, budget_id: str) -> Budget | None:
    """A budget by its id; None where the organization has no such budget."""
    columns = [budgets.c[name] for name in COLUMNS.split(", ")]
    row = connection.execute(
        select(*columns).where(budgets.c.org_id == org, budgets.c.budget_id == budget_id)
    ).first()
    return None if row is None else read(org, tuple(row))


def put(connection: Connection, budget: Budget) -> None:
    """Store a budget, or change the one of its id."""
    now = clock.now_ms()
    row = {"org_id": budget.org, **write(budget), "created_at": now, "updated_at": now}
    upsert(connection, budgets, [row], keep=("created_at",))


def remove(connection: Connection, org: OrgId, budget_id: str) -> None:
    """Delete a budget with what was used, held and asked for of it."""
    for table in (budget_holds, budget_use, budget_requests, budgets):
        connection.execute(delete(table).filter_by(org_id=org, budget_id=budget_id))


def _day(text: str) -> date | None:
    return days.parse(text) if text else None
