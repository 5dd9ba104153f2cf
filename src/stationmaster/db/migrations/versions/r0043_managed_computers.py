"""Managed computers: what they are made of, what their steps printed, how busy they are."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    """Create the tables of managed computers, logs of their steps, and their metrics."""
    op.create_table(
        "managed_computers",
        *keys("org_id", "computer_id"),
        *texts("template", "account"),
        *texts("reference", "agent", nullable=True),
        *texts("repos", "power"),
        *numbers("deadline_at", "last_active_at"),
        *texts("failure", nullable=True),
        *numbers("failed_at", nullable=True),
    )
    op.create_table(
        "computer_step_logs",
        *keys("org_id", "computer_id", "step_id"),
        *texts("content"),
        *numbers("updated_at"),
    )
    op.create_table(
        "computer_metrics",
        *texts("org_id", "computer_id"),
        *numbers("began_at", "samples", "cpu", "cpu_count", "mem_used", "mem_total", "disk_used"),
        *numbers("disk_total"),
        sa.PrimaryKeyConstraint("org_id", "computer_id", "began_at"),
    )
