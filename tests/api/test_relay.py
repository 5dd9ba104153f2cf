"""The relay: a client's bytes reach a computer and come back, and nobody else's ever do."""

from __future__ import annotations

import asyncio
import os
import socketserver
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as connect_now

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.signing_in import ways as signin
from stationmaster.api import relay as relay_api
from stationmaster.client.computer import Registration
from stationmaster.client.relay import sockets
from stationmaster.client.relay.agent import Removed
from stationmaster.client.relay.sockets import UpgradeRefused
from stationmaster.relay_messages import FRAME_BYTES_MAX, SUBPROTOCOL, Close, Hello, encoded
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.relaying import (
    HOST,
    MACHINE,
    Loop,
    Running,
    registered,
    running_agent,
    tcp_server,
)
from tests.support.servers import Server, running_server, settings_for

PASSWORD = "correct horse battery"
HELLO = Hello(agent_version="1", host_id=HOST, machine_hash=MACHINE, hostname="h", remote_user="u")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("relay"), "sqlite")) as running:
        yield running


_numbers = iter(range(1000))


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, f"relay{next(_numbers)}")


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


class Digest(socketserver.BaseRequestHandler):
    """Answers the hash of all that was sent, once the sender has ended its way."""

    def handle(self) -> None:
        seen = sha256()
        while data := self.request.recv(65536):
            seen.update(data)
        self.request.sendall(seen.hexdigest().encode())


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with suppress(ConnectionResetError):
            while data := self.request.recv(65536):
                self.request.sendall(data)


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    with tcp_server(Echo) as port:
        yield port


async def exchanged(server: Server, key: str, path: str, sent: list[bytes]) -> bytes:
    """What comes back for some frames, the last of which is followed by the end of this way."""
    answer = b""
    async with sockets.dialled(server.url, path, key) as socket:

        async def send() -> None:
            for frame in (*sent, b""):
                await socket.send(frame)

        sending = asyncio.create_task(send())
        with suppress(ConnectionClosed):
            while True:
                answer += await socket.recv()  # type: ignore[operator]
        await sending
        assert socket.close_code == Close.FINISHED
    return answer


def refusal(loop: Loop, server: Server, path: str, credential: str) -> tuple[int, str]:
    with pytest.raises(UpgradeRefused) as refused:
        loop.run(exchanged(server, credential, path, []))
    return refused.value.http_status, refused.value.code


def test_bytes_arrive_as_they_were_sent_and_each_way_ends_by_itself(
    server: Server, key: str, loop: Loop, computer: Running, echo: int
) -> None:
    frames = [os.urandom(FRAME_BYTES_MAX) for _ in range(64)]
    path = f"/computers/{computer.computer_id}/connect?port="

    with tcp_server(Digest) as digest:
        hashed = loop.run(exchanged(server, key, f"{path}{digest}", frames))

    assert hashed.decode() == sha256(b"".join(frames)).hexdigest()
    assert loop.run(exchanged(server, key, f"{path}{echo}", frames)) == b"".join(frames)


def test_many_streams_go_side_by_side(
    server: Server, key: str, loop: Loop, computer: Running, echo: int
) -> None:
    path = f"/computers/{computer.computer_id}/connect?port={echo}"

    async def all_of_them() -> list[bytes]:
        return await asyncio.gather(
            *(exchanged(server, key, path, [bytes([n]) * 1000]) for n in range(15))
        )

    assert loop.run(all_of_them()) == [bytes([n]) * 1000 for n in range(15)]


def test_a_refusal_is_an_answer_with_its_reason(
    server: Server, cast: Cast, key: str, loop: Loop, computer: Running
) -> None:
    path = f"/computers/{computer.computer_id}/connect"
    other = Cast(server.services.db, f"other{next(_numbers)}")

    def asked(credential: str | None, port: object = 2000, path: str = path) -> tuple[int, str]:
        return refusal(loop, server, f"{path}?port={port}", str(credential))

    assert asked("sm_bad") == (401, "invalid_token")
    assert asked(cast.keys["revoked"]) == (401, "invalid_token")
    assert asked(cast.keys["guest"]) == (403, "insufficient_role")
    assert asked(cast.keys["ingest"]) == (403, "insufficient_scope")
    assert asked(cast.keys["owner"]) == (404, "not_found"), "it is another person's"
    assert asked(other.keys["owner"]) == (404, "not_found")
    assert asked(key, path="/computers/cmp_aaaaaaaaaaaaaaaa/connect") == (404, "not_found")
    assert asked(key, 80) == (403, "port_not_allowed")
    assert asked(key, 0) == asked(key, "x") == asked(key, 65536) == (400, "invalid_port")
    with tcp_server(Echo) as port:
        pass
    assert asked(key, port) == (409, "connection_refused")


def test_a_computer_without_an_agent_is_offline(
    server: Server, key: str, loop: Loop, registration: Registration
) -> None:
    path = f"/computers/{registration.computer_id}/connect"
    assert refusal(loop, server, path, key) == (503, "offline")
    with server.client(key) as client:
        where = f"/api/v0/computers/{registration.computer_id}"
        assert client.get(f"{where}/connection").json()["state"] == "offline"
        grant = client.post(f"{where}/ssh-grants", json={"publicKey": "ssh-ed25519 " + "A" * 40})
    assert (grant.status_code, grant.json()["metadata"]["code"]) == (409, "offline")


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


