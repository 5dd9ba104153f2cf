"""Who and what sends telemetry, and where sources disagree."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Create the tables of senders, the quality of days, and comparisons of sources."""
    op.create_table(
        "senders",
        *keys("org_id", "user_id", "machine", "product", "source"),
        *numbers("first_at", "last_at", "events", "refused"),
        *texts("version"),
        *numbers("version_at", "unknown"),
        *numbers("unknown_before", nullable=True),
        *texts("email", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "day_quality",
        *keys("org_id", "day", "product"),
        *numbers("events", "without_session", "without_repository", "without_client", "calls"),
        *numbers("without_autonomy", "clock_skew"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "source_comparisons",
        *keys("org_id", "day", "product", "source", "figure"),
        *numbers("sessions", "differing", "told", "counted", "difference", "flagged"),
        *texts("worst"),
        sqlite_with_rowid=False,
    )
