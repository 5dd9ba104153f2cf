"""Erasing people: what was asked for, whose telemetry is not stored, and parts on their way.

Revision ID: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of erasures and of erased users as marks; add which parts are hidden."""
    op.create_table(
        "erasures",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "erasure_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("reports", "job_id")),
        sa.Column("requested_at", _BIG, nullable=False),
        sa.Column("finished_at", _BIG, nullable=True),
        sa.Column("events", _BIG, nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org_id", "erasure_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "erased_marks",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "mark"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "erasure_keys",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
    op.add_column(
        "lake_parts",
        sa.Column("is_hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
