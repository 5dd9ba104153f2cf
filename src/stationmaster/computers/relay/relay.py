"""The relay of one process, with the processes next to it: who holds which computer is stored."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import struct
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from stationmaster.computers import presence, visibility
from stationmaster.computers.managed import metrics
from stationmaster.computers.relay.channels import Channel, PeerChannel, StreamTotals, splice
from stationmaster.computers.relay.hub import Hub, Machine, StreamRequest, offline, process_of
from stationmaster.db.engine import Database
from stationmaster.errors import (
    Conflict,
    Forbidden,
    NotFound,
    RateLimited,
    StationmasterError,
    Unavailable,
)
from stationmaster.ids import OrgId
from stationmaster.relay_messages import Close

_HEAD = struct.Struct("!I")
_QUESTION_BYTES_MAX = 32 * 1024
_PROCESS = re.compile("[0-9a-f]{8}")
"""A stream's id, which begins with a process, is sent by a client."""
_CONNECT_S = 5.0
_ANSWER_S = 15.0


class Stream(msgspec.Struct, frozen=True, tag="stream"):
    """A client waits here for a computer that is held there."""

    asked: StreamRequest


class Arrival(msgspec.Struct, frozen=True, tag="arrival"):
    """A computer has dialled a stream here for which a client waits there."""

    stream: str
    ticket: str


class Grant(msgspec.Struct, frozen=True, tag="grant"):
    computer_id: str
    public_key: str
    seconds: int


class Drop(msgspec.Struct, frozen=True, tag="drop"):
    computer_id: str
    code: int


Question = Stream | Arrival | Grant | Drop


class RelayAnswer(msgspec.Struct, frozen=True):
    """`error` is the status, code, sentence and pause of a refusal."""

    text: str = ""
    error: tuple[int, str, str, int] | None = None


_QUESTIONS = msgspec.json.Decoder(Question)
_ANSWERS = msgspec.json.Decoder(RelayAnswer)


def address(process: str) -> str:
    """The path of a process's socket: short, and in a folder that is this user's alone."""
    return str(_folder() / f"{process}.sock")


