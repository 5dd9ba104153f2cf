"""Computers.

Revision ID: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of computers, what happened to them, and their secrets."""
    op.create_table(
        "computers",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("computer_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner_kind", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("removed_at", _BIG, nullable=True),
        sa.Column("remote_user", sa.Text(), nullable=True),
        sa.Column("host_id", sa.Text(), nullable=True),
        sa.Column("machine_hash", sa.Text(), nullable=True),
        sa.Column("credential_hash", sa.Text(), nullable=True),
        sa.Column("hostname", sa.Text(), nullable=True),
        sa.Column("cloned_repo_directories", sa.Text(), nullable=False),
        sa.Column("provisioning_steps", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org_id", "computer_id"),
    )
    _index("computers_by_name", ["org_id", "name", "owner_id"], unique=True)
    _index("computers_by_host", ["org_id", "host_id"], unique=True)
    _index("computers_by_owner", ["org_id", "owner_kind", "owner_id"], unique=False)
    op.create_table(
        "computer_events",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("computer_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("from_status", sa.Text(), nullable=True),
        sa.Column("to_status", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "computer_id", "event_id"),
    )
    op.create_table(
        "computer_secrets",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "name"),
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
