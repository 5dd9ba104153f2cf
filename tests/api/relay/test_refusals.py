"""The relay refuses: wrong clients, credentials, copies of machines, what is no hello."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as connect_now

from stationmaster.client.computer import Registration
from stationmaster.client.relay import sockets
from stationmaster.client.relay.sockets import UpgradeRefused
from stationmaster.relay_messages import SUBPROTOCOL, Close, encoded
from tests.api.relay.exchange import HELLO, Echo, exchanged, numbers, refusal
from tests.support.cast import Cast
from tests.support.relaying import (
    HOST,
    Loop,
    Running,
    registered,
    tcp_server,
)
from tests.support.servers import Server


def test_a_refusal_is_an_answer_with_its_reason(
    server: Server, cast: Cast, key: str, loop: Loop, computer: Running
) -> None:
    path = f"/computers/{computer.computer_id}/connect"
    other = Cast(server.services.db, f"other{next(numbers)}")

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


def test_a_copy_of_a_machines_disk_is_refused_and_the_machine_stays(
    server: Server, loop: Loop, computer: Running, tmp_path: Path
) -> None:
    """The credential came along with the disk; the machine itself did not."""
    copy = Running(computer.registration, tmp_path / "copy", server.url, machine_hash="b" * 64)
    loop.run(copy.run())

    assert "this disk was copied" in str(copy.ended)
    assert not computer.done.is_set()


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
