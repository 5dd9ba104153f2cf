"""Managed computers: what they are made of, what their steps printed, how busy they are.

Revision ID: 0043
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of managed computers, logs of their steps, and their metrics."""
    op.create_table(
        "managed_computers",
        *_texts("org_id", "computer_id", "template", "account"),
        *(sa.Column(name, sa.Text()) for name in ("reference", "agent")),
        *_texts("repos", "power"),
        *_numbers("deadline_at", "last_active_at"),
        sa.Column("failure", sa.Text()),
        sa.Column("failed_at", _BIG),
        sa.PrimaryKeyConstraint("org_id", "computer_id"),
    )
    op.create_table(
        "computer_step_logs",
        *_texts("org_id", "computer_id", "step_id", "content"),
        *_numbers("updated_at"),
        sa.PrimaryKeyConstraint("org_id", "computer_id", "step_id"),
    )
    op.create_table(
        "computer_metrics",
        *_texts("org_id", "computer_id"),
        *_numbers("began_at", "samples", "cpu", "cpu_count"),
        *_numbers("mem_used", "mem_total", "disk_used", "disk_total"),
        sa.PrimaryKeyConstraint("org_id", "computer_id", "began_at"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, _BIG, nullable=False) for name in names]
