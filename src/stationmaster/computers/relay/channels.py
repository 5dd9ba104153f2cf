"""Two ways of a byte stream, each of which ends by itself, and copying between two of them."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from stationmaster.relay_messages import FRAME_BYTES_MAX, Close

HALF_CLOSED_S = 60.0
"""How long the other direction of a stream may go on without a byte once one has ended."""
IDLE_S = 12 * 3600.0
LIFE_S = 24 * 3600.0
_HEAD = struct.Struct("!I")


class PeerLost(Exception):
    """The peer of a channel has closed it; `code` is its close code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Channel(Protocol):
    """One end of a stream. Bytes of length 0 mean that no more are sent from that side."""

    async def receive(self) -> bytes:
        """The next bytes. Raises PeerLost."""

    async def send(self, data: bytes) -> None:
        """Returns once the peer's socket has room. Raises PeerLost."""

    async def close(self, code: int) -> None:
        """Never raises; closing again changes nothing."""


class SocketChannel:
    """A WebSocket that was accepted."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> bytes:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise PeerLost(message.get("code") or Close.FAILED)
        data = message.get("bytes")
        if data is None or len(data) > FRAME_BYTES_MAX:
            await self.close(Close.MALFORMED)
            raise PeerLost(Close.MALFORMED)
        return bytes(data)

    async def send(self, data: bytes) -> None:
        try:
            await self._socket.send_bytes(data)
        except (WebSocketDisconnect, RuntimeError, OSError) as fault:
            raise PeerLost(Close.FAILED) from fault

    async def close(self, code: int) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            with suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._socket.close(code)


class PeerChannel:
    """A connection between two processes of the relay: frames with their length before them."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> bytes:
        try:
            (size,) = _HEAD.unpack(await self._reader.readexactly(_HEAD.size))
            if size > FRAME_BYTES_MAX:
                raise PeerLost(Close.MALFORMED)
            return await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, OSError) as fault:
            raise PeerLost(Close.FAILED) from fault

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(_HEAD.pack(len(data)) + data)
            await self._writer.drain()
        except OSError as fault:
            raise PeerLost(Close.FAILED) from fault

    async def close(self, _code: int) -> None:
        with suppress(OSError):
            self._writer.close()


@dataclass
class StreamTotals:
    """Bytes in each direction, and the code with which the stream ended."""

    to_computer: int = 0
    to_client: int = 0
    code: int = Close.FINISHED


async def splice(client: Channel, computer: Channel, copied: StreamTotals) -> None:
    """Copy both ways until both have ended, one is lost or a time is up; then both are closed.

    Cancelling it closes both with the code that `copied` has by then.
    """
    activity = _Activity()
    ways = [
        asyncio.create_task(_copy(client, computer, copied, "to_computer", activity)),
        asyncio.create_task(_copy(computer, client, copied, "to_client", activity)),
    ]
    watch = asyncio.create_task(activity.watch())
    try:
        copied.code = await _end(ways, watch, activity)
    finally:
        for task in (*ways, watch):
            task.cancel()
        await asyncio.gather(*ways, watch, return_exceptions=True)
        await asyncio.gather(client.close(copied.code), computer.close(copied.code))


async def _end(
    ways: list[asyncio.Task[None]], watch: asyncio.Task[int], activity: _Activity
) -> int:
    """The code of a stream's end, once both ways have ended, one is lost or a time is up."""
    while True:
        running = [way for way in ways if not way.done()]
        await asyncio.wait([*running, watch], return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            return watch.result()
        for way in ways:
            if way.done() and (fault := way.exception()) is not None:
                return _code(fault)
        if all(way.done() for way in ways):
            return Close.FINISHED
        activity.is_half_closed = True


def _code(fault: BaseException) -> int:
    """A peer that closes politely has finished; every other code is passed on as it is."""
    if not isinstance(fault, PeerLost):
        return Close.FAILED
    return Close.FINISHED if fault.code in (1000, 1001, 1005) else fault.code


async def _copy(
    source: Channel, target: Channel, copied: StreamTotals, way: str, activity: _Activity
) -> None:
    while True:
        data = await source.receive()
        await target.send(data)
        activity.note()
        if not data:
            return
        setattr(copied, way, getattr(copied, way) + len(data))


class _Activity:
    """When bytes last passed in either direction."""

    def __init__(self) -> None:
        self.is_half_closed = False
        self._began = self._last = asyncio.get_running_loop().time()

    def note(self) -> None:
        self._last = asyncio.get_running_loop().time()

    async def watch(self) -> int:
        """Returns the code with which to close once a time is up."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(HALF_CLOSED_S, IDLE_S) / 12)
            now = loop.time()
            if now - self._began > LIFE_S:
                return Close.LIMIT
            if now - self._last > (HALF_CLOSED_S if self.is_half_closed else IDLE_S):
                return Close.FINISHED if self.is_half_closed else Close.LIMIT
