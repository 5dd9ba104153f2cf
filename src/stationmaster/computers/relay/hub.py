"""The computers whose control socket one process holds, and the streams that it pairs."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import msgspec

from stationmaster import relay_messages
from stationmaster.computers.relay.channels import Channel
from stationmaster.errors import (
    Conflict,
    Forbidden,
    NotFound,
    RateLimited,
    StationmasterError,
    Unavailable,
)
from stationmaster.ids import OrgId

OPEN_S = 10.0
"""How long an agent may take to dial a stream, and how long its ticket is valid."""
STREAMS_MAX = 64
"""Of one computer."""
CALLER_STREAMS_MAX = 128
"""Of one caller, in one process."""
OPENS_PER_SECOND = 20
"""Of one computer."""
MACHINES_MAX = 5000
"""Computers whose control socket one process holds."""
_PROCESS_BYTES = 4


class StreamRequest(msgspec.Struct, frozen=True):
    """A stream that a caller wants. `caller_id` is the id of a person or service account."""

    computer_id: str
    port: int
    caller_id: str
    purpose: relay_messages.Purpose


class Machine:
    """The control socket of one computer."""

    def __init__(
        self,
        org: OrgId,
        computer_id: str,
        hello: relay_messages.Hello,
        send: Callable[[relay_messages.ToAgent], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
    ) -> None:
        self.org = org
        self.computer_id = computer_id
        self.hello = hello
        self.send = send
        self.close = close
        self.streams = 0
        self.sample: relay_messages.Sample | None = None
        """What the agent reported last of how busy the machine is, until that is stored."""
        self.grants: dict[str, asyncio.Future[None]] = {}
        self._opens: deque[float] = deque(maxlen=OPENS_PER_SECOND)

    def check_rate(self) -> None:
        """Count one stream that is asked for. Raises RateLimited."""
        now = asyncio.get_running_loop().time()
        is_fast = len(self._opens) == OPENS_PER_SECOND and now - self._opens[0] < 1
        if self.streams >= STREAMS_MAX or is_fast:
            raise RateLimited(
                f"This computer has {self.streams} streams; at most {STREAMS_MAX} at a time and "
                f"{OPENS_PER_SECOND} new ones a second are possible.",
                retry_after_s=1,
            )
        self._opens.append(now)


class Arrived(msgspec.Struct, frozen=True):
    """An agent's end of a stream, and what to set once it is not needed any more."""

    channel: Channel
    done: asyncio.Event


class _Waiting(msgspec.Struct, frozen=True):
    computer_id: str
    ticket_hash: bytes
    arrival: asyncio.Future[Arrived]


