"""Files that set up tools for tests, checks and work at times: `config_files.toml`."""

from __future__ import annotations

import msgspec

from stationmaster.catalogue.table import Row, lazy_table


class ConfigFiles(Row, frozen=True):
    """Names of files by tool, and the beginnings of sections by manifest and tool."""

    files: dict[str, tuple[str, ...]]
    sections: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)


config_files = lazy_table("repositories/config_files", dict[str, ConfigFiles])
"""By kind: `test`, `lint` or `schedule`."""
