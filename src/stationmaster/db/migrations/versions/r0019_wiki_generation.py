"""Wiki runs that are generated: their job, when they were completed, what was counted.

Revision ID: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add to wiki runs their job, when they were completed, and details."""
    op.add_column("wiki_runs", sa.Column("job_id", sa.Text(), nullable=True))
    op.add_column("wiki_runs", sa.Column("completed_at", _BIG, nullable=True))
    op.add_column("wiki_runs", sa.Column("details", sa.LargeBinary(), nullable=True))
