"""Computers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables of computers, what happened to them, and their secrets."""
    op.create_table(
        "computers",
        *keys("org_id", "computer_id"),
        *texts("name", "owner_kind", "owner_id", "provider", "status"),
        *numbers("created_at"),
        *numbers("removed_at", nullable=True),
        *texts("remote_user", "host_id", "machine_hash", "credential_hash", nullable=True),
        *texts("hostname", nullable=True),
        *texts("cloned_repo_directories", "provisioning_steps"),
        *texts("source", nullable=True),
    )
    _index("computers_by_name", ["org_id", "name", "owner_id"], unique=True)
    _index("computers_by_host", ["org_id", "host_id"], unique=True)
    _index("computers_by_owner", ["org_id", "owner_kind", "owner_id"], unique=False)
    op.create_table(
        "computer_events",
        *keys("org_id", "computer_id", "event_id"),
        *numbers("created_at"),
        *texts("from_status", nullable=True),
        *texts("to_status", "cause", "actor_id"),
    )
    op.create_table(
        "computer_secrets",
        *keys("org_id", "name"),
        *blobs("sealed"),
        *numbers("updated_at"),
    )


def _index(name: str, columns: list[str], *, unique: bool) -> None:
    """An index of the computers that were not removed."""
    is_living = sa.text("removed_at IS NULL")
    op.create_index(
        name,
        "computers",
        columns,
        unique=unique,
        sqlite_where=is_living,
        postgresql_where=is_living,
    )
