"""Events that a rollup cannot count, set aside with a reason.

Revision ID: 0012
"""

from __future__ import annotations

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
