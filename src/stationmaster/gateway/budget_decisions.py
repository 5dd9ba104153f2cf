"""Decisions about budgets. Those that wait at one moment share a transaction, which is most of
their price, with the costs of calls that have ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from stationmaster import clock, ids
from stationmaster.db.engine import Database
from stationmaster.db.quick import Busy
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.ids import OrgId
from stationmaster.limits.admission import Admission
from stationmaster.limits.budgets import Call, Cost
from stationmaster.limits.holds import SWEPT_AT_ONCE, Hold, Ledger, Refusal

LIVES_MS = 120_000
"""How long a hold lives when it is not renewed: so long a killed process keeps others from room."""
WAITING_MAX = 10_000
ENDED_MAX = 100_000
"""Calls that have ended and could not be counted yet."""
SOON_S = 0.01
"""How long the costs of ended calls may wait for a decision that it can be stored with."""
RETRY_S = 1.0
_BATCH_MAX = 64
_log = logging.getLogger(__name__)
T = TypeVar("T")


class _PendingDecision(NamedTuple):
    """A decision that a call waits for."""

    org: OrgId
    work: Callable[[Admission], Any]
    future: asyncio.Future[Any]
    undo: Callable[[Any], None] | None = None
    """Takes the answer where no caller waits for it any longer."""


class _Ended(NamedTuple):
    """The cost of a call; without a hold where none could be had."""

    call: Call
    hold_id: str | None
    actual: Cost


class _Batch(NamedTuple):
    """Of one organization."""

    org: OrgId
    ended: list[_Ended]
    pending: list[_PendingDecision]


class _Outcome(NamedTuple):
    answers: list[tuple[_PendingDecision, Any]]
    """Each with its answer, or with its error."""
    again: list[_Ended]
    """What could not be counted yet."""


class BudgetDecisions:
    """Made within the event loop that waits for it, and used there alone; `owner` of its holds is
    this process.

    On SQLite a transaction takes less than to ask a thread for it, so it is made in the loop unless
    another one is at work; else, and on PostgreSQL, by a thread. Of one process, what has ended is
    counted before what begins after it.
    """

    def __init__(self, db: Database, reset_day: int) -> None:
        self._ledger = Ledger(db, reset_day)
        self._loop = asyncio.get_running_loop()
        self._owner = ids.new("gateway")
        self._waiting: list[_PendingDecision] = []
        self._ended: list[_Ended] = []
        self._timer: asyncio.Handle | None = None
        self._is_soon = False
        self._is_busy = False
        self._thread = ThreadPoolExecutor(1, "budget_decisions")

    async def admit(
        self, call: Call, cost: Cost, *, floor: Cost, tail: Cost, request_id: str
    ) -> Hold | Refusal:
        """See `Admission.admit`. Raises Unavailable."""

        def work(admission: Admission) -> Any:
            return admission.admit(
                *(call, cost),
                owner=self._owner,
                lives_ms=LIVES_MS,
                request_id=request_id,
                floor=floor,
                tail=tail,
            )

        def undo(answer: Any) -> None:
            if isinstance(answer, str):
                self.settle(call, answer, Cost())

        answer = await self._decide(call.org, work, undo)
        expires_at = clock.now_ms() + LIVES_MS
        if isinstance(answer, str):
            return Hold(answer, expires_at)
        return await asyncio.to_thread(self._ledger.answered, answer, expires_at)

    async def refusal(self, call: Call, cost: Cost, request_id: str) -> str | None:
        """Why there is no room for a cost, in words; None where there is, or where that is
        unknown."""
        try:
            answer = await self.admit(call, cost, floor=Cost(), tail=Cost(), request_id=request_id)
        except Unavailable:
            return None
        if isinstance(answer, Refusal):
            return answer.message
        self.settle(call, answer.id, Cost())
        return None

    async def extend(self, org: OrgId, hold_id: str, more: Cost, floor: Cost) -> bool:
        """Hold more, live on, and note what the call has cost so far. Raises Unavailable."""

        def work(admission: Admission) -> bool:
            is_extended = admission.extend(hold_id, more, lives_ms=LIVES_MS)
            admission.note(hold_id, floor)
            return is_extended

        return await self._decide(org, work)

    def settle(self, call: Call, hold_id: str | None, actual: Cost) -> None:
        """Count what a call cost and end its hold, soon; again and again while the database is
        away."""
        if len(self._ended) >= ENDED_MAX:
            _log.error("a call could not be counted: too many wait for the database")
            return
        self._ended.append(_Ended(call, hold_id, actual))
        if self._timer is None:
            self._timer = self._loop.call_later(SOON_S, self._turn)

    def sweep(self) -> None:
        """Charge the floor of all holds that have expired, of all processes."""
        while self._ledger.sweep() == SWEPT_AT_ONCE:
            pass

    async def close(self, patience_s: float) -> None:
        """Count what has ended, as long as that may take, then stop."""
        give_up = self._loop.time() + patience_s
        while (self._ended or self._is_busy) and self._loop.time() < give_up:
            self._turn()
            await asyncio.sleep(SOON_S)
        if self._ended:
            _log.error("%d calls could not be counted", len(self._ended))
        await asyncio.to_thread(self._thread.shutdown)

    async def _decide(
        self, org: OrgId, work: Callable[[Admission], T], undo: Callable[[Any], None] | None = None
    ) -> T:
        if len(self._waiting) >= WAITING_MAX:
            raise Unavailable("Too many calls wait for their budgets.", retry_after_s=1)
        future: asyncio.Future[T] = self._loop.create_future()
        self._waiting.append(_PendingDecision(org, work, future, undo))
        if not self._is_soon and not self._is_busy:
            # After all else that has arrived in this moment.
            self._is_soon = True
            self._loop.call_soon(self._turn)
        return await future

    def _turn(self) -> None:
        """Decide on what waits."""
        self._is_soon = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_busy or not (self._waiting or self._ended):
            return
        batch = self._next_batch()
        try:
            self._deliver(self._together(batch, wait=False))
        except Busy:
            self._is_busy = True
            done = self._loop.run_in_executor(self._thread, self._together, batch)
            done.add_done_callback(self._back)

    def _back(self, done: asyncio.Future[_Outcome]) -> None:
        self._is_busy = False
        self._deliver(done.result())

    def _deliver(self, outcome: _Outcome) -> None:
        for decision, answer in outcome.answers:
            if decision.future.done():
                if decision.undo is not None:
                    decision.undo(answer)
            elif isinstance(answer, Exception):
                decision.future.set_exception(answer)
            else:
                decision.future.set_result(answer)
        self._ended[:0] = outcome.again
        if self._waiting or (self._ended and not outcome.again):
            self._is_soon = True
            self._loop.call_soon(self._turn)
        elif self._ended and self._timer is None:
            self._timer = self._loop.call_later(RETRY_S, self._turn)

    def _next_batch(self) -> _Batch:
        """What waits of the organization that waits longest, up to a size."""
        org = self._waiting[0].org if self._waiting else self._ended[0].call.org
        ended = [call for call in self._ended if call.call.org == org]
        pending = [decision for decision in self._waiting if decision.org == org]
        left = [call for call in self._ended if call.call.org != org]
        self._ended = ended[_BATCH_MAX:] + left
        others = [decision for decision in self._waiting if decision.org != org]
        self._waiting = others + pending[_BATCH_MAX:]
        return _Batch(org, ended[:_BATCH_MAX], pending[:_BATCH_MAX])

    def _together(self, batch: _Batch, *, wait: bool = True) -> _Outcome:
        """Decide in one transaction, or in one for each where that fails. Raises Busy without
        `wait`, when nothing was decided."""
        org, ended, pending = batch
        try:
            opened = self._ledger.admission if wait else self._ledger.admission_at_once
            with opened(org) as admission:
                admission.settle({call.hold_id: call.actual for call in ended if call.hold_id})
                for call in ended:
                    if call.hold_id is None:
                        admission.charge(call.call, call.actual)
                answers = [(decision, decision.work(admission)) for decision in pending]
            return _Outcome(answers, [])
        except Busy:
            raise
        except StationmasterError as fault:
            return _Outcome([(decision, fault) for decision in pending], ended)
        except Exception as fault:
            if not wait:
                raise Busy from fault
            # Each waiting call must get the error, and other calls must not be affected.
            _log.exception("a decision about budgets failed")
            if len(ended) + len(pending) <= 1:
                return _Outcome([(decision, fault) for decision in pending], [])
            alone = [_Batch(org, [call], []) for call in ended]
            alone += [_Batch(org, [], [decision]) for decision in pending]
            parts = [self._together(part) for part in alone]
            return _Outcome(
                [answer for part in parts for answer in part.answers],
                [call for part in parts for call in part.again],
            )
