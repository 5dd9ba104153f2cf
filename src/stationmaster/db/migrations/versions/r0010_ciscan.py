"""Results of CI scans."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the table of the last CI scan of each repository."""
    op.create_table(
        "ci_scans",
        *keys("org_id", "repo_id"),
        *numbers("checked_at"),
        *texts("status"),
        *texts("error", nullable=True),
        *numbers("revision", nullable=True),
        *texts("commit_hash", nullable=True),
        *numbers("scanned_at", nullable=True),
        *texts("workflows", nullable=True),
        sqlite_with_rowid=False,
    )
