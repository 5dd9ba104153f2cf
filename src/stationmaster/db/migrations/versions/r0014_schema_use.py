"""Who may use the schema, so that software of different ages shares it."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import texts

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the table of the oldest software that may use the schema, with its one row."""
    op.create_table(
        "schema_use",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        *texts("oldest"),
        *texts("refusal", nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO schema_use (id, oldest) VALUES (1, '0014')")
