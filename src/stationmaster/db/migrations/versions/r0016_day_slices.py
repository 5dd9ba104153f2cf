"""What was done on a day, by user, agent, repository and team.

Revision ID: 0016
"""

from __future__ import annotations

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
