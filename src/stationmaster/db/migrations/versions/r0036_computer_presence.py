"""Which computers are connected, and the SSH keys that their agents show."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Create the table of the computers that are connected."""
    op.create_table(
        "computer_presence",
        *keys("org_id", "computer_id"),
        *texts("process", nullable=True),
        *numbers("since", "last_seen_at"),
        *texts("agent_version", "host_keys"),
        *texts("new_host_keys", nullable=True),
    )
