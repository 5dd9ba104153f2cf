"""How long an organization keeps its raw events."""

from alembic import op

from stationmaster.db.columns import keys, numbers

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Create the table of how many days organizations keep events."""
    op.create_table(
        "organization_retention",
        *keys("org_id"),
        *numbers("days"),
    )
