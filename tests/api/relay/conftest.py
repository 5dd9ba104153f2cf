"""A server with a registered computer whose agent is connected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.client.computer import Registration
from tests.api.relay.exchange import Echo, numbers
from tests.support.cast import Cast
from tests.support.relaying import (
    Loop,
    Running,
    registered,
    running_agent,
    tcp_server,
)
from tests.support.servers import Server, running_server, settings_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("relay"), "sqlite")) as running:
        yield running


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, f"relay{next(numbers)}")


@pytest.fixture
def key(cast: Cast) -> str:
    """A member's, who owns the computer."""
    return str(cast.keys["member"])


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


@pytest.fixture
def registration(server: Server, key: str) -> Registration:
    with server.client(key) as client:
        return registered(client)


@pytest.fixture
def computer(
    server: Server, registration: Registration, loop: Loop, tmp_path: Path
) -> Iterator[Running]:
    with running_agent(loop, Running(registration, tmp_path, server.url)) as running:
        yield running


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    with tcp_server(Echo) as port:
        yield port
