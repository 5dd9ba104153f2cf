"""Wiki runs, their pages, and the search over them.

Revision ID: 0009
"""

from __future__ import annotations

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
