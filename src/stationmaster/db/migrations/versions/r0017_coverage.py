"""Who and what sends telemetry, and where sources disagree.

Revision ID: 0017
"""

from __future__ import annotations

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
