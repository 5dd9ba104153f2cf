"""Request limits and throttles that all processes share.

Revision ID: 0011
"""

from __future__ import annotations

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
