"""A server of uvicorn on a free port, in a thread of the test."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.support.patience import PATIENCE_S


class _Server(uvicorn.Server):
    """A server that ends when it is told to. As it comes, it looks for that every tenth of a
    second, and waits as long for connections that may be closed already."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ended = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        tasks = [asyncio.ensure_future(wait) for wait in (super().main_loop(), self._ended.wait())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()

    def end(self) -> None:
        """From another thread."""
        self.should_exit = True
        if self.started:
            self._loop.call_soon_threadsafe(self._ended.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # What clients have closed is seen meanwhile.
        await asyncio.sleep(0.005)
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)
            return
        for server in self.servers:
            server.close()
            await server.wait_closed()
        await self.lifespan.shutdown()


@contextmanager
def listening(config: uvicorn.Config, port: int = 0) -> Iterator[tuple[str, uvicorn.Server]]:
    """The address and the server, which serves until the block ends and then stops gracefully."""
    listener = socket.create_server(("127.0.0.1", port))
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        give_up = time.monotonic() + PATIENCE_S
        while not server.started:
            if not thread.is_alive() or time.monotonic() > give_up:
                raise RuntimeError("the server did not start")
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", server
    finally:
        server.end()
        thread.join(PATIENCE_S)
        listener.close()
