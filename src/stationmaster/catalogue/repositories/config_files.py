"""Files that set up tools for tests and for checks: `config_files.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, once


class ConfigFiles(Row, frozen=True):
    """Names of files by tool, and the beginnings of sections by manifest and tool."""

    files: dict[str, tuple[str, ...]]
    sections: dict[str, dict[str, str]]


config_files = once("repositories/config_files", dict[str, ConfigFiles])
"""By kind: `test` or `lint`."""
