"""Which names of a person belong together, teams, and how people are shown.

Revision ID: 0015
"""

from __future__ import annotations

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
