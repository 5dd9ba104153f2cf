"""Evaluations of registered repositories."""

from __future__ import annotations

revision = "r0019"
down_revision = "r0018"


def upgrade() -> None:
    pass
