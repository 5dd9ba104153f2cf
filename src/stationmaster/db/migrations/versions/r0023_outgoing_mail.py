"""Messages that wait to be sent."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Create the table of mail that waits to be sent."""
    op.create_table(
        "outgoing_mail",
        *keys("org_id", "mail_id"),
        *blobs("sealed"),
        *numbers("created_at", "expires_at"),
    )
