"""The agent of a computer: a quiet control socket to the relay, and a data socket a connection.

It dials out only. What it opens here is a port of the loopback address that its owner allows.
It reports how busy this machine is, from `/proc` (proc(5)), where there is one.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from stationmaster import __version__
from stationmaster.client.computer import Machine, Registration, hostname, user
from stationmaster.client.relay import sockets
from stationmaster.client.relay.ssh_server import Missing, SshServer
from stationmaster.client.server import Server
from stationmaster.client.sessions.local import LocalSessions
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.relay_messages import (
    SILENCE_S,
    SSH_PORT,
    Authorize,
    Authorized,
    Beat,
    Bye,
    Close,
    Hello,
    Open,
    Reason,
    Refuse,
    Restarting,
    Sample,
    Sessions,
    Welcome,
    encoded,
    to_agent,
)

DEFAULT_PORTS = ((SSH_PORT, SSH_PORT), (1024, 65535))
STREAMS_MAX = 64
WAIT_MIN_S, WAIT_MAX_S = 0.5, 30.0
SAMPLE_S = 60.0
"""Between two beats that report how busy the machine is."""
REFUSED_WAIT_S = 600.0
"""After a refusal that may pass, but not soon."""
STABLE_S = 60.0
"""A connection that lasted so long was good: the next wait is short again."""
REPORT_S = 0.1
"""Changes of sessions within this time are reported together."""
_CONNECT_S = 5.0
_LOOPBACK = ("127.0.0.1", "::1")


class Removed(Exception):
    """The server has removed this computer."""


class Ended(NamedTuple):
    """How one control socket ended: how long it lasted, and when to connect again, if that is
    known."""

    lasted_s: float
    come_back_s: float | None = None


class Agent:
    """Of one registered machine. `show` takes lines for a person."""

    def __init__(
        self,
        url: str,
        machine: Machine,
        registration: Registration,
        ssh: SshServer,
        ports: tuple[tuple[int, int], ...],
        sessions_here: LocalSessions,
        show: Callable[[str], None],
    ) -> None:
        self._url = url
        self._machine = machine
        self._registration = registration
        self._ssh = ssh
        self._ports = ports
        self._sessions_here = sessions_here
        self._show = show
        self._streams: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Stay connected until cancelled. Raises Removed, and OperatorError where only a person
        can help.
        """
        host_keys = await asyncio.to_thread(self._ssh.prepare)
        if not host_keys:
            self._show("No SSH server: install openssh-server for `computers ssh`; ports work.")
        hello = Hello(
            agent_version=__version__,
            host_id=self._machine.host_id,
            machine_hash=self._machine.machine_hash,
            hostname=hostname(),
            remote_user=user(),
            ssh_host_keys=host_keys,
            ports=self._ports,
            agents=self._sessions_here.agents,
        )
        try:
            await self._stay(hello)
        except OperatorError:
            # Running streams outlive the control socket.
            await asyncio.gather(*self._streams, return_exceptions=True)
            raise
        finally:
            for task in self._streams:
                task.cancel()
            await asyncio.gather(*self._streams, return_exceptions=True)
            self._ssh.close()
            await self._sessions_here.close()

    async def _stay(self, hello: Hello) -> None:
        wait_s = WAIT_MIN_S
        while True:
            ended = await self._once(hello)
            if ended.lasted_s >= STABLE_S:
                wait_s = WAIT_MIN_S
            pause_s = ended.come_back_s
            if pause_s is None:
                pause_s = random.uniform(0, wait_s)  # noqa: S311 - spreads load, hides nothing
                wait_s = min(wait_s * 2, WAIT_MAX_S)
            await asyncio.sleep(pause_s)

    async def _once(self, hello: Hello) -> Ended:
        began = time.monotonic()
        path = f"/computers/{self._registration.computer_id}/listen"
        try:
            async with sockets.dialled(self._url, path, self._registration.credential) as control:
                return await self._serve(control, hello)
        except sockets.UpgradeRefused as refusal:
            if refusal.http_status == 410:
                raise Removed from None
            if refusal.http_status == 401:
                raise OperatorError(
                    f"{refusal.detail} Register this machine again: `stationmaster computers "
                    "remove`, then `register`.",
                    code=refusal.code,
                ) from None
            self._show(f"Refused: {refusal.detail}")
            return Ended(0, REFUSED_WAIT_S if refusal.http_status in (403, 426) else None)
        except OperatorError as fault:
            if fault.code != sockets.UNREACHABLE:
                raise
            self._show(str(fault))
            return Ended(time.monotonic() - began)

    async def _serve(self, control: ClientConnection, hello: Hello) -> Ended:
        began = time.monotonic()
        come_back_s: float | None = None
        beating: asyncio.Task[None] | None = None
        reporting: asyncio.Task[None] | None = None
        try:
            await control.send(encoded(hello))
            while True:
                async with asyncio.timeout(SILENCE_S):
                    text = await control.recv()
                message = to_agent(text) if isinstance(text, str) else None
                if isinstance(message, Welcome) and beating is None:
                    if message.telemetry is not None:
                        self._sessions_here.server = Server(self._url, message.telemetry)
                    self._show(f"Connected to {self._url} as {self._registration.name}.")
                    beating = asyncio.create_task(_beat(control, message.beat_every_s))
                    reporting = asyncio.create_task(self._report(control))
                elif isinstance(message, Open):
                    self._start(control, message)
                elif isinstance(message, Authorize):
                    await self._authorize(control, message)
                elif isinstance(message, Restarting):
                    come_back_s = message.come_back_in_ms / 1000
        except ConnectionClosed as closed:
            self._explain(closed)
        except TimeoutError:
            self._show("The server has not answered; connecting again.")
        except ValueError:
            self._show("The server sent an invalid message; connecting again.")
        except asyncio.CancelledError:
            self._sessions_here.finish()
            with suppress(ConnectionClosed):
                await control.send(encoded(Sessions(sessions=self._sessions_here.states)))
                await control.send(encoded(Bye()))
            raise
        finally:
            for task in (beating, reporting):
                if task is not None:
                    task.cancel()
        return Ended(time.monotonic() - began, come_back_s)

    async def _report(self, control: ClientConnection) -> None:
        """Report the state of the sessions, now and at each change."""
        with suppress(ConnectionClosed):
            while True:
                self._sessions_here.changed.clear()
                await control.send(encoded(Sessions(sessions=self._sessions_here.states)))
                await self._sessions_here.changed.wait()
                await asyncio.sleep(REPORT_S)

    def _explain(self, closed: ConnectionClosed) -> None:
        code = Close.FAILED if closed.rcvd is None else closed.rcvd.code
        if code == Close.REMOVED:
            raise Removed
        if code == Close.REPLACED:
            raise OperatorError(
                "another agent has connected as this computer; only one may run", code="replaced"
            )
        if code == Close.MALFORMED and closed.rcvd is not None and closed.rcvd.reason:
            raise OperatorError(closed.rcvd.reason, code="refused")
        self._show("The connection was lost; connecting again.")

    async def _authorize(self, control: ClientConnection, message: Authorize) -> None:
        with suppress(ValueError):
            self._ssh.let_in(message.grant, message.public_key, message.seconds)
            await control.send(encoded(Authorized(grant=message.grant)))

    def _start(self, control: ClientConnection, message: Open) -> None:
        task = asyncio.create_task(self._open(control, message))
        self._streams.add(task)
        task.add_done_callback(self._streams.discard)

    async def _open(self, control: ClientConnection, message: Open) -> None:
        """Connect here first, and dial the relay only then."""
        if message.purpose == "session":
            await self._answer(message)
            return
        try:
            reader, writer = await self._connection(message.port)
        except _Refusal as refusal:
            answer = Refuse(stream=message.stream, reason=refusal.reason, detail=refusal.detail)
            with suppress(ConnectionClosed):
                await control.send(encoded(answer))
            return
        code: int = Close.FAILED
        try:
            path = f"/streams/{message.stream}"
            async with sockets.dialled(self._url, path, message.ticket) as socket:
                code = await sockets.copy(socket, reader, writer)
        except StationmasterError as fault:
            self._show(f"A connection for {message.principal} was not made: {fault.detail}")
        finally:
            await sockets.end(writer, code)

    async def _answer(self, message: Open) -> None:
        """A stream on which the server requests sessions."""
        try:
            async with sockets.dialled(
                self._url, f"/streams/{message.stream}", message.ticket
            ) as socket:
                await self._sessions_here.serve(socket)
        except StationmasterError as fault:
            self._show(f"A question of {message.principal} was not answered: {fault.detail}")

    async def _connection(self, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not any(first <= port <= last for first, last in self._ports):
            raise _Refusal("port_not_allowed")
        if len(self._streams) > STREAMS_MAX:
            raise _Refusal("too_many")
        if port == SSH_PORT:
            try:
                return await self._ssh.connect()
            except Missing:
                raise _Refusal(
                    "no_ssh_server",
                    "The computer has no SSH server: install openssh-server on it.",
                ) from None
        for host in _LOOPBACK:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(_CONNECT_S):
                    return await asyncio.open_connection(host, port)
        raise _Refusal("connection_refused")


class _Refusal(Exception):
    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


async def _beat(control: ClientConnection, every_s: float) -> None:
    sampler, sampled_at = Sampler(), time.monotonic()
    with suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(every_s)
            sample = None
            if time.monotonic() - sampled_at >= SAMPLE_S:
                sample, sampled_at = sampler.sample(), time.monotonic()
            await control.send(encoded(Beat(sample=sample)))


_STAT = Path("/proc/stat")
_MEMORY = Path("/proc/meminfo")


class Sampler:
    """Processors are counted from one sample to the next."""

    def __init__(self) -> None:
        self._before = _ticks()

    def sample(self) -> Sample | None:
        """Use of processors since the last sample, of memory and disk now; None without figures."""
        now, memory = _ticks(), _memory()
        if now is None or self._before is None or memory is None:
            return None
        busy, total = (after - before for after, before in zip(now, self._before, strict=True))
        if total <= 0:
            return None
        self._before = now
        disk = shutil.disk_usage(Path.home())
        return Sample(
            cpu_used_pct=round(min(max(100 * busy / total, 0.0), 100.0), 2),
            cpu_count=os.cpu_count() or 1,
            mem_used=memory[0],
            mem_total=memory[1],
            disk_used=disk.used,
            disk_total=disk.total,
        )


def _ticks() -> tuple[int, int] | None:
    """Ticks that the processors worked, and all of them, since the machine was started."""
    try:
        first = _STAT.read_text().partition("\n")[0]
        user, nice, system, idle, waiting, *rest = (int(word) for word in first.split()[1:])
    except (OSError, ValueError):
        return None
    # Time of guests is in that of users already.
    busy = user + nice + system + sum(rest[:3])
    return busy, busy + idle + waiting


def _memory() -> tuple[int, int] | None:
    """Bytes of memory that are in use, and all of them."""
    try:
        lines = (line.split(":") for line in _MEMORY.read_text().splitlines())
        values = {name: int(value.split()[0]) * 1024 for name, value in lines}
        return values["MemTotal"] - values["MemAvailable"], values["MemTotal"]
    except (OSError, ValueError, KeyError, IndexError):
        return None
