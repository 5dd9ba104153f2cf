"""Port mappings, and tunnels that outlive a computer's absence."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.client.relay.forwarding import (
    ComputerRemoved,
    Forwarding,
    Mapping,
    mapping,
    mappings,
)
from stationmaster.errors import BadRequest, OperatorError
from tests.support.cast import Cast
from tests.support.processes import free_port
from tests.support.relaying import Loop, Running, registered, running_agent, tcp_server
from tests.support.servers import running_server, settings_for

from tests.api.relay.exchange import Echo  # isort: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("8080:80", Mapping(8080, 80)),
        ("5432", Mapping(5432, 5432)),
        (":9000", Mapping(0, 9000)),
        ("1:65535", Mapping(1, 65535)),
    ],
)
def test_a_mapping_is_read(text: str, meant: Mapping) -> None:
    assert mapping(text) == meant


@pytest.mark.parametrize(
    "text",
    ["", ":", "0", "80:", "80:0", ":0", "65536", "80:65536", "a", "8080:b", "-1", "1:2:3", "0:80",
     "٣", " 80", "80 "],
)  # fmt: skip
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="no port mapping"):
        mapping(text)


def test_a_local_port_is_named_once() -> None:
    assert len(mappings([":80", ":80", "8080:80"])) == 3
    with pytest.raises(BadRequest, match="twice"):
        mappings(["8080:80", "8080:81"])


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def test_a_taken_port_forwards_nothing(loop: Loop) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = free_port()
        tunnel = Forwarding("http://127.0.0.1:1", "key", "cmp_x", lambda _: None)
        with pytest.raises(OperatorError, match="nothing is forwarded"):
            loop.run(tunnel.run([Mapping(other, 80), Mapping(port, 81)], "127.0.0.1"))
        socket.create_server(("127.0.0.1", other)).close()


def test_a_tunnel_goes_on_when_the_computer_comes_back_and_ends_with_it(
    tmp_path: Path, loop: Loop
) -> None:
    clock.freeze(None)
    events: list[dict[str, Any]] = []
    with running_server(settings_for(tmp_path, "sqlite")) as server, tcp_server(Echo) as port:
        key = str(Cast(server.services.db, "acme").keys["member"])
        with server.client(key) as client:
            registration = registered(client)
        tunnel = Forwarding(server.url, key, registration.computer_id, events.append)
        task = loop.start(tunnel.run([Mapping(0, port)], "127.0.0.1"))
        while not events:
            loop.run(asyncio.sleep(0.01))
        local = events[0]["local"]

        assert [said(local, b"away"), said(local, b"again")] == [b"", b""]
        with running_agent(loop, Running(registration, tmp_path / "ssh", server.url)):
            assert said(local, b"back") == b"back"
        with server.client(key) as client:
            client.delete(f"/api/v0/computers/{registration.computer_id}")
        assert said(local, b"gone") == b""

        async def ending() -> None:
            await task

        with pytest.raises(ComputerRemoved):
            loop.run(ending())
    assert [event["code"] for event in events if event["event"] == "refused"] == ["offline"]


def said(port: int, data: bytes) -> bytes:
    """What comes back through a local port until it is closed; empty for a reset, too."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(1000), b""))
        except ConnectionError:
            return b""
