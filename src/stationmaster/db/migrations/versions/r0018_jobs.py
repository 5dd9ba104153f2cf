"""Durable jobs."""

from __future__ import annotations

revision = "r0018"
down_revision = "r0017"


def upgrade() -> None:
    pass
