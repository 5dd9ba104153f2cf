"""An organization with an owner."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.servers import Server


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(any_server.services.db)


@pytest.fixture
def ada(any_server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with any_server.client(acme.key) as client:
        yield client
