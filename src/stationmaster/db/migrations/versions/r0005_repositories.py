"""The repository registry.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of repositories and their credentials."""
    op.create_table(
        "repositories",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("default_branch", sa.Text(), nullable=True),
        sa.Column("head_commit", sa.Text(), nullable=True),
        sa.Column("fetched_at", _BIG, nullable=True),
        sa.Column("fetch_error", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("removed_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("org_id", "repo_id"),
        sa.UniqueConstraint("org_id", "url"),
    )
    op.create_table(
        "repository_credentials",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "repo_id"),
    )