def raw(server: Server, path: str, **options: object) -> None:
    address = server.url.replace("http", "ws") + "/relay/v1" + path
    with connect_now(address, **options):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"subprotocols": [SUBPROTOCOL], "origin": "https://example.com"}, 403),
        ({"subprotocols": ["other.v1"]}, 400),
        ({"subprotocols": [SUBPROTOCOL]}, 401),
    ],
    ids=["browser", "subprotocol", "credential"],
)
@pytest.mark.parametrize(
    "path", ["/computers/cmp_x/listen", "/computers/cmp_x/connect", "/streams/x"]
)
def test_nothing_is_upgraded_for_the_wrong_client(
    server: Server, path: str, options: dict[str, object], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        raw(server, path, **options)
    assert refused.value.response.status_code == status
    assert set(msgspec.json.decode(refused.value.response.body)) == {
        "detail", "status", "title", "metadata",
    }  # fmt: skip


def test_a_credential_of_a_machine_opens_that_machine_alone(
    server: Server, key: str, loop: Loop, registration: Registration
) -> None:
    with server.client(key) as client:
        other = registered(client, "other", hostId=HOST.replace("1", "2"))
    for credential in (registration.credential, key):
        path = f"/computers/{other.computer_id}/listen"
        assert refusal(loop, server, path, credential) == (401, "invalid_token")
    path = f"/computers/{registration.computer_id}/connect"
    assert refusal(loop, server, path, registration.credential) == (401, "invalid_token")


def test_a_stream_needs_its_ticket(server: Server, loop: Loop, computer: Running, key: str) -> None:
    process = server.services.relay.hub.process
    for stream in (f"{process}{'0' * 16}", "0" * 24, "x"):
        status, _ = refusal(loop, server, f"/streams/{stream}", "ticket")
        assert status in (404, 503)


@pytest.mark.parametrize(
    "message",
    ["", "{", "[]", '{"type":"hello"}', "x" * 20_000, '{"type":"beat"}', '{"type":"other"}'],
)
def test_what_is_no_hello_ends_the_control_socket(
    server: Server, loop: Loop, registration: Registration, message: str
) -> None:
    async def closed() -> int:
        path = f"/computers/{registration.computer_id}/listen"
        async with sockets.dialled(server.url, path, registration.credential) as socket:
            await socket.send(message)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            return socket.close_code or 0

    assert loop.run(closed()) in (Close.MALFORMED, Close.FAILED, 1009)
    assert registration.computer_id not in server.services.relay.hub.machines


def test_a_copied_disk_is_refused_with_the_reason(
    server: Server, loop: Loop, registration: Registration
) -> None:
    copied = msgspec.structs.replace(HELLO, machine_hash="b" * 64)

    async def reason() -> str:
        path = f"/computers/{registration.computer_id}/listen"
        async with sockets.dialled(server.url, path, registration.credential) as socket:
            await socket.send(encoded(copied))
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            return socket.close_reason or ""

    assert "this disk was copied" in loop.run(reason())


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


def test_a_copy_of_a_machines_disk_is_refused_and_the_machine_stays(
    server: Server, loop: Loop, computer: Running, tmp_path: Path
) -> None:
    """The credential came along with the disk; the machine itself did not."""
    copy = Running(computer.registration, tmp_path / "copy", server.url, machine_hash="b" * 64)
    loop.run(copy.run())

    assert "this disk was copied" in str(copy.ended)
    assert not computer.done.is_set()


def test_a_credential_in_use_twice_on_one_machine_ends_the_older_agent(
    server: Server, loop: Loop, computer: Running, tmp_path: Path
) -> None:
    with running_agent(loop, Running(computer.registration, tmp_path / "two", server.url)) as newer:
        assert computer.done.wait(30)
        assert "only one may run" in str(computer.ended)
        assert not newer.done.is_set()


def test_every_connection_is_in_the_audit_log(
    server: Server, cast: Cast, key: str, loop: Loop, computer: Running, echo: int
) -> None:
    path = f"/computers/{computer.computer_id}/connect?port="
    loop.run(exchanged(server, key, f"{path}{echo}", [b"12345"]))
    refusal(loop, server, f"{path}80", key)

    until = time.monotonic() + PATIENCE_S
    payloads: list[dict[str, Any]] = []
    with server.client(cast.keys["owner"]) as client:
        while len(payloads) < 2:  # The end of a stream is recorded after its client has seen it.
            assert time.monotonic() < until
            found = client.get("/api/platform/v1/audit?eventType=computer_connection").json()
            payloads = [event["payload"] for event in found["events"]]
    by_outcome = {payload.get("refused"): payload for payload in payloads}
    assert by_outcome.keys() == {"port_not_allowed", None}
    done = by_outcome[None]
    assert (done["port"], done["bytes_in"], done["bytes_out"]) == (echo, 5, 5)


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


def test_streams_of_one_computer_are_limited(
    server: Server, key: str, loop: Loop, computer: Running, echo: int
) -> None:
    path = f"/computers/{computer.computer_id}/connect?port={echo}"

    async def attempts() -> list[object]:
        return await asyncio.gather(
            *(exchanged(server, key, path, [b"x"]) for _ in range(40)), return_exceptions=True
        )

    results = loop.run(attempts())
    refused = [each for each in results if isinstance(each, UpgradeRefused)]
    assert {(each.http_status, each.code) for each in refused} == {(429, "rate_limited")}
    assert results.count(b"x") + len(refused) == 40
