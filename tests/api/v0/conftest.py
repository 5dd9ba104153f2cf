"""A server with one organization on it, on each database."""

from __future__ import annotations

import pytest

from tests.support.cast import Cast
from tests.support.servers import Server


@pytest.fixture
def served(any_server: Server) -> Server:
    return any_server


@pytest.fixture
def cast(served: Server) -> Cast:
    """A fresh organization with a caller of each kind."""
    return Cast(served.services.db, "acme")
