"""Credit limits become budgets, whose tables stay for software that reads them; who has a gate."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from stationmaster import clock, ids
from stationmaster.db.columns import keys, numbers

revision = "0035"
down_revision = "0034"

_LIMITS = """
SELECT org_id, principal_id, credits FROM credit_limits
UNION ALL SELECT org_id, '', credits FROM global_credit_limits
"""
_BUDGET = """
INSERT INTO budgets (org_id, budget_id, scope_kind, scope_id, currency, period, starts_on, ends_on,
                     amount, at_end, models, when_unreachable, created_at, updated_at)
VALUES (:org_id, :budget_id, :scope_kind, :scope_id, 'credits', 'month', '', '',
        :amount, 'warn', '[]', 'allow', :now, :now)
"""


def upgrade() -> None:
    """Create the table of who has a gate; copy credit limits as monthly budgets that warn."""
    op.create_table(
        "gate_reports",
        *keys("org_id", "principal_id", "agent"),
        *numbers("seen_at"),
        sqlite_with_rowid=False,
    )
    connection = op.get_bind()
    now = clock.now_ms()
    rows = [
        {
            "org_id": org,
            "budget_id": ids.new("budget"),
            "scope_kind": _kind(principal),
            "scope_id": principal,
            "amount": str(credits),
            "now": now,
        }
        for org, principal, credits in connection.execute(sa.text(_LIMITS)).all()
    ]
    if rows:
        connection.execute(sa.text(_BUDGET), rows)


def _kind(principal: str) -> str:
    if not principal:
        return "each-user"
    return "service-account" if principal.startswith("svc_") else "user"
