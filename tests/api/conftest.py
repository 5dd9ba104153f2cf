"""The organization of the reports' tests and a client with its key, on a module's own server."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.servers import Server


@pytest.fixture
def acme(server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(server.services.db)


@pytest.fixture
def client(server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with server.client(acme.key) as client:
        yield client
