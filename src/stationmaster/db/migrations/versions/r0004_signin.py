"""Passwords, sessions, one-time links and signing keys.

Revision ID: 0004
"""

from __future__ import annotations

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
