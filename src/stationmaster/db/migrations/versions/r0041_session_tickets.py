"""Tickets with which pages open the stream of a session."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Create the table of tickets for streams of sessions."""
    op.create_table(
        "session_tickets",
        *keys("org_id", "ticket_hash"),
        *texts("principal_id", "session_id"),
        *numbers("expires_at"),
    )
