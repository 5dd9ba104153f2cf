"""Budgets, what is used and held of them, and requests for more."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Create the tables of budgets, their use, holds on them and requests for more."""
    op.create_table(
        "budgets",
        *keys("org_id", "budget_id"),
        *texts("scope_kind", "scope_id", "currency", "period", "starts_on", "ends_on", "amount"),
        *texts("at_end", "models", "when_unreachable"),
        *numbers("created_at", "updated_at"),
        sa.UniqueConstraint(
            *("org_id", "scope_id", "scope_kind", "currency", "period", "starts_on", "ends_on")
        ),
    )
    op.create_index("budgets_by_kind", "budgets", ["org_id", "scope_kind"])
    op.create_table(
        "budget_use",
        *keys("org_id", "budget_id", "subject", "period_start"),
        *texts("spent", "reported"),
        *numbers("reported_at", "streams_most"),
        *texts("tails_most"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "budget_holds",
        *keys("org_id", "budget_id", "subject", "period_start", "hold_id"),
        *numbers("amount", "floor", "tail", "is_hard"),
        *numbers("charged", nullable=True),
        *numbers("lives_ms", "expires_at"),
        *texts("owner", "request_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("budget_holds_by_hold", "budget_holds", ["hold_id"])
    op.create_index("budget_holds_by_expiry", "budget_holds", ["expires_at"])
    op.create_table(
        "budget_requests",
        *keys("org_id", "request_id"),
        *texts("budget_id", "subject", "principal_id", "reason"),
        *texts("asked", nullable=True),
        *texts("state"),
        *numbers("created_at"),
        *numbers("decided_at", nullable=True),
        *texts("decided_by", "granted", nullable=True),
        *numbers("until", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("budget_requests_by_budget", "budget_requests", ["org_id", "budget_id"])
