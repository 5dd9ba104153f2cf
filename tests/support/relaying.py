"""A computer whose agent runs in this process, at a real server."""

from __future__ import annotations

import asyncio
import socketserver
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx

from stationmaster.client.computer import Machine, Registration
from stationmaster.client.relay.agent import Agent, Removed
from stationmaster.client.relay.ssh_server import SshServer
from stationmaster.client.sessions.local import LocalSessions
from stationmaster.errors import StationmasterError

T = TypeVar("T")
HOST = "11111111-2222-4333-8444-555555555555"
MACHINE = "a" * 64


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        async def made() -> asyncio.Task[Any]:
            return asyncio.create_task(work)

        return self.run(made())

    def cancel(self, task: asyncio.Task[Any]) -> None:
        async def cancelled() -> None:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task

        self.run(cancelled())

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


class Running:
    """A registered computer with its agent. `ended` is what the agent raised, once it has."""

    def __init__(
        self,
        registration: Registration,
        folder: Path,
        url: str,
        sessions_here: LocalSessions | None = None,
        machine_hash: str = MACHINE,
    ) -> None:
        self.registration = registration
        self.computer_id = registration.computer_id
        self.lines: list[str] = []
        self.connected = threading.Event()
        self.done = threading.Event()
        self.ended: BaseException | None = None
        machine = Machine(HOST, machine_hash, registration)
        ports = ((22, 22), (1024, 65535))
        self.sessions_here = sessions_here or LocalSessions({}, [folder])
        self.agent = Agent(
            url, machine, registration, SshServer(folder), ports, self.sessions_here, self._say
        )

    def _say(self, line: str) -> None:
        self.lines.append(line)
        if line.startswith("Connected"):
            self.connected.set()

    async def run(self) -> None:
        try:
            await self.agent.run()
        except (Removed, StationmasterError) as fault:
            self.ended = fault
        finally:
            self.done.set()


def registered(client: httpx.Client, name: str = "build", **fields: Any) -> Registration:
    """A machine that the client's owner has registered."""
    body = {"name": name, "remoteUser": "dev", "hostId": HOST, "machineHash": MACHINE, **fields}
    answer = client.post("/api/v0/computers", json=body)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    return Registration(made["id"], made["name"], made["machineCredential"])


@contextmanager
def running_agent(loop: Loop, running: Running) -> Iterator[Running]:
    task = loop.start(running.run())
    try:
        assert running.connected.wait(30), running.lines
        yield running
    finally:
        loop.cancel(task)


@contextmanager
def tcp_server(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    """The port of a TCP server on the loopback address."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class Wire:
    """A connection to a server that can be cut. Used from one event loop alone."""

    def __init__(self, url: str) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> str:
        """The address that leads to the server."""
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        self._server.close()
        await self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        self._writers |= {writer, far_writer}
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()
