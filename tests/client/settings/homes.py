"""Files of settings in a home folder."""

from __future__ import annotations

import stat
from pathlib import Path

from stationmaster.client.server import Server
from stationmaster.client.settings.telemetry import (
    products,
    recipe_of,
)

SERVER = Server("https://agents.example.com", "sm_key'\"x")


AGENTS = sorted(products())


def settings_path(agent: str, home: Path) -> Path:
    return home / recipe_of(agent, SERVER).files[0].path


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its permissions."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in folder.rglob("*")
        if file.is_file()
    }
