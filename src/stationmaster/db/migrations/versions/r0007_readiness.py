"""Readiness reports."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the tables of readiness reports and of the latest one of each repository."""
    op.create_table(
        "readiness_reports",
        *keys("org_id", "report_id"),
        *texts("repo_id"),
        *numbers("created_at"),
        *texts("repo_url"),
        *blobs("digest", "scores", "body"),
    )
    op.create_index(
        "readiness_reports_by_time", "readiness_reports", ["org_id", "created_at", "report_id"]
    )
    op.create_index(
        "readiness_reports_by_repository",
        "readiness_reports",
        ["org_id", "repo_id", "created_at", "report_id"],
    )
    op.create_table(
        "latest_readiness_reports",
        *keys("org_id", "repo_id"),
        *texts("report_id"),
        sqlite_with_rowid=False,
    )
