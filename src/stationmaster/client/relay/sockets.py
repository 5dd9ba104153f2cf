"""Dialling the relay, and copying between one of its data sockets and a local connection or the
standard streams."""

from __future__ import annotations

import asyncio
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from socket import AF_INET, AF_INET6, SO_LINGER, SOL_SOCKET
from typing import Any, Protocol

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.http11 import Response

from stationmaster.client import unreachable
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.relay_messages import FRAME_BYTES_MAX, SUBPROTOCOL, Close

UNREACHABLE = "unreachable"
_OPEN_S = 20.0


class UpgradeRefused(StationmasterError):
    """The relay's answer instead of an upgrade; `http_status` is its status."""

    def __init__(self, detail: str, code: str, http_status: int) -> None:
        super().__init__(detail, code=code)
        self.http_status = http_status


class Writer(Protocol):
    """The writing side of a local connection."""

    def write(self, data: bytes) -> None:
        """Queue bytes for the connection."""

    async def drain(self) -> None:
        """Wait until the queue has room. Raises OSError where the connection broke."""

    def can_write_eof(self) -> bool:
        """True where this side can be closed while the other one stays open."""

    def write_eof(self) -> None:
        """Close this side after what is queued."""


class _Connect(connect):
    """Without redirects: a credential is sent only to the address that it is for."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """The exception as it is, so that no redirect is followed."""
        return exc


@asynccontextmanager
async def dialled(url: str, path: str, credential: str) -> AsyncIterator[ClientConnection]:
    """A socket of the relay of the server at `url`.

    Raises Refused, and OperatorError (`unreachable`).
    """
    address = url.rstrip("/").replace("http", "ws", 1) + "/relay/v1" + path
    try:
        socket = await _Connect(
            address,
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]  # a NewType of str
            additional_headers={"Authorization": f"Bearer {credential}"},
            compression=None,
            open_timeout=_OPEN_S,
            close_timeout=1,
            ping_interval=15,
            ping_timeout=10,
            max_size=FRAME_BYTES_MAX,
            max_queue=8,
        )
    except InvalidStatus as refusal:
        raise _refused(refusal.response) from None
    except (InvalidHandshake, OSError, TimeoutError, EOFError) as fault:
        why = f"{url} cannot be reached: {unreachable.reason(fault)}"
        raise OperatorError(why, code=UNREACHABLE) from fault
    try:
        yield socket
    finally:
        await socket.close()


async def copy(socket: ClientConnection, reader: asyncio.StreamReader, writer: Writer) -> int:
    """Copy both ways until both have ended or one is lost; the code with which the socket ended.

    A way that ends leaves the other one open. Where the local connection breaks, the socket is
    closed with an error, and the local connection is the caller's to end.
    """
    ways = [
        asyncio.create_task(_to_relay(socket, reader)),
        asyncio.create_task(_from_relay(socket, writer)),
    ]
    try:
        await asyncio.gather(*ways)
        await socket.close(Close.FINISHED)
    except ConnectionClosed:
        pass
    except OSError:
        await socket.close(Close.FAILED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    return socket.close_code or Close.FAILED


async def _to_relay(socket: ClientConnection, reader: asyncio.StreamReader) -> None:
    while True:
        data = await reader.read(FRAME_BYTES_MAX)
        await socket.send(data)
        if not data:
            return


async def _from_relay(socket: ClientConnection, writer: Writer) -> None:
    while True:
        data = await socket.recv()
        if isinstance(data, str):
            await socket.close(Close.MALFORMED)
            return
        if not data:
            with suppress(OSError):
                if writer.can_write_eof():
                    writer.write_eof()
            return
        writer.write(data)
        await writer.drain()


def _refused(response: Response) -> UpgradeRefused:
    try:
        body: dict[str, Any] = msgspec.json.decode(response.body or b"", type=dict)
        return UpgradeRefused(
            str(body["detail"]), str(body["metadata"]["code"]), response.status_code
        )
    except (msgspec.DecodeError, KeyError, TypeError):
        why = f"the server answered {response.status_code}; does its proxy pass WebSockets on?"
        return UpgradeRefused(why, "no_relay", response.status_code)


async def end(writer: asyncio.StreamWriter, code: int) -> None:
    """End a local connection: in order when the socket finished, else with a reset."""
    if code == Close.FINISHED:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return
    connection = writer.get_extra_info("socket")
    if connection is not None and connection.family in (AF_INET, AF_INET6):
        with suppress(OSError):
            connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def connect_standard_streams(url: str, path: str, key: str) -> int:
    """Copy until both sides have ended; the code with which the socket ended.

    Raises Refused, and OperatorError (`unreachable`).
    """
    async with dialled(url, path, key) as socket:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, sys.stdout
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        return await copy(socket, reader, writer)
