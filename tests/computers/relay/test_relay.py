"""Processes of the relay: whichever a socket arrives at, it is paired with its other end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.computers import presence, service
from stationmaster.computers.model import Registration
from stationmaster.computers.relay.channels import PeerLost, StreamTotals, splice
from stationmaster.computers.relay.hub import Machine, StreamRequest
from stationmaster.computers.relay.relay import Relay
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound, StationmasterError, Unavailable
from stationmaster.ids import OrgId
from stationmaster.relay_messages import (
    Authorize,
    Authorized,
    Close,
    Hello,
    Open,
    Refuse,
    ToAgent,
)
from tests.support.builders import a_caller, a_member, an_organization

HELLO = Hello(agent_version="1", host_id="h", hostname="build", remote_user="dev")


class Memory:
    """A channel whose other side a test holds."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[bytes] = asyncio.Queue()
        self.outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self.code: int | None = None

    async def receive(self) -> bytes:
        return await self.incoming.get()

    async def send(self, data: bytes) -> None:
        if self.code is not None:
            raise PeerLost(self.code)
        await self.outgoing.put(data)

    async def close(self, code: int) -> None:
        self.code = code


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def computer(db: Database, org: OrgId) -> str:
    clock.freeze(None)
    caller = a_caller(db, org, a_member(db, org, "ada@example.com"))
    new = Registration(name="build", remote_user="dev", host_id="h")
    return service.register(db, caller, new)[0].computer_id


@asynccontextmanager
async def processes(db: Database, count: int) -> AsyncIterator[list[Relay]]:
    relays = [Relay(db) for _ in range(count)]
    async with relays[0].serving(), relays[1].serving():
        if count == 2:
            yield relays
        else:
            async with relays[2].serving():
                yield relays


def machine_of(
    org: OrgId, computer: str, answer: Callable[[Machine, ToAgent], Awaitable[None]]
) -> tuple[Machine, list[int]]:
    """A machine that answers messages, and the codes with which it was closed."""
    closed: list[int] = []

    async def send(message: ToAgent) -> None:
        await answer(machine, message)

    async def close(code: int) -> None:
        closed.append(code)

    machine = Machine(org, computer, HELLO, send, close)
    return machine, closed


def asked(computer: str) -> StreamRequest:
    return StreamRequest(computer, 2000, "user_1", "forward")


def test_three_processes_pair_a_client_with_a_computer(
    db: Database, org: OrgId, computer: str
) -> None:
    """The client is at the first, the control socket at the second, the stream at the third."""

    async def scenario() -> None:
        async with processes(db, 3) as (of_client, of_control, of_stream):
            far = Memory()
            tasks = []

            async def dial(message: Open) -> None:
                async with of_stream.expecting(message.stream, message.ticket) as take:
                    await take(far)

            async def answer(_: Machine, message: ToAgent) -> None:
                assert isinstance(message, Open)
                tasks.append(asyncio.create_task(dial(message)))

            machine, _ = machine_of(org, computer, answer)
            near, copied = Memory(), StreamTotals()
            async with (
                of_control.holding(machine),
                of_client.stream(org, asked(computer)) as channel,
            ):
                copying = asyncio.create_task(splice(near, channel, copied))
                sent = [os.urandom(1000) for _ in range(50)]
                for data in (*sent, b""):
                    await near.incoming.put(data)
                received = [await far.outgoing.get() for _ in sent]
                assert (received, await far.outgoing.get()) == (sent, b"")
                for data in (b"back", b""):
                    await far.incoming.put(data)
                assert await near.outgoing.get() == b"back"
                await copying
            assert (copied.to_computer, copied.to_client, copied.code) == (50_000, 4, 1000)
            await asyncio.gather(*tasks)
            assert (near.code, far.code) == (1000, 1000)

    asyncio.run(scenario())


