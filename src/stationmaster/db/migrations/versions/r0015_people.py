"""Which names of a person belong together, teams, and how people are shown."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Create the tables of aliases, their evidence and privacy; add teams and users' agents."""
    op.add_column("members", sa.Column("team", sa.Text(), nullable=True))
    op.add_column("active_users", sa.Column("products", sa.Text(), nullable=True))
    op.add_column("active_users", sa.Column("team", sa.Text(), nullable=True))
    op.create_table(
        "user_aliases",
        *keys("org_id", "user_id"),
        *texts("person_id", "person_email", nullable=True),
        *numbers("created_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "user_evidence",
        *keys("org_id", "user_id", "person_id"),
        *texts("person_email", nullable=True),
        *texts("kind"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "organization_privacy",
        *keys("org_id"),
        *texts("mode"),
        *numbers("minimum"),
        *blobs("seed"),
    )
