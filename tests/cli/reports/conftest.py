"""A folder with the events of a day."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import sessions
from tests.support.commands import succeed


@pytest.fixture
def fed(made: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An installation that has one session of two turns."""
    sessions.a_session(tmp_path / "home")
    succeed("collect", "--home", tmp_path / "home", "--data-dir", made["data"])
    return made
