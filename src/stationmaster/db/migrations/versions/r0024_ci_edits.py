"""Changes of workflow files that were asked for."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Create the table of changes of workflow files."""
    op.create_table(
        "ci_edits",
        *keys("org_id", "repo_id", "branch"),
        *texts("action", "repo_full_name", "file_path"),
        *texts("pr_url", nullable=True),
        *texts("status"),
        *texts("error", nullable=True),
        *numbers("created_at", "updated_at"),
        sqlite_with_rowid=False,
    )