def test_refusals_grants_and_ends_cross_processes(db: Database, org: OrgId, computer: str) -> None:
    async def scenario() -> None:
        async with processes(db, 2) as (near, holder):

            async def answer(machine: Machine, message: ToAgent) -> None:
                if isinstance(message, Open):
                    refusal = Refuse(stream=message.stream, reason="connection_refused")
                    holder.hub.refuse(machine, refusal)
                elif isinstance(message, Authorize):
                    holder.hub.authorized(machine, Authorized(grant=message.grant))

            machine, closed = machine_of(org, computer, answer)
            async with holder.holding(machine):
                with pytest.raises(Conflict) as refused:
                    async with near.stream(org, asked(computer)):
                        pass
                assert refused.value.code == "connection_refused"
                assert (await near.authorize(org, computer, "ssh-ed25519 A", 5)).startswith(
                    "grant_"
                )
                await near.drop(org, computer)
                assert closed == [Close.REMOVED]
            with pytest.raises(Unavailable):
                await near.authorize(org, computer, "ssh-ed25519 A", 5)

    asyncio.run(scenario())


def test_a_process_that_was_killed_leaves_its_computers_offline(
    db: Database, org: OrgId, computer: str
) -> None:
    presence.came(db, org, computer, HELLO, "dead0000")

    async def scenario() -> None:
        async with processes(db, 2) as (near, _):
            with pytest.raises(Unavailable) as refused:
                async with near.stream(org, asked(computer)):
                    pass
            assert refused.value.code == "offline"
            for stream in ("dead0000" + "0" * 16, "../../etc", ""):
                with pytest.raises(StationmasterError):
                    async with near.expecting(stream, "ticket"):
                        pass

    asyncio.run(scenario())
    assert presence.online(db, org) == {computer}
    clock.freeze(datetime.now(UTC) + timedelta(milliseconds=presence.STALE_MS + 1))
    found = presence.of(db, org, computer)
    assert found is not None
    assert (found.state, presence.online(db, org)) == ("offline", set())


def test_a_ticket_is_good_for_one_socket_in_time(db: Database, org: OrgId, computer: str) -> None:
    async def scenario() -> None:
        async with processes(db, 2) as (relay, _):
            opened: asyncio.Queue[Open] = asyncio.Queue()

            async def answer(_: Machine, message: ToAgent) -> None:
                assert isinstance(message, Open)
                await opened.put(message)

            async def client() -> None:
                async with relay.stream(org, asked(computer)):
                    pass

            machine, _ = machine_of(org, computer, answer)
            async with relay.holding(machine):
                waiting = asyncio.create_task(client())
                message = await opened.get()
                with pytest.raises(NotFound):
                    relay.hub.arrive(message.stream, "another", Memory())
                relay.hub.arrive(message.stream, message.ticket, Memory())
                with pytest.raises(NotFound):
                    relay.hub.arrive(message.stream, message.ticket, Memory())
                await waiting
                waiting = asyncio.create_task(client())
                message = await opened.get()
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)
                with pytest.raises(NotFound):
                    relay.hub.arrive(message.stream, message.ticket, Memory())
            assert machine.streams == 0

    asyncio.run(scenario())


def test_a_machine_refuses_no_stream_of_another(db: Database, org: OrgId, computer: str) -> None:
    async def scenario() -> None:
        async with processes(db, 2) as (relay, _):
            opened: asyncio.Queue[Open] = asyncio.Queue()

            async def answer(_: Machine, message: ToAgent) -> None:
                assert isinstance(message, Open)
                await opened.put(message)

            machine, _ = machine_of(org, computer, answer)
            other, _ = machine_of(org, "cmp_other", answer)
            async with relay.holding(machine):
                waiting = asyncio.create_task(
                    relay.stream(org, asked(computer)).__aenter__()  # type: ignore[arg-type]  # a coroutine
                )
                message = await opened.get()
                relay.hub.refuse(other, Refuse(stream=message.stream, reason="too_many"))
                await asyncio.sleep(0)
                assert not waiting.done()
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(scenario())
