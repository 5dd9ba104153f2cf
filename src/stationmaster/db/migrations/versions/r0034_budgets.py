"""Budgets, what is used and held of them, and requests for more.

Revision ID: 0034
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, _BIG, nullable=False) for name in names]


def upgrade() -> None:
    """Create the tables of budgets, their use, holds on them and requests for more."""
    op.create_table(
        "budgets",
        *_texts("org_id", "budget_id", "scope_kind", "scope_id", "currency", "period"),
        *_texts("starts_on", "ends_on", "amount", "at_end", "models", "when_unreachable"),
        *_numbers("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("org_id", "budget_id"),
        sa.UniqueConstraint(
            *("org_id", "scope_id", "scope_kind", "currency", "period", "starts_on", "ends_on")
        ),
    )
    op.create_index("budgets_by_kind", "budgets", ["org_id", "scope_kind"])
    op.create_table(
        "budget_use",
        *_texts("org_id", "budget_id", "subject", "period_start", "spent", "reported"),
        *_numbers("reported_at", "streams_most"),
        *_texts("tails_most"),
        sa.PrimaryKeyConstraint("org_id", "budget_id", "subject", "period_start"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "budget_holds",
        *_texts("org_id", "budget_id", "subject", "period_start", "hold_id"),
        *_numbers("amount", "floor", "tail", "is_hard"),
        sa.Column("charged", _BIG),
        *_numbers("lives_ms", "expires_at"),
        *_texts("owner", "request_id"),
        sa.PrimaryKeyConstraint("org_id", "budget_id", "subject", "period_start", "hold_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("budget_holds_by_hold", "budget_holds", ["hold_id"])
    op.create_index("budget_holds_by_expiry", "budget_holds", ["expires_at"])
    op.create_table(
        "budget_requests",
        *_texts("org_id", "request_id", "budget_id", "subject", "principal_id", "reason"),
        sa.Column("asked", sa.Text()),
        *_texts("state"),
        *_numbers("created_at"),
        sa.Column("decided_at", _BIG),
        sa.Column("decided_by", sa.Text()),
        sa.Column("granted", sa.Text()),
        sa.Column("until", _BIG),
        sa.PrimaryKeyConstraint("org_id", "request_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("budget_requests_by_budget", "budget_requests", ["org_id", "budget_id"])
