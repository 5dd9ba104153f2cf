"""Every query of credit limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from sqlalchemy import Connection, delete, insert, select

from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import credit_limits, global_credit_limits
from stationmaster.ids import OrgId


def global_limit(connection: Connection, org: OrgId) -> int | None:
    found = connection.execute(
        select(global_credit_limits.c.credits).where(global_credit_limits.c.org_id == org)
    )
    return found.scalar()


def limits_of(connection: Connection, org: OrgId, principals: Iterable[str]) -> dict[str, int]:
    """The limits of those principals that have one of their own."""
    found = connection.execute(
        select(credit_limits.c.principal_id, credit_limits.c.credits).where(
            credit_limits.c.org_id == org, credit_limits.c.principal_id.in_(sorted(principals))
        )
    )
    return {row.principal_id: row.credits for row in found}


def put_global_limit(connection: Connection, org: OrgId, limit: int | None) -> None:
    """Set or, with None, clear the organization's limit."""
    connection.execute(delete(global_credit_limits).where(global_credit_limits.c.org_id == org))
    if limit is not None:
        connection.execute(insert(global_credit_limits).values(org_id=org, credits=limit))


def put_limits(connection: Connection, org: OrgId, limits: Mapping[str, int | None]) -> None:
    """Set or, with None, remove principals' own limits."""
    connection.execute(
        delete(credit_limits).where(
            credit_limits.c.org_id == org, credit_limits.c.principal_id.in_(sorted(limits))
        )
    )
    new = [
        {"org_id": org, "principal_id": principal, "credits": limit}
        for principal, limit in limits.items()
        if limit is not None
    ]
    if new:
        connection.execute(insert(credit_limits), new)


_GLOBAL = "SELECT credits FROM global_credit_limits WHERE org_id = ?"
_OF_USERS = """
SELECT m.email, l.credits
FROM members m JOIN credit_limits l ON l.org_id = m.org_id AND l.principal_id = m.user_id
WHERE m.org_id = ? AND m.joined_at IS NOT NULL AND m.removed_at IS NULL
ORDER BY m.email
"""
_PAGE = """
SELECT p.id, p.kind, p.email, p.name, l.credits, (
  SELECT CAST(coalesce(sum(a.billable_tokens), 0) AS BIGINT) FROM active_users a
  WHERE a.org_id = ? AND a.user_id = p.id AND a.day BETWEEN ? AND ?)
FROM (
  SELECT user_id AS id, 'human' AS kind, email, NULL AS name FROM members
  WHERE org_id = ? AND user_id > ? AND joined_at IS NOT NULL AND removed_at IS NULL
  UNION ALL
  SELECT service_account_id, 'service', NULL, name FROM service_accounts
  WHERE org_id = ? AND service_account_id > ? AND removed_at IS NULL
  ORDER BY 1 LIMIT ?
) p LEFT JOIN credit_limits l ON l.org_id = ? AND l.principal_id = p.id
ORDER BY p.id
"""
_ONE = _PAGE.replace("_id > ?", "_id = ?")
_TOTAL = """
SELECT CAST(coalesce(sum(billable_tokens), 0) AS BIGINT) FROM active_users
WHERE org_id = ? AND day BETWEEN ? AND ?
"""


def read_global_limit(db: Database, org: OrgId) -> int | None:
    """`global_limit` outside a transaction."""
    found = db.rows(_GLOBAL, org)
    return found[0][0] if found else None


def user_limits(db: Database, org: OrgId) -> dict[str, int]:
    """The own limits of present members, by address."""
    return dict(db.rows(_OF_USERS, org))


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
