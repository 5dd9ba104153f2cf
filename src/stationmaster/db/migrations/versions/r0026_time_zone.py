"""The time zone of an organization."""

from alembic import op

from stationmaster.db.columns import keys, texts

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Create the table of organizations' time zones."""
    op.create_table(
        "organization_time_zones",
        *keys("org_id"),
        *texts("name"),
    )
