"""Sessions of coding agents on computers, and the agents that each computer allows."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big, keys, numbers, texts

revision = "0039"
down_revision = "0037"


def upgrade() -> None:
    """Create the table of sessions on computers; add the agents that a computer allows."""
    op.add_column("computer_presence", sa.Column("agents", sa.Text()))
    op.create_table(
        "computer_sessions",
        *keys("org_id", "session_id"),
        *texts("computer_id", "agent", "started_by", "state"),
        *texts("reason", nullable=True),
        *numbers("created_at", "changed_at"),
        *numbers("ended_at", nullable=True),
        *(
            sa.Column(name, Big, nullable=False, server_default="0")
            for name in ("prompts", "permissions", "updates")
        ),
    )
    op.create_index(
        "computer_sessions_by_computer",
        "computer_sessions",
        ["org_id", "computer_id", "session_id"],
    )
