"""Who and what sends telemetry, and where sources disagree.

Revision ID: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of senders, the quality of days, and comparisons of sources."""
    _create(
        "senders",
        ["org_id", "user_id", "machine", "product", "source"],
        *_numbers("first_at", "last_at", "events", "refused"),
        sa.Column("version", sa.Text(), nullable=False),
        *_numbers("version_at", "unknown"),
        sa.Column("unknown_before", _BIG, nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
    )
    _create(
        "day_quality",
        ["org_id", "day", "product"],
        *_numbers("events", "without_session", "without_repository", "without_client"),
        *_numbers("calls", "without_autonomy", "clock_skew"),
    )
    _create(
        "source_comparisons",
        ["org_id", "day", "product", "source", "figure"],
        *_numbers("sessions", "differing", "told", "counted", "difference", "flagged"),
        sa.Column("worst", sa.Text(), nullable=False),
    )


def _create(table: str, key: list[str], *columns: sa.Column[object]) -> None:
    op.create_table(
        table,
        *(sa.Column(name, sa.Text(), nullable=False) for name in key),
        *columns,
        sa.PrimaryKeyConstraint(*key),
        sqlite_with_rowid=False,
    )


def _numbers(*names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, _BIG, nullable=False) for name in names]
