"""Installations to back up, and places to restore to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.settings import Settings
from tests.lake.backups import installation
from tests.lake.backups.conftest import Filled
from tests.support import databases
from tests.support.servers import settings_for


@pytest.fixture(params=databases.KINDS)
def source(request: pytest.FixtureRequest, filled: Filled) -> Iterator[Settings]:
    """A filled installation on each kind of database."""
    if request.param == "sqlite":
        yield filled.settings
        return
    url = request.getfixturevalue("empty_postgresql")
    installation.run(filled.settings, "migrate-store", "--to", url)
    for name in ("stationmaster", "inbox"):
        (filled.settings.data_dir / f"{name}.sqlite3").unlink()
    yield filled.on(url)


@pytest.fixture(params=databases.KINDS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Where nothing is yet, of each kind."""
    if request.param == "sqlite":
        yield settings_for(tmp_path / "restored", "sqlite")
        return
    with request.getfixturevalue("postgresql").database(template="template0") as url:
        yield settings_for(tmp_path / "restored", url)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "backup"


@pytest.fixture(scope="module")
def sound_backup(template: Filled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    twin = settings_for(tmp_path_factory.mktemp("sound"), "sqlite")
    shutil.copytree(template.settings.data_dir, twin.data_dir)
    folder = twin.data_dir.parent / "backup"
    installation.run(twin, "backup", folder)
    return folder
