"""Every query of credit limits: the monthly budgets in credits of each user and of single ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from sqlalchemy import Connection, and_, select, update

from stationmaster import clock, ids
from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import budgets
from stationmaster.ids import OrgId
from stationmaster.limits.budgets import Budget, Scope, delete_budget, own_scope, put_budget

OWN = ("user", "service-account")
"""The scopes of limits of single principals; that of all others is `each-user`."""


_MONTHLY = and_(budgets.c.currency == "credits", budgets.c.period == "month")


def global_limit(connection: Connection, org: OrgId) -> int | None:
    """Standard Credits a month of those without an own limit; None without such a limit."""
    amount = connection.execute(
        select(budgets.c.amount).filter_by(org_id=org, scope_kind="each-user").where(_MONTHLY)
    ).scalar()
    return None if amount is None else int(amount)


def limits_of(connection: Connection, org: OrgId, principals: Iterable[str]) -> dict[str, int]:
    """The limits of those principals that have one of their own."""
    rows = connection.execute(
        select(budgets.c.scope_id, budgets.c.amount).where(
            *(budgets.c.org_id == org, _MONTHLY, budgets.c.scope_kind.in_(OWN)),
            budgets.c.scope_id.in_(sorted(principals)),
        )
    )
    return {row.scope_id: int(row.amount) for row in rows}


def put_global_limit(connection: Connection, org: OrgId, limit: int | None) -> None:
    """Set or, with None, clear the organization's limit."""
    _put(connection, org, Scope("each-user"), limit)


def put_limits(connection: Connection, org: OrgId, limits: Mapping[str, int | None]) -> None:
    """Set or, with None, remove principals' own limits."""
    for principal, limit in limits.items():
        _put(connection, org, own_scope(principal), limit)


def _put(connection: Connection, org: OrgId, scope: Scope, limit: int | None) -> None:
    """Set the amount of a budget, whatever it does at its end; a new one refuses nothing."""
    mine = and_(
        *(budgets.c.org_id == org, _MONTHLY, budgets.c.scope_kind == scope.kind),
        budgets.c.scope_id == scope.id,
    )
    budget_id = connection.execute(select(budgets.c.budget_id).where(mine)).scalar()
    if budget_id is None:
        if limit is not None:
            new = Budget(ids.new("budget"), org, scope, limit, "credits", "month")
            put_budget(connection, new)
    elif limit is None:
        delete_budget(connection, org, budget_id)
    else:
        connection.execute(
            update(budgets).where(mine).values(amount=str(limit), updated_at=clock.now_ms())
        )


_GLOBAL = """
SELECT amount FROM budgets
WHERE org_id = ? AND scope_id = '' AND scope_kind = 'each-user' AND currency = 'credits'
  AND period = 'month'
"""
_OF_USERS = """
SELECT m.email, l.amount
FROM members m JOIN budgets l ON l.org_id = m.org_id AND l.scope_id = m.user_id
WHERE m.org_id = ? AND m.joined_at IS NOT NULL AND m.removed_at IS NULL
  AND l.scope_kind = 'user' AND l.currency = 'credits' AND l.period = 'month'
ORDER BY m.email
"""
_PAGE = """
SELECT p.id, p.kind, p.email, p.name, CAST(l.amount AS BIGINT), (
  SELECT CAST(coalesce(sum(a.billable_tokens), 0) AS BIGINT) FROM active_users a
  WHERE a.org_id = ? AND a.user_id = p.id AND a.day BETWEEN ? AND ?)
FROM (
  SELECT user_id AS id, 'human' AS kind, email, NULL AS name FROM members
  WHERE org_id = ? AND user_id > ? AND joined_at IS NOT NULL AND removed_at IS NULL
  UNION ALL
  SELECT service_account_id, 'service', NULL, name FROM service_accounts
  WHERE org_id = ? AND service_account_id > ? AND removed_at IS NULL
  ORDER BY 1 LIMIT ?
) p LEFT JOIN budgets l ON l.org_id = ? AND l.scope_id = p.id AND l.currency = 'credits'
  AND l.period = 'month' AND l.scope_kind IN ('user', 'service-account')
ORDER BY p.id
"""
_ONE = _PAGE.replace("_id > ?", "_id = ?")
_TOTAL = """
SELECT CAST(coalesce(sum(billable_tokens), 0) AS BIGINT) FROM active_users
WHERE org_id = ? AND day BETWEEN ? AND ?
"""


def read_global_limit(db: Database, org: OrgId) -> int | None:
    """`global_limit` outside a transaction."""
    rows = db.rows(_GLOBAL, org)
    return int(rows[0][0]) if rows else None


def user_limits(db: Database, org: OrgId) -> dict[str, int]:
    """The own limits of present members, by address."""
    return {email: int(amount) for email, amount in db.rows(_OF_USERS, org)}


PageRow = tuple[str, str, str | None, str | None, int | None, int]
"""Principal, kind, e-mail, name, own limit, used."""


def page(
    db: Database, org: OrgId, first: date, last: date, *, after: str, count: int
) -> list[PageRow]:
    """The first principals whose id is greater than `after`, with their credits of some days."""
    span = (org, first.isoformat(), last.isoformat())
    return db.rows(_PAGE, *span, org, after, org, after, count, org)


def one(db: Database, org: OrgId, first: date, last: date, principal: str) -> PageRow | None:
    """A present member or service account, with its credits of some days."""
    span = (org, first.isoformat(), last.isoformat())
    rows = db.rows(_ONE, *span, org, principal, org, principal, 1, org)
    return rows[0] if rows else None


def total(db: Database, org: OrgId, first: date, last: date) -> int:
    """The credits of a whole organization in some days."""
    return int(db.rows(_TOTAL, org, first.isoformat(), last.isoformat())[0][0])
