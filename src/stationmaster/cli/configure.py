"""From flags and environment to settings, with the clock set as they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stationmaster import clock, settings
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.cli.api import Api


def configure(data_dir: Path | None = None, **flags: object) -> Settings:
    """The settings of this run of the program; a flag that is None was not given."""
    made = settings.load({"data_dir": data_dir, **flags})
    clock.freeze(made.now)
    return made


def connect(data_dir: Path | None, org: str | None, url: str | None, key: str | None) -> Api:
    """The API of a server, or without a url that of a local data folder."""
    # Whoever does not speak to it need not load HTTP.
    from stationmaster.cli.api import Api

    return Api(configure(data_dir, url=url, key=key), org)
