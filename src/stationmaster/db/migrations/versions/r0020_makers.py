"""Who made a one-time link or a key, and with which key or session."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add who made a link and with which key or session, and with which a key was made."""
    op.add_column("one_time_links", sa.Column("made_by", sa.Text(), nullable=True))
    op.add_column("one_time_links", sa.Column("made_with", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("made_with", sa.Text(), nullable=True))
