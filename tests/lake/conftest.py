"""One installation per test, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lake.installation import Installation


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Iterator[Installation]:
    installation = Installation.open(tmp_path, database_url)
    yield installation
    installation.close()
