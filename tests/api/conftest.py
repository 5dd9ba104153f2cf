"""The organization of the reports' tests and a client with its key, on a module's own server; and a
server on each database for modules whose tests make organizations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support import databases
from tests.support.servers import Server, running_server, settings_for


@pytest.fixture
def acme(server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(server.services.db)


@pytest.fixture
def client(server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with server.client(acme.key) as client:
        yield client


@pytest.fixture(scope="module", params=databases.KINDS)
def any_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server on SQLite, then one on PostgreSQL, without limits of requests."""
    folder = tmp_path_factory.mktemp("server")
    if request.param == "sqlite":
        with running_server(settings_for(folder, "sqlite")) as server:
            yield server
        return
    with (
        request.getfixturevalue("postgresql").database() as url,
        running_server(settings_for(folder, url)) as server,
    ):
        yield server
