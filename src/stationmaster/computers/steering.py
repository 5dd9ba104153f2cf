"""What people do with sessions of coding agents: start, prompt, decide, cancel, stop, watch.

Each is in the audit log, and its caller must see the computer at that moment.

Once a budget refuses an agent's work, `Capping` ends what it does. The session stays: when there is
room again, it takes prompts. One that works on although it was cancelled is stopped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar, TypeVarTuple

import msgspec
from anyio import to_thread

from stationmaster.access import audit, operator
from stationmaster.access.model import Caller, require
from stationmaster.computers import remote_access, session_streams, sessions, store
from stationmaster.computers.model import Computer
from stationmaster.computers.relay.relay import Relay
from stationmaster.db.engine import Database
from stationmaster.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    StationmasterError,
    Unavailable,
)
from stationmaster.session_messages import (
    PROMPT_BYTES_MAX,
    Cancel,
    Decide,
    Follow,
    Prompt,
    Start,
    Stop,
    Update,
)

BEAT_S = 15.0
"""How often a watcher who sees no update gets an empty line, and may no longer watch if so."""
Check = Callable[[Caller, str, str], None]
"""Raises Forbidden where a budget refuses an agent's work: of whom, and of which agent."""
Wake = Callable[[Caller, str], Awaitable[None]]
"""Returns once a computer that slept is there. Raises Unavailable where that takes too long."""
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Steering:
    """One per process. All raise NotFound for what the caller may not see, and what the relay and
    the computer refuse with."""

    def __init__(self, db: Database, relay: Relay, check: Check, wake: Wake) -> None:
        self._db = db
        self._relay = relay
        self._check = check
        self._wake = wake

    async def start(
        self, caller: Caller, computer_id: str, agent: str, workspace: str | None
    ) -> sessions.Session:
        """A session of an agent in a folder of a computer, which waits for prompts; a computer that
        sleeps is woken for it."""
        await _work(remote_access.get, self._db, caller, computer_id)
        await self._wake(caller, computer_id)
        computer = await _work(remote_access.get, self._db, caller, computer_id)
        if computer.status != "active":
            raise Conflict(f"This computer is not ready: {computer.status}.", code="not_active")
        await _work(self._check, caller, computer.owner_id, agent)
        new = await _work(sessions.begin, self._db, caller, computer, agent)
        question = Start(
            session=new.session_id, agent=agent, workspace=workspace, by=caller.principal_id
        )
        try:
            await session_streams.ask(self._relay, caller, computer_id, question)
        except StationmasterError:
            await _work(sessions.end, self._db, caller.org_id, new.session_id, "failed")
            raise
        return await _work(sessions.started, self._db, caller.org_id, new)

    async def prompt(self, caller: Caller, computer_id: str, session_id: str, text: str) -> None:
        """Give the agent of a session a prompt."""
        computer, session = await self._living(caller, computer_id, session_id)
        if not text.strip() or len(msgspec.json.encode(text)) > PROMPT_BYTES_MAX:
            raise BadRequest(
                f"A prompt is not empty and has at most {PROMPT_BYTES_MAX:,} bytes as JSON.",
                code="invalid_prompt",
            )
        await _work(self._check, caller, computer.owner_id, session.agent)
        question = Prompt(session=session_id, text=text, by=caller.principal_id)
        await session_streams.ask(self._relay, caller, computer_id, question)
        await self._record(caller, computer, session, "prompted")

    async def decide(
        self,
        caller: Caller,
        computer_id: str,
        session_id: str,
        permission: str,
        option: str | None,
    ) -> None:
        """Answer a permission request with one of its options; without one it is refused."""
        computer, session = await self._living(caller, computer_id, session_id)
        question = Decide(
            session=session_id, permission=permission, option=option, by=caller.principal_id
        )
        await session_streams.ask(self._relay, caller, computer_id, question)
        payload = {"permission": permission, "option": option}
        await self._record(caller, computer, session, "decided", payload)

    async def cancel(self, caller: Caller, computer_id: str, session_id: str) -> None:
        """Have the agent stop what it works on."""
        computer, session = await self._living(caller, computer_id, session_id)
        question = Cancel(session=session_id, by=caller.principal_id)
        await session_streams.ask(self._relay, caller, computer_id, question)
        await self._record(caller, computer, session, "cancelled")

    async def stop(self, caller: Caller, computer_id: str, session_id: str) -> None:
        """End a session and its agent; a repeated request succeeds."""
        computer, session = await _work(sessions.one, self._db, caller, computer_id, session_id)
        if session.state == "ended":
            return
        question = Stop(session=session_id, by=caller.principal_id)
        with suppress(NotFound):  # The computer may have lost it.
            await session_streams.ask(self._relay, caller, computer_id, question)
        await _work(sessions.end, self._db, caller.org_id, session_id, "stopped")
        await self._record(caller, computer, session, "stopped")

    async def watch(
        self,
        caller: Caller,
        computer_id: str,
        session_id: str,
        after: int,
        *,
        stays: bool,
        caller_now: Callable[[], Awaitable[Caller]],
        is_over: Callable[[], bool],
    ) -> AsyncIterator[Update | None]:
        """The updates of a session after a number; with `stays` also later ones, until the
        session ends, `caller_now` may no longer see it, or `is_over`. None at first, and every
        `BEAT_S`.
        """
        computer, session = await self._reached(caller, computer_id, session_id)
        question = Follow(session=session_id, after=after, stays=stays)
        updates = session_streams.follow(self._relay, caller, computer_id, question)
        is_accepted, beaten = False, time.monotonic()
        try:
            async for update in updates:
                if not is_accepted:
                    await self._record(caller, computer, session, "watched")
                is_due = time.monotonic() - beaten >= BEAT_S
                if is_due:
                    beaten = time.monotonic()
                    if not await self._may(caller_now, computer_id):
                        return
                if update is not None or is_due or not is_accepted:
                    yield update
                is_accepted = True
                if is_over():
                    return
        finally:
            await updates.aclose()  # type: ignore[attr-defined]  # it is a generator

    async def _may(self, caller_now: Callable[[], Awaitable[Caller]], computer_id: str) -> bool:
        try:
            caller = await caller_now()
            require(caller, "owner", "manager", "member")
            await _work(remote_access.get, self._db, caller, computer_id)
        except Unavailable:
            return True
        except StationmasterError:
            return False
        return True

    async def _reached(
        self, caller: Caller, computer_id: str, session_id: str
    ) -> tuple[Computer, sessions.Session]:
        reached = await _work(sessions.one, self._db, caller, computer_id, session_id)
        await _work(remote_access.get, self._db, caller, computer_id)
        return reached

    async def _living(
        self, caller: Caller, computer_id: str, session_id: str
    ) -> tuple[Computer, sessions.Session]:
        computer, session = await self._reached(caller, computer_id, session_id)
        if session.state == "ended":
            raise Conflict("This session has ended.", code="session_ended")
        return computer, session

    async def _record(
        self,
        caller: Caller,
        computer: Computer,
        session: sessions.Session,
        what: str,
        payload: dict[str, str | None] | None = None,
    ) -> None:
        event = f"computer_session_{what}"
        await _work(
            lambda: sessions.record(self._db, caller, computer, session, event, **(payload or {}))
        )


