"""The relay: bytes of a client reach a computer and come back, side by side and within limits."""

from __future__ import annotations

import asyncio
import os
import socketserver
import time
from hashlib import sha256
from typing import Any

from stationmaster.relay_messages import FRAME_BYTES_MAX
from tests.api.relay.exchange import exchanged, refusal
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.relaying import (
    Loop,
    Running,
    tcp_server,
)
from tests.support.servers import Server


class Digest(socketserver.BaseRequestHandler):
    """Answers the hash of all that was sent, once the sender has ended its way."""

    def handle(self) -> None:
        seen = sha256()
        while data := self.request.recv(65536):
            seen.update(data)
        self.request.sendall(seen.hexdigest().encode())


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
