"""The organization of the reports' tests and a client with its key, on a module's own server; and a
server on each database for modules whose tests make organizations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Protocol

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support import databases
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

_numbers = count(1)


@pytest.fixture
def acme(server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(server.services.db)


@pytest.fixture
def client(server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with server.client(acme.key) as client:
        yield client


@pytest.fixture(scope="module")
def server_fields() -> dict[str, object]:
    """Settings of `any_server`; a module that needs some says which."""
    return {}


@pytest.fixture(scope="module", params=databases.KINDS)
def any_server(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    server_fields: dict[str, object],
) -> Iterator[Server]:
    """A server on SQLite, then one on PostgreSQL, without limits of requests."""
    folder = tmp_path_factory.mktemp("server")
    if request.param == "sqlite":
        with running_server(settings_for(folder, "sqlite", **server_fields)) as server:
            yield server
        return
    with (
        request.getfixturevalue("postgresql").database() as url,
        running_server(settings_for(folder, url, **server_fields)) as server,
    ):
        yield server


@pytest.fixture
def cast(any_server: Server) -> Cast:
    """A fresh organization with a caller of each kind."""
    clock.freeze(day.NOW)
    return Cast(any_server.services.db, f"org{next(_numbers)}")


class Ask(Protocol):
    """Send a request as one of the callers of the cast, or with the text of a key."""

    def __call__(self, caller: str, method: str, path: str, **sent: Any) -> httpx.Response: ...


@pytest.fixture
def ask(any_server: Server, cast: Cast) -> Iterator[Ask]:
    with any_server.client() as client:

        def send(caller: str, method: str, path: str, **sent: Any) -> httpx.Response:
            key = cast.keys.get(caller, caller)
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            if "content" in sent:
                headers["Content-Type"] = "application/json"
            return client.request(method, path, headers=headers, **sent)

        yield send
