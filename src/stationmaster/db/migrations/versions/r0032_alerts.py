"""Alerts, their destinations, and deliveries with every attempt."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Create the tables of alerts, destinations, deliveries and attempts."""
    op.create_table(
        "alerts",
        *keys("org_id", "alert_id"),
        *texts("kind", "digest", "title", "body", "data"),
        *texts("person_id", nullable=True),
        *numbers("raised_at"),
        *numbers("until", "resolved_at", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("alerts_by_key", "alerts", ["org_id", "kind", "digest"], unique=True)
    op.create_table(
        "alert_destinations",
        *keys("org_id", "destination_id"),
        *texts("name", "format", "kinds", "recipients"),
        *texts("shown_address", nullable=True),
        *blobs("sealed_address", "sealed_secret", "sealed_previous", nullable=True),
        *numbers("previous_until", nullable=True),
        *texts("state"),
        *texts("reason", nullable=True),
        *numbers("failing_since", "paused_until", nullable=True),
        *numbers("created_at"),
        *texts("created_by"),
    )
    _create_deliveries()


def _create_deliveries() -> None:
    op.create_table(
        "alert_deliveries",
        *keys("org_id", "delivery_id"),
        *texts("alert_id", "destination_id", "event", "audience", "state"),
        *numbers("attempts", "due_at", "created_at"),
        *numbers("finished_at", nullable=True),
        sqlite_with_rowid=False,
    )
    for name, columns in (
        ("state", ["state", "due_at"]),
        ("alert", ["org_id", "alert_id"]),
        ("destination", ["org_id", "destination_id", "delivery_id"]),
    ):
        op.create_index(f"alert_deliveries_by_{name}", "alert_deliveries", columns)
    op.create_table(
        "alert_attempts",
        *keys("org_id", "delivery_id", "attempt_id"),
        *numbers("started_at"),
        *numbers("ended_at", "status", nullable=True),
        *texts("error", nullable=True),
        sqlite_with_rowid=False,
    )