class Hub:
    """One per process; used from its event loop alone."""

    def __init__(self) -> None:
        self.process = secrets.token_hex(_PROCESS_BYTES)
        """Which process this is; every id of a stream begins with it."""
        self.machines: dict[str, Machine] = {}
        self._waiting: dict[str, _Waiting] = {}
        self._callers: dict[str, int] = {}

    async def add(self, machine: Machine) -> None:
        """Hold a control socket; an older one of the same computer is closed, its streams stay."""
        if machine.computer_id not in self.machines and len(self.machines) >= MACHINES_MAX:
            raise Unavailable(
                "This process has reached its maximum number of computers.", code="relay_full"
            )
        replaced = self.machines.get(machine.computer_id)
        self.machines[machine.computer_id] = machine
        if replaced is not None:
            await replaced.close(relay_messages.Close.REPLACED)

    def samples(self) -> dict[tuple[OrgId, str], relay_messages.Sample]:
        """What agents have reported since the last call of how busy their machines are."""
        new = {
            (machine.org, machine.computer_id): machine.sample
            for machine in self.machines.values()
            if machine.sample is not None
        }
        for machine in self.machines.values():
            machine.sample = None
        return new

    def remove(self, machine: Machine) -> bool:
        """Whether it was still the newest control socket of its computer."""
        for grant in machine.grants.values():
            _fail(grant, offline())
        is_newest = self.machines.get(machine.computer_id) is machine
        if is_newest:
            del self.machines[machine.computer_id]
        return is_newest

    @asynccontextmanager
    async def stream(self, request: StreamRequest) -> AsyncIterator[Channel]:
        """The computer's end of a new stream.

        Raises Unavailable (`offline`, `no_answer`), Forbidden (`port_not_allowed`), Conflict
        (`connection_refused`, `no_ssh_server`, `no_agents`) and RateLimited.
        """
        machine = self.machines.get(request.computer_id)
        if machine is None:
            raise offline()
        if request.purpose == "session" and not machine.hello.agents:
            # An agent of an older version would not understand the question either.
            raise Conflict(
                "This computer allows no coding agents; allow one with "
                "`computers serve --allow-agent`.",
                code="no_agents",
            )
        machine.check_rate()
        self._count(request.caller_id)
        machine.streams += 1
        try:
            arrived = await self._arrival(machine, request)
            try:
                yield arrived.channel
            finally:
                arrived.done.set()
        finally:
            machine.streams -= 1
            self._uncount(request.caller_id)

    async def _arrival(self, machine: Machine, request: StreamRequest) -> Arrived:
        stream = f"{self.process}{secrets.token_hex(8)}"
        ticket = secrets.token_urlsafe(16)
        arrival: asyncio.Future[Arrived] = asyncio.get_running_loop().create_future()
        self._waiting[stream] = _Waiting(request.computer_id, _hash(ticket), arrival)
        message = relay_messages.Open(
            stream=stream,
            ticket=ticket,
            port=request.port,
            principal=request.caller_id,
            purpose=request.purpose,
        )
        try:
            await machine.send(message)
            async with asyncio.timeout(OPEN_S):
                return await asyncio.shield(arrival)
        except BaseException as fault:
            if arrival.done() and not arrival.exception():
                arrival.result().done.set()
            arrival.cancel()
            if isinstance(fault, TimeoutError):
                raise _no_answer() from None
            raise
        finally:
            self._waiting.pop(stream, None)

    def check_expected(self, stream: str, ticket: str) -> None:
        """Raise NotFound unless a client waits for the stream, and its agent got this ticket."""
        waiting = self._waiting.get(stream)
        if (
            waiting is None
            or waiting.arrival.done()
            or not hmac.compare_digest(waiting.ticket_hash, _hash(ticket))
        ):
            raise NotFound("This stream is not expected.", code="unknown_stream")

    def arrive(self, stream: str, ticket: str, channel: Channel) -> asyncio.Event:
        """Hand an agent's data socket to who waits for it; what is set when it may be closed.

        Raises NotFound as `check_expected`: a ticket is good for one socket.
        """
        self.check_expected(stream, ticket)
        arrived = Arrived(channel, asyncio.Event())
        self._waiting.pop(stream).arrival.set_result(arrived)
        return arrived.done

    def refuse(self, machine: Machine, refusal: relay_messages.Refuse) -> None:
        """Pass an agent's refusal on to who waits for the stream, if it is the agent's own."""
        waiting = self._waiting.get(refusal.stream)
        if waiting is not None and waiting.computer_id == machine.computer_id:
            _fail(waiting.arrival, _refused(refusal))

    async def authorize(self, computer_id: str, public_key: str, seconds: int) -> str:
        """Have a computer let a public key in; the id of the grant, once the computer has it.

        Raises Unavailable (`offline`, `no_answer`).
        """
        machine = self.machines.get(computer_id)
        if machine is None:
            raise offline()
        grant = f"grant_{secrets.token_hex(8)}"
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        machine.grants[grant] = answer
        try:
            await machine.send(
                relay_messages.Authorize(grant=grant, public_key=public_key, seconds=seconds)
            )
            async with asyncio.timeout(OPEN_S):
                await answer
        except TimeoutError:
            raise _no_answer() from None
        finally:
            machine.grants.pop(grant, None)
        return grant

    def authorized(self, machine: Machine, answer: relay_messages.Authorized) -> None:
        grant = machine.grants.get(answer.grant)
        if grant is not None and not grant.done():
            grant.set_result(None)

    async def drop(self, computer_id: str, code: int) -> None:
        """Close the control socket of a computer, if it is held here."""
        machine = self.machines.get(computer_id)
        if machine is not None:
            await machine.close(code)

    def _count(self, caller_id: str) -> None:
        streams = self._callers.get(caller_id, 0)
        if streams >= CALLER_STREAMS_MAX:
            raise RateLimited(
                f"You have {streams} streams; at most {CALLER_STREAMS_MAX} at a time are possible.",
                retry_after_s=5,
            )
        self._callers[caller_id] = streams + 1

    def _uncount(self, caller_id: str) -> None:
        self._callers[caller_id] -= 1
        if not self._callers[caller_id]:
            del self._callers[caller_id]


def process_of(stream: str) -> str:
    """The process that waits for a stream."""
    return stream[: 2 * _PROCESS_BYTES]


def offline() -> Unavailable:
    return Unavailable(
        "This computer is not connected: `stationmaster computers serve` must run on it.",
        code="offline",
    )


def _no_answer() -> Unavailable:
    return Unavailable("The computer did not answer in time.", code="no_answer")


def _refused(refusal: relay_messages.Refuse) -> StationmasterError:
    detail = refusal.detail[:200]
    if refusal.reason == "port_not_allowed":
        return Forbidden(
            "The computer does not allow this port: `computers serve --allow-port` does.",
            code="port_not_allowed",
        )
    if refusal.reason == "connection_refused":
        return Conflict("Nothing listens on this port of the computer.", code="connection_refused")
    if refusal.reason == "no_ssh_server":
        return Conflict(
            detail or "The computer has no SSH server: install openssh-server on it.",
            code="no_ssh_server",
        )
    if refusal.reason == "too_many":
        return RateLimited("The computer has as many streams as it may.", retry_after_s=5)
    return Unavailable("The computer is shutting down.", code="offline")


def _fail(future: asyncio.Future[Any], fault: StationmasterError) -> None:
    if not future.done():
        future.set_exception(fault)


def _hash(ticket: str) -> bytes:
    return sha256(ticket.encode()).digest()
