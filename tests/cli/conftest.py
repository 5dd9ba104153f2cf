"""Commands of these tests see a clean environment, and a clock that stands at noon."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.commands import succeed

NOW = "2026-11-21T12:00:00Z"


def _clean(environment: pytest.MonkeyPatch, folder: Path) -> None:
    for name in [name for name in os.environ if name.startswith("STATIONMASTER_")]:
        environment.delenv(name)
    environment.setenv("STATIONMASTER_NOW", NOW)
    environment.setenv("STATIONMASTER_CLIENT_DIR", str(folder / "client"))


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _clean(monkeypatch, tmp_path)


@pytest.fixture(scope="session")
def _initialized(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A data folder as `init` leaves it, and what `init` prints: made once, copied often."""
    folder = tmp_path_factory.mktemp("initialized")
    with pytest.MonkeyPatch.context() as environment:
        _clean(environment, folder)
        return folder / "data", succeed("init", "--data-dir", folder / "data")


@pytest.fixture
def made(_initialized: tuple[Path, dict[str, str]], tmp_path: Path) -> dict[str, str]:
    """A fresh data folder: what `init` says, and `data`, where it is."""
    folder, printed = _initialized
    data = shutil.copytree(folder, tmp_path / "data")
    return {**printed, "data": str(data)}
