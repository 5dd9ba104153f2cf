"""A folder of a client with budgets."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def client_dir(tmp_path: Path) -> Path:
    return tmp_path / "client"
