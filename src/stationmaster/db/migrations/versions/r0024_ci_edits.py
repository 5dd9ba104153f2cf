"""Changes of workflow files that were asked for.

Revision ID: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of changes of workflow files."""
    op.create_table(
        "ci_edits",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "repo_id", "branch")),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("action", "repo_full_name", "file_path")
        ),
        sa.Column("pr_url", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        *(sa.Column(name, _BIG, nullable=False) for name in ("created_at", "updated_at")),
        sa.PrimaryKeyConstraint("org_id", "repo_id", "branch"),
        sqlite_with_rowid=False,
    )
