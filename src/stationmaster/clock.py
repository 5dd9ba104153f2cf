"""The only clock. All code reads the time here, so that tests and demos can freeze it."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

_frozen_ms: int | None = None


def now_ms() -> int:
    """The current time as UTC milliseconds since 1970."""
    return _frozen_ms if _frozen_ms is not None else time.time_ns() // 1_000_000


def today() -> date:
    """The current UTC date."""
    return datetime.fromtimestamp(now_ms() / 1000, UTC).date()


def freeze(at: datetime | None) -> None:
    """Stop the clock at an aware time; None lets it run again."""
    global _frozen_ms  # noqa: PLW0603 - one process has one clock
    _frozen_ms = None if at is None else int(at.timestamp() * 1000)
