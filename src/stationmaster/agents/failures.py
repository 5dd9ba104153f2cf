"""Failed attempts to call a model: what their status means. Messages are never stored."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.values import whole
from stationmaster.events.model import ErrorClass, Event

_STATUSES: dict[int, ErrorClass] = {429: "rate_limited", 503: "overloaded", 529: "overloaded"}


def status_of(value: Any) -> int | None:
    """An HTTP status, as a number or as text; None for anything else."""
    try:
        status = whole(int(value) if isinstance(value, str) else value)
    except ValueError:
        return None
    return status if status is not None and 100 <= status <= 599 else None


def set_failure(event: Event, status: int | None, otherwise: ErrorClass) -> None:
    """Set the class of a failed attempt by its status, or `otherwise` without one."""
    event.error_status = status
    if status is None:
        event.error_class = otherwise
    else:
        event.error_class = _STATUSES.get(status, "server" if status >= 500 else "rejected")
