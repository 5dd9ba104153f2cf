"""Wiki runs that are generated: their job, when they were completed, what was counted."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add to wiki runs their job, when they were completed, and details."""
    op.add_column("wiki_runs", sa.Column("job_id", sa.Text(), nullable=True))
    op.add_column("wiki_runs", sa.Column("completed_at", Big, nullable=True))
    op.add_column("wiki_runs", sa.Column("details", sa.LargeBinary(), nullable=True))
