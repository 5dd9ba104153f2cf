"""Streams and agents end with their key, their computer, their machine and the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from stationmaster.access import service
from stationmaster.access.signing_in import ways as signin
from stationmaster.api import relay as relay_api
from stationmaster.client.computer import Registration
from stationmaster.client.relay import sockets
from stationmaster.client.relay.agent import Removed
from stationmaster.relay_messages import Close, encoded
from tests.api.relay.exchange import HELLO, refusal
from tests.support.cast import Cast
from tests.support.relaying import (
    Loop,
    Running,
    registered,
    running_agent,
)
from tests.support.servers import Server, running_server, settings_for

PASSWORD = "correct horse battery"


def test_an_agent_that_leaves_is_offline_at_once(
    server: Server, key: str, loop: Loop, registration: Registration, tmp_path: Path
) -> None:
    where = f"/api/v0/computers/{registration.computer_id}/connection"
    with (
        server.client(key) as client,
        running_agent(loop, Running(registration, tmp_path, server.url)),
    ):
        online = client.get(where).json()
    with server.client(key) as client:
        for _ in range(100):
            offline = client.get(where).json()
            if offline["state"] == "offline":
                break
    assert (online["state"], offline["state"]) == ("online", "offline")
    assert offline["since"] >= online["since"]


def test_the_newest_control_socket_wins_and_running_streams_go_on(
    server: Server, key: str, loop: Loop, computer: Running, echo: int
) -> None:
    path = f"/computers/{computer.computer_id}/connect?port={echo}"

    async def conversation() -> tuple[object, object]:
        async with sockets.dialled(server.url, path, key) as socket:
            await socket.send(b"before")
            before = await socket.recv()
            listen = f"/computers/{computer.computer_id}/listen"
            credential = computer.registration.credential
            async with sockets.dialled(server.url, listen, credential) as newer:
                await newer.send(encoded(HELLO))
                await newer.recv()
                await socket.send(b"after")
                return before, await socket.recv()

    assert loop.run(conversation()) == (b"before", b"after")
    assert computer.done.wait(10)
    assert "another agent has connected" in str(computer.ended)


@pytest.mark.parametrize("way", ["operation", "page"])
def test_removing_ends_the_agent_and_its_credential(
    server: Server, cast: Cast, key: str, loop: Loop, computer: Running, way: str
) -> None:
    with server.client(key) as client:
        if way == "operation":
            assert client.delete(f"/api/v0/computers/{computer.computer_id}").status_code == 204
        else:
            member = cast.people["member"]
            _, link = service.make_link(cast.db, cast.org, member.user_id, by=None)
            signin.with_link(cast.db, link, PASSWORD)
            client.post("/sign-in", data={"email": member.email, "password": PASSWORD})
            removed = client.post(f"/computers/{computer.computer_id}/remove")
            assert removed.status_code == 303, removed.text

    assert computer.done.wait(10)
    assert isinstance(computer.ended, Removed)
    path = f"/computers/{computer.computer_id}/listen"
    credential = computer.registration.credential
    assert refusal(loop, server, path, credential) == (410, "computer_removed")


def test_a_stream_ends_when_its_key_is_revoked(
    server: Server,
    cast: Cast,
    loop: Loop,
    computer: Running,
    echo: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relay_api, "RECHECK_S", 0.05)
    db = server.services.db
    key, secret = service.create_key(db, cast.org, cast.people["member"], name="short")
    path = f"/computers/{computer.computer_id}/connect?port={echo}"

    async def code() -> int:
        async with sockets.dialled(server.url, path, secret.reveal()) as socket:
            await socket.send(b"x")
            await socket.recv()
            service.revoke_key(db, cast.org, key.key_id)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            return socket.close_code or 0

    assert loop.run(code()) == Close.REVOKED


def test_switching_remote_access_off_closes_open_streams(
    server: Server,
    cast: Cast,
    key: str,
    loop: Loop,
    computer: Running,
    echo: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relay_api, "RECHECK_S", 0.05)
    path = f"/computers/{computer.computer_id}/connect?port={echo}"
    switch = {"of": str(cast.people["member"].user_id), "isOn": False}

    async def code() -> int:
        async with sockets.dialled(server.url, path, key) as socket:
            await socket.send(b"x")
            await socket.recv()
            with server.client(cast.keys["manager"]) as manager:
                assert manager.put("/api/platform/v1/remote-access", json=switch).is_success
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            return socket.close_code or 0

    assert loop.run(code()) == Close.REVOKED
    assert refusal(loop, server, path, key) == (403, "remote_access_off")


def test_a_credential_in_use_twice_on_one_machine_ends_the_older_agent(
    server: Server, loop: Loop, computer: Running, tmp_path: Path
) -> None:
    with running_agent(loop, Running(computer.registration, tmp_path / "two", server.url)) as newer:
        assert computer.done.wait(30)
        assert "only one may run" in str(computer.ended)
        assert not newer.done.is_set()


def test_a_stopping_server_says_when_to_come_back(tmp_path: Path, loop: Loop) -> None:
    with running_server(settings_for(tmp_path, "sqlite", shutdown_seconds=1)) as server:
        cast = Cast(server.services.db, "stopping")
        with server.client(cast.keys["member"]) as client:
            registration = registered(client)
        running = Running(registration, tmp_path / "ssh", server.url)
        task = loop.start(running.run())
        assert running.connected.wait(30)
    loop.cancel(task)
    assert not running.done.is_set() or running.ended is None
    assert any("connecting again" in line for line in running.lines)
