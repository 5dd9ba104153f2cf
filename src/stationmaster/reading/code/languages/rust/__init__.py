"""Rust."""

from __future__ import annotations

from stationmaster.reading.code.languages.rust import commands, routes, running, settings
from stationmaster.reading.code.languages.rust.attributes import File as File

READERS = (running.mains, routes.read, commands.read, settings.read, running.read)