class Peers:
    """Takes the questions of other processes of this machine, for as long as it is served.

    A client's socket and a computer's arrive at the process of a server that accepts the
    connection. A process that does not hold the other end calls the one that does, over a Unix
    socket, and passes bytes on to it.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        path = Path(address(self._hub.process))
        server = await asyncio.start_unix_server(self._take, path)
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            path.unlink(missing_ok=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            async with asyncio.timeout(_CONNECT_S):
                question = _QUESTIONS.decode(await _read(reader))
            await self._answer(question, reader, writer)
        except (TimeoutError, OSError, EOFError, msgspec.DecodeError):
            pass
        finally:
            self._tasks.discard(task)
            with suppress(OSError):
                writer.close()

    async def _answer(
        self, question: Question, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        here = PeerChannel(reader, writer)
        try:
            if isinstance(question, Stream):
                async with self._hub.stream(question.asked) as computer:
                    await _write(writer, RelayAnswer())
                    await splice(here, computer, StreamTotals())
            elif isinstance(question, Arrival):
                done = self._hub.arrive(question.stream, question.ticket, here)
                await _write(writer, RelayAnswer())
                await done.wait()
            elif isinstance(question, Grant):
                grant = await self._hub.authorize(
                    question.computer_id, question.public_key, question.seconds
                )
                await _write(writer, RelayAnswer(grant))
            else:
                await self._hub.drop(question.computer_id, question.code)
                await _write(writer, RelayAnswer())
        except StationmasterError as fault:
            pause = fault.retry_after_s if isinstance(fault, RateLimited) else 0
            error = (fault.status, fault.code, fault.detail, pause)
            await _write(writer, RelayAnswer(error=error))


@asynccontextmanager
async def asking(process: str, question: Question) -> AsyncIterator[tuple[str, Channel]]:
    """The text of another process's answer, and the channel that follows it.

    Raises what that process raises, and Unavailable (`offline`) where it has ended.
    """
    if _PROCESS.fullmatch(process) is None:
        raise offline()
    try:
        async with asyncio.timeout(_CONNECT_S):
            reader, writer = await asyncio.open_unix_connection(address(process))
    except (TimeoutError, OSError):
        raise offline() from None
    try:
        try:
            await _write(writer, question)
            async with asyncio.timeout(_ANSWER_S):
                answer = _ANSWERS.decode(await _read(reader))
        except (TimeoutError, OSError, EOFError, msgspec.DecodeError):
            raise offline() from None
        if answer.error is not None:
            raise _error(*answer.error)
        yield answer.text, PeerChannel(reader, writer)
    finally:
        with suppress(OSError):
            writer.close()


def _error(status: int, code: str, detail: str, pause: int) -> StationmasterError:
    if status == RateLimited.status:
        return RateLimited(detail, retry_after_s=pause)
    kinds: dict[int, Callable[..., StationmasterError]] = {
        kind.status: kind for kind in (Forbidden, NotFound, Conflict, Unavailable)
    }
    return kinds.get(status, Unavailable)(detail, code=code)


async def _read(reader: asyncio.StreamReader) -> bytes:
    (size,) = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    if size > _QUESTION_BYTES_MAX:
        raise EOFError
    return await reader.readexactly(size)


async def _write(writer: asyncio.StreamWriter, message: Question | RelayAnswer) -> None:
    content = msgspec.json.encode(message)
    writer.write(_HEAD.pack(len(content)) + content)
    await writer.drain()


def _folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"stationmaster-relay-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    stat = folder.lstat()
    if folder.is_symlink() or stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        raise PermissionError(f"{folder} is accessible to other users")
    return folder


_log = logging.getLogger(__name__)


class Relay:
    """One per process; used from its event loop alone."""

    def __init__(self, db: Database) -> None:
        self.hub = Hub()
        self._db = db
        self._peers = Peers(self.hub)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Reachable for other processes, and noting which computers are held, in the block."""
        async with self._peers.serving():
            noting = asyncio.create_task(self._note())
            try:
                yield
            finally:
                noting.cancel()
                with suppress(asyncio.CancelledError):
                    await noting

    @asynccontextmanager
    async def holding(self, machine: Machine) -> AsyncIterator[None]:
        """The computer is online, and its streams can be opened, in the block.

        Raises Conflict (`disk_copied`) and Unavailable (`relay_full`).
        """
        org = machine.org
        arguments = (self._db, org, machine.computer_id, machine.hello, self.hub.process)
        await asyncio.to_thread(presence.came, *arguments)
        try:
            await self.hub.add(machine)
            yield
        finally:
            if self.hub.remove(machine):
                with suppress(StationmasterError):
                    await asyncio.shield(
                        asyncio.to_thread(
                            presence.left, self._db, org, machine.computer_id, self.hub.process
                        )
                    )

    @asynccontextmanager
    async def stream(self, org: OrgId, request: StreamRequest) -> AsyncIterator[Channel]:
        """The computer's end of a new stream; see `Hub.stream` for what it raises."""
        if request.computer_id in self.hub.machines:
            async with self.hub.stream(request) as channel:
                yield channel
            return
        process = await self._holder(org, request.computer_id)
        async with asking(process, Stream(request)) as (_, channel):
            yield channel

    @asynccontextmanager
    async def expecting(
        self, stream: str, ticket: str
    ) -> AsyncIterator[Callable[[Channel], Awaitable[None]]]:
        """In the block: a coroutine function that takes the channel of an agent's data socket and
        returns once it may be closed. Raises NotFound when no client waits for the stream.
        """
        if process_of(stream) == self.hub.process:
            self.hub.check_expected(stream, ticket)

            async def wait(channel: Channel) -> None:
                await self.hub.arrive(stream, ticket, channel).wait()

            yield wait
            return
        async with asking(process_of(stream), Arrival(stream, ticket)) as (_, far):

            async def pass_on(channel: Channel) -> None:
                await splice(far, channel, StreamTotals())

            yield pass_on

    async def authorize(self, org: OrgId, computer_id: str, public_key: str, seconds: int) -> str:
        """See `Hub.authorize`."""
        if computer_id in self.hub.machines:
            return await self.hub.authorize(computer_id, public_key, seconds)
        process = await self._holder(org, computer_id)
        question = Grant(computer_id, public_key, seconds)
        async with asking(process, question) as (grant, _):
            return grant

    async def drop(self, org: OrgId, computer_id: str, code: int = Close.REMOVED) -> None:
        """Close the control socket of a computer, in the process that holds it."""
        if computer_id in self.hub.machines:
            await self.hub.drop(computer_id, code)
            return
        with suppress(StationmasterError):
            process = await self._holder(org, computer_id)
            async with asking(process, Drop(computer_id, code)):
                pass

    async def _holder(self, org: OrgId, computer_id: str) -> str:
        connection = await asyncio.to_thread(presence.of, self._db, org, computer_id)
        if (
            connection is None
            or connection.process is None
            or connection.process == self.hub.process
        ):
            raise offline()
        return connection.process

    async def _note(self) -> None:
        """Keep the stored presence fresh, and release what was removed or is held elsewhere."""
        while True:
            await asyncio.sleep(presence.SEEN_S)
            connected = list(self.hub.machines)
            if not connected:
                continue
            try:
                await asyncio.to_thread(presence.seen, self._db, self.hub.process, connected)
                await asyncio.to_thread(metrics.add, self._db, self.hub.samples())
                for computer_id in await asyncio.to_thread(visibility.removed, self._db, connected):
                    await self.hub.drop(computer_id, Close.REMOVED)
            except StationmasterError as fault:
                _log.warning("which computers are connected is not noted for now: %s", fault)
