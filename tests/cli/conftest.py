"""Commands of these tests see a clean environment, and a clock that stands at noon."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.commands import succeed

NOW = "2026-11-21T12:00:00Z"


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("STATIONMASTER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("STATIONMASTER_NOW", NOW)
    monkeypatch.setenv("STATIONMASTER_CLIENT_DIR", str(tmp_path / "client"))


@pytest.fixture
def made(tmp_path: Path) -> dict[str, str]:
    """A fresh data folder: what `init` says, and `data`, where it is."""
    data = str(tmp_path / "data")
    return {**succeed("init", "--data-dir", data), "data": data}
