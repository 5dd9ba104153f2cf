"""The relay of one process, with the processes beside it: who holds which computer is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from stationmaster.computers import presence, visibility
from stationmaster.computers.managed import metrics
from stationmaster.computers.relay import peers
from stationmaster.computers.relay.channels import Channel, StreamTotals, splice
from stationmaster.computers.relay.hub import Hub, Machine, StreamRequest, offline, process_of
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from stationmaster.ids import OrgId
from stationmaster.relay_messages import Close

_log = logging.getLogger(__name__)


class Relay:
    """One per process; used from its event loop alone."""

    def __init__(self, db: Database) -> None:
        self.hub = Hub()
        self._db = db
        self._peers = peers.Peers(self.hub)

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
        async with peers.asking(process, peers.Stream(request)) as (_, channel):
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
        async with peers.asking(process_of(stream), peers.Arrival(stream, ticket)) as (_, far):

            async def pass_on(channel: Channel) -> None:
                await splice(far, channel, StreamTotals())

            yield pass_on

    async def authorize(self, org: OrgId, computer_id: str, public_key: str, seconds: int) -> str:
        """See `Hub.authorize`."""
        if computer_id in self.hub.machines:
            return await self.hub.authorize(computer_id, public_key, seconds)
        process = await self._holder(org, computer_id)
        question = peers.Grant(computer_id, public_key, seconds)
        async with peers.asking(process, question) as (grant, _):
            return grant

    async def drop(self, org: OrgId, computer_id: str, code: int = Close.REMOVED) -> None:
        """Close the control socket of a computer, whichever process holds it."""
        if computer_id in self.hub.machines:
            await self.hub.drop(computer_id, code)
            return
        with suppress(StationmasterError):
            process = await self._holder(org, computer_id)
            async with peers.asking(process, peers.Drop(computer_id, code)):
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
            held = list(self.hub.machines)
            if not held:
                continue
            try:
                await asyncio.to_thread(presence.seen, self._db, self.hub.process, held)
                await asyncio.to_thread(metrics.add, self._db, self.hub.samples())
                for computer_id in await asyncio.to_thread(visibility.removed, self._db, held):
                    await self.hub.drop(computer_id, Close.REMOVED)
            except StationmasterError as fault:
                _log.warning("which computers are connected is not noted for now: %s", fault)
