"""Who may use the schema, so that software of different ages shares it.

Revision ID: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of the oldest software that may use the schema, with its one row."""
    op.create_table(
        "schema_use",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("oldest", sa.Text(), nullable=False),
        sa.Column("refusal", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO schema_use (id, oldest) VALUES (1, '0014')")
