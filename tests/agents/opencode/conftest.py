"""A database of OpenCode with one session."""

from __future__ import annotations

import pytest

from tests.support.talks import (
    Database,
)


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "opencode.db")
    yield database
    database.connection.close()
