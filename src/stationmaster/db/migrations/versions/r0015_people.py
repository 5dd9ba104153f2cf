"""Which names of a person belong together, teams, and how people are shown.

Revision ID: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of aliases, their evidence and privacy; add teams and users' agents."""
    op.add_column("members", sa.Column("team", sa.Text(), nullable=True))
    op.add_column("active_users", sa.Column("products", sa.Text(), nullable=True))
    op.add_column("active_users", sa.Column("team", sa.Text(), nullable=True))
    op.create_table(
        "user_aliases",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=True),
        sa.Column("person_email", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "user_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "user_evidence",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_email", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "user_id", "person_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "organization_privacy",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("minimum", _BIG, nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
