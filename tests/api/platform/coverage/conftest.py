"""An organization with an owner."""

from __future__ import annotations

import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.servers import Server


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(any_server.services.db)
