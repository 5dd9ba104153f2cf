"""Asking a computer about its sessions, each question on a stream of the relay of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stationmaster.access.model import Caller
from stationmaster.computers.relay.channels import Channel, PeerLost
from stationmaster.computers.relay.hub import StreamRequest
from stationmaster.computers.relay.relay import Relay
from stationmaster.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    StationmasterError,
    Unavailable,
)
from stationmaster.relay_messages import Close
from stationmaster.session_messages import Failed, Follow, Question, Update, answer, encoded

ANSWER_S = 120.0
"""How long a computer may take to answer: an agent takes a while to start."""
QUIET_S = 1.0
_FAULTS: dict[str, Callable[..., StationmasterError]] = {
    "agent_not_allowed": Forbidden,
    "workspace_not_allowed": Forbidden,
    "no_workspace": BadRequest,
    "unknown_option": BadRequest,
    "session_lost": NotFound,
}


async def ask(relay: Relay, caller: Caller, computer_id: str, question: Question) -> None:
    """Have a computer do something with a session.

    Raises Conflict where it is not connected, what else the relay raises for a stream, and
    Forbidden, NotFound, BadRequest or Conflict as the computer refuses.
    """
    async with _stream(relay, caller, computer_id) as channel:
        try:
            await _accepted(channel, question)
        finally:
            await channel.close(Close.FINISHED)


async def follow(
    relay: Relay, caller: Caller, computer_id: str, question: Follow
) -> AsyncIterator[Update | None]:
    """The updates of a session; None at first, once the computer has accepted the question, and
    whenever nothing happens for `QUIET_S`. Raises as `ask` before the first; ends where the
    computer is lost later.
    """
    async with _stream(relay, caller, computer_id) as channel:
        receiving: asyncio.Task[bytes] | None = None
        try:
            await _accepted(channel, question)
            yield None
            while True:
                receiving = receiving or asyncio.create_task(channel.receive())
                done, _ = await asyncio.wait({receiving}, timeout=QUIET_S)
                if not done:
                    yield None
                    continue
                message = answer(receiving.result())
                receiving = None
                if not isinstance(message, Update):
                    return
                yield message
        except (PeerLost, ValueError):
            return
        finally:
            if receiving is not None:
                receiving.cancel()
            await channel.close(Close.FINISHED)


async def _accepted(channel: Channel, question: Question) -> None:
    """Returns once the computer has done what it is asked. Raises its refusal."""
    try:
        await channel.send(encoded(question))
        async with asyncio.timeout(ANSWER_S):
            message = answer(await channel.receive())
    except (PeerLost, TimeoutError, ValueError):
        raise Unavailable("The computer did not answer in time.", code="no_answer") from None
    if isinstance(message, Failed):
        detail = "".join(c if c.isprintable() else " " for c in message.detail)[:1000]
        fault = _FAULTS.get(message.code, Conflict)
        code = (
            message.code if message.code.isidentifier() and len(message.code) <= 50 else "refused"
        )
        raise fault(detail or "The computer refused.", code=code)


@asynccontextmanager
async def _stream(relay: Relay, caller: Caller, computer_id: str) -> AsyncIterator[Channel]:
    """A stream to a computer. Raises Conflict where it is not connected, as grants for SSH do."""
    request = StreamRequest(computer_id, 0, caller.principal_id, "session")
    try:
        async with relay.stream(caller.org_id, request) as channel:
            yield channel
    except Unavailable as fault:
        if fault.code != "offline":
            raise
        raise Conflict(fault.detail, code="offline") from None
