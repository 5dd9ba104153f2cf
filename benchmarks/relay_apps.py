"""What stands around the relay in its benchmark: a source of bytes, machines that only stay
connected, and the least that a relay of the same libraries can do.

    python -m benchmarks.relay_apps source PORT
    python -m benchmarks.relay_apps bare PORT
    python -m benchmarks.relay_apps bare-machine RELAY_PORT TARGET_PORT
    python -m benchmarks.relay_apps bare-forward PORT RELAY_PORT
    python -m benchmarks.relay_apps machines URL FILE
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect

from stationmaster.client.relay import sockets
from stationmaster.relay_messages import FRAME_BYTES_MAX, Beat, Hello, encoded

Receive = Callable[[], Awaitable[bytes]]
Send = Callable[[bytes], Awaitable[Any]]
COMMAND = 8
"""Bytes with which a client asks the source: how many it wants; 0 to send until its end."""
_BLOCK = bytes(FRAME_BYTES_MAX)
_SIDE_BY_SIDE = 20


async def source(port: int) -> None:
    """Sends as many bytes as it is asked for, or takes bytes and answers one at their end."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):  # Who only looks whether it listens.
            size = int.from_bytes(await reader.readexactly(COMMAND), "big")
            if not size:
                while await reader.read(FRAME_BYTES_MAX):
                    pass
                writer.write(b".")
            for _ in range(size // len(_BLOCK)):
                writer.write(_BLOCK)
                await writer.drain()
        writer.close()

    await (await asyncio.start_server(take, "127.0.0.1", port)).serve_forever()


def bare(port: int) -> None:
    """Pairs each client's socket with one that the machine has opened before, and copies."""
    waiting: asyncio.Queue[tuple[WebSocket, asyncio.Event]] = asyncio.Queue()

    async def far(socket: WebSocket) -> None:
        await socket.accept()
        done = asyncio.Event()
        await waiting.put((socket, done))
        await done.wait()

    async def near(socket: WebSocket) -> None:
        other, done = await waiting.get()
        await socket.accept()
        await other.send_text("go")
        await _both(
            _copy(socket.receive_bytes, other.send_bytes),
            _copy(other.receive_bytes, socket.send_bytes),
        )
        done.set()

    app = Starlette(routes=[WebSocketRoute("/far", far), WebSocketRoute("/near", near)])
    uvicorn.run(
        app, host="127.0.0.1", port=port, log_level="error", ws="websockets-sansio",
        ws_max_size=FRAME_BYTES_MAX, ws_per_message_deflate=False,
    )  # fmt: skip


async def bare_machine(relay_port: int, target_port: int) -> None:
    """Keeps a few sockets open at the bare relay, each for one connection to the target."""

    async def stay() -> None:
        while True:
            async with _dialled(relay_port, "far") as socket:
                await socket.recv()
                reader, writer = await asyncio.open_connection("127.0.0.1", target_port)
                await _pipe(socket, reader, writer)

    await asyncio.gather(*(stay() for _ in range(_SIDE_BY_SIDE)))


async def bare_forward(port: int, relay_port: int) -> None:
    """A port whose connections go through the bare relay."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with _dialled(relay_port, "near") as socket:
            await _pipe(socket, reader, writer)

    await (await asyncio.start_server(take, "127.0.0.1", port)).serve_forever()


async def machines(url: str, file: str) -> None:
    """Machines that are connected and idle, until standard input ends. `file` lists the id, host
    id and credential of each; "ready" is printed once all are there."""
    wanted = json.loads(Path(file).read_text())
    gate = asyncio.Semaphore(_SIDE_BY_SIDE)
    ready = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(_machine(url, gate, ready, *each)) for each in wanted]
    for _ in wanted:
        await ready.acquire()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()


async def _machine(
    url: str,
    gate: asyncio.Semaphore,
    ready: asyncio.Semaphore,
    computer: str,
    host: str,
    credential: str,
) -> None:
    hello = Hello(agent_version="1", host_id=host, hostname="idle", remote_user="dev")
    async with gate:
        dialling = sockets.dialled(url, f"/computers/{computer}/listen", credential)
        control = await dialling.__aenter__()
        await control.send(encoded(hello))
        await control.recv()
    ready.release()
    await asyncio.sleep(random.uniform(0, 15))
    while True:
        await control.send(encoded(Beat()))
        await control.recv()
        await asyncio.sleep(15)


def _dialled(port: int, path: str) -> connect:
    url = f"ws://127.0.0.1:{port}/{path}"
    return connect(url, compression=None, max_size=FRAME_BYTES_MAX, max_queue=8)


async def _pipe(
    socket: ClientConnection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    async def write(data: bytes) -> None:
        if data:
            writer.write(data)
            await writer.drain()
        else:
            writer.write_eof()

    async def receive() -> bytes:
        data = await socket.recv()
        return data if isinstance(data, bytes) else b""

    await _both(_copy(lambda: reader.read(FRAME_BYTES_MAX), socket.send), _copy(receive, write))
    writer.close()


async def _copy(receive: Receive, send: Send) -> None:
    """Bytes of length 0 end one way."""
    while True:
        data = await receive()
        await send(data)
        if not data:
            return


async def _both(*ways: Awaitable[None]) -> None:
    await asyncio.gather(*ways, return_exceptions=True)


if __name__ == "__main__":
    name, *rest = sys.argv[1:]
    apps: dict[str, Callable[..., Any]] = {
        "source": source,
        "bare-machine": bare_machine,
        "bare-forward": bare_forward,
        "machines": machines,
    }
    if name == "bare":
        bare(int(rest[0]))
    else:
        asyncio.run(apps[name](*(int(word) if word.isdigit() else word for word in rest)))
