"""From flags and environment to settings, with the clock set as they say."""

from __future__ import annotations

from pathlib import Path

from stationmaster import clock, settings
from stationmaster.settings import Settings


def configure(data_dir: Path | None = None, **flags: object) -> Settings:
    """The settings of this run of the program; a flag that is None was not given."""
    made = settings.load({"data_dir": data_dir, **flags})
    clock.freeze(made.now)
    return made
