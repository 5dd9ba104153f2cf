"""Bytes through the relay: an echo, an exchange, a refusal."""

from __future__ import annotations

import asyncio
import socketserver
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from stationmaster.client.relay import sockets
from stationmaster.client.relay.sockets import UpgradeRefused
from stationmaster.relay_messages import Close, Hello
from tests.support.relaying import (
    HOST,
    MACHINE,
    Loop,
)
from tests.support.servers import Server

HELLO = Hello(agent_version="1", host_id=HOST, machine_hash=MACHINE, hostname="h", remote_user="u")


numbers = iter(range(1000))


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with suppress(ConnectionResetError):
            while data := self.request.recv(65536):
                self.request.sendall(data)


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
