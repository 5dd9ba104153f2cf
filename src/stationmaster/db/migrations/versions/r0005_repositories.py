"""The repository registry."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables of repositories and their credentials."""
    op.create_table(
        "repositories",
        *keys("org_id", "repo_id"),
        *texts("url", "provider"),
        *texts("default_branch", "head_commit", nullable=True),
        *numbers("fetched_at", nullable=True),
        *texts("fetch_error", nullable=True),
        *numbers("created_at"),
        *texts("created_by"),
        *numbers("removed_at", nullable=True),
        sa.UniqueConstraint("org_id", "url"),
    )
    op.create_table(
        "repository_credentials",
        *keys("org_id", "repo_id"),
        *texts("kind"),
        *texts("username", nullable=True),
        *blobs("sealed"),
    )
