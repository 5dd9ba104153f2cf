"""One filled installation of a test run on each kind of database, copied for every test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from stationmaster.settings import Settings
from tests.lake.backups import installation
from tests.support import databases
from tests.support.servers import settings_for


@dataclass(frozen=True)
class Filled:
    """`answers` are those that it would give; nobody has asked it yet, so its inbox holds rows."""

    settings: Settings
    key: str
    answers: installation.Answers

    def on(self, database_url: str) -> Settings:
        """The same data folder, with its databases in PostgreSQL."""
        return msgspec.structs.replace(self.settings, database_url=database_url)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("STATIONMASTER_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """An installation on SQLite, not to be changed."""
    settings = settings_for(tmp_path_factory.mktemp("filled"), "sqlite")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("STATIONMASTER_")]:
            patch.delenv(name)
        key = installation.fill(settings)
        twin = settings_for(tmp_path_factory.mktemp("asked"), "sqlite")
        shutil.copytree(settings.data_dir, twin.data_dir)
        return Filled(settings, key, installation.answers(twin, key))


@pytest.fixture
def filled(template: Filled, tmp_path: Path) -> Filled:
    """An installation of this test alone, on SQLite."""
    settings = settings_for(tmp_path, "sqlite")
    shutil.copytree(template.settings.data_dir, settings.data_dir)
    return Filled(settings, template.key, template.answers)


@pytest.fixture
def empty_postgresql(postgresql: databases.PostgreSQL) -> Iterator[str]:
    """The URL of a database in which nothing has ever been."""
    if "postgresql" not in databases.KINDS:
        pytest.skip("only SQLite is asked for")
    with postgresql.database(template="template0") as url:
        yield url