async def _work(call: Callable[[*Ts], T], *arguments: *Ts) -> T:
    return await to_thread.run_sync(call, *arguments)


def lines(updates: AsyncIterator[Update | None]) -> AsyncIterator[bytes]:
    """Each update as a line of JSON, and an empty line where there is none."""

    async def encoded() -> AsyncIterator[bytes]:
        async for update in updates:
            yield b"\n" if update is None else msgspec.json.encode(update) + b"\n"

    return encoded()


ROUND_S = 15.0
_log = logging.getLogger(__name__)


class Capping:
    """One per process: of the computers that it holds."""

    def __init__(self, db: Database, relay: Relay, check: Check) -> None:
        self._db = db
        self._relay = relay
        self._check = check
        self._cancelled: set[str] = set()

    async def run(self) -> None:
        """Check all sessions at work now and then, until cancelled."""
        while True:
            await asyncio.sleep(ROUND_S)
            try:
                await self.round()
            except StationmasterError as fault:
                _log.warning("budgets of sessions on computers are not enforced for now: %s", fault)

    async def round(self) -> None:
        """Check all of them once."""
        machines = list(self._relay.hub.machines)
        working = await to_thread.run_sync(sessions.at_work, self._db, machines) if machines else []
        self._cancelled &= {session.session_id for session in working}
        for session in working:
            with suppress(StationmasterError):  # It is checked again.
                if not await to_thread.run_sync(self._is_allowed, session):
                    await self._end(session)

    def _is_allowed(self, session: sessions.AtWork) -> bool:
        caller = operator.owner(self._db, session.org_id)
        try:
            self._check(caller, session.owner_id, session.agent)
        except Forbidden:
            return False
        return True

    async def _end(self, session: sessions.AtWork) -> None:
        is_second = session.session_id in self._cancelled
        self._cancelled.add(session.session_id)
        kind = Stop if is_second else Cancel
        caller = await to_thread.run_sync(operator.owner, self._db, session.org_id)
        question = kind(session=session.session_id, by=store.ITSELF, why="A budget is used up.")
        await session_streams.ask(self._relay, caller, session.computer_id, question)
        await to_thread.run_sync(self._record, caller, session, is_second)

    def _record(self, caller: Caller, session: sessions.AtWork, is_stopped: bool) -> None:
        if is_stopped:
            sessions.end(self._db, caller.org_id, session.session_id, "stopped")
        with self._db.transaction() as connection:
            audit.note(
                *(connection, session.org_id),
                "computer_session_stopped" if is_stopped else "computer_session_cancelled",
                *("computer", session.computer_id),
                owner_id=session.owner_id,
                session_id=session.session_id,
                cause="budget_used_up",
            )
