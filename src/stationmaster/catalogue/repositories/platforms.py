"""Platforms and tools that deploy, by their files: `platforms.toml`."""

from __future__ import annotations

from functools import cache

from stationmaster.catalogue.table import Row, read


class Platform(Row, frozen=True):
    """`title` is empty for files that name no platform; the table describes the rest."""

    files: tuple[str, ...]
    title: str = ""
    folder: str = ""
    sign: str = ""
    is_application: bool = False


@cache
def platforms() -> dict[str, Platform]:
    """All of them, by the names of their files."""
    rows = read("repositories/platforms", dict[str, Platform])
    return {file: platform for platform in rows.values() for file in platform.files}
