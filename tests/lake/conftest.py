"""One installation per test, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stationmaster.db.engine import Database
from tests.lake.installation import Installation


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Iterator[Installation]:
    installation = Installation.open(tmp_path, database_url)
    yield installation
    installation.close()


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(Database.open(f"sqlite:///{tmp_path_factory.mktemp('state')}/state")) as database:
        database.migrate()
        yield database
