"""Ends what agents do on computers once a budget refuses their work.

The session stays: when there is room again, it takes prompts. One that works on although it was
cancelled is stopped.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from anyio import to_thread

from stationmaster.access import audit, operator
from stationmaster.access.model import Caller
from stationmaster.computers import session_streams, sessions
from stationmaster.computers.relay.relay import Relay
from stationmaster.computers.steering import Check
from stationmaster.computers.store import ITSELF
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, StationmasterError
from stationmaster.session_messages import Cancel, Stop

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
        """Look at all sessions at work now and then, until cancelled."""
        while True:
            await asyncio.sleep(ROUND_S)
            try:
                await self.round()
            except StationmasterError as fault:
                _log.warning("budgets of sessions on computers are not enforced for now: %s", fault)

    async def round(self) -> None:
        """Look at all of them once."""
        held = list(self._relay.hub.machines)
        working = await to_thread.run_sync(sessions.at_work, self._db, held) if held else []
        self._cancelled &= {session.session_id for session in working}
        for session in working:
            with suppress(StationmasterError):  # It is looked at again.
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
        question = kind(session=session.session_id, by=ITSELF, why="A budget is used up.")
        await session_streams.ask(self._relay, caller, session.computer_id, question)
        await to_thread.run_sync(self._record, caller, session, is_second)

    def _record(self, caller: Caller, session: sessions.AtWork, is_stopped: bool) -> None:
        if is_stopped:
            sessions.end(self._db, caller.org_id, session.session_id, "stopped")
        with self._db.transaction() as connection:
            audit.record(
                connection,
                session.org_id,
                "computer_session_stopped" if is_stopped else "computer_session_cancelled",
                by=None,
                target=audit.Target("computer", session.computer_id),
                payload={
                    "owner_id": session.owner_id,
                    "session_id": session.session_id,
                    "cause": "budget_used_up",
                },
            )
