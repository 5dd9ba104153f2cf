"""Alerts, their destinations, and deliveries with every attempt.

Revision ID: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=nullable) for name in names]


def _numbers(*names: str, nullable: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, _BIG, nullable=nullable) for name in names]


def upgrade() -> None:
    """Create the tables of alerts, destinations, deliveries and attempts."""
    op.create_table(
        "alerts",
        *_texts("org_id", "alert_id", "kind", "digest", "title", "body", "data"),
        *_texts("person_id", nullable=True),
        *_numbers("raised_at"),
        *_numbers("until", "resolved_at", nullable=True),
        sa.PrimaryKeyConstraint("org_id", "alert_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("alerts_by_key", "alerts", ["org_id", "kind", "digest"], unique=True)
    op.create_table(
        "alert_destinations",
        *_texts("org_id", "destination_id", "name", "format", "kinds", "recipients"),
        *_texts("shown_address", nullable=True),
        *(
            sa.Column(name, sa.LargeBinary())
            for name in ("sealed_address", "sealed_secret", "sealed_previous")
        ),
        *_numbers("previous_until", nullable=True),
        *_texts("state"),
        *_texts("reason", nullable=True),
        *_numbers("failing_since", "paused_until", nullable=True),
        *_numbers("created_at"),
        *_texts("created_by"),
        sa.PrimaryKeyConstraint("org_id", "destination_id"),
    )
    _create_deliveries()


def _create_deliveries() -> None:
    op.create_table(
        "alert_deliveries",
        *_texts("org_id", "delivery_id", "alert_id", "destination_id", "event", "audience"),
        *_texts("state"),
        *_numbers("attempts", "due_at", "created_at"),
        *_numbers("finished_at", nullable=True),
        sa.PrimaryKeyConstraint("org_id", "delivery_id"),
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
        *_texts("org_id", "delivery_id", "attempt_id"),
        *_numbers("started_at"),
        *_numbers("ended_at", "status", nullable=True),
        *_texts("error", nullable=True),
        sa.PrimaryKeyConstraint("org_id", "delivery_id", "attempt_id"),
        sqlite_with_rowid=False,
    )
