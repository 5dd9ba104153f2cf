"""Flags on events that are less certain than others."""

from __future__ import annotations

from stationmaster.events.model import Event


def mark(event: Event, flag: str) -> None:
    """Add one of `QUALITY_FLAGS` to an event's flags."""
    flags = event.quality.split(",") if event.quality else ()
    event.quality = ",".join(sorted({flag, *flags}))
