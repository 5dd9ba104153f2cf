"""Decisions about budgets, made by one thread of the process: those that wait at one moment share a
transaction, which is most of their price.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from stationmaster import clock, ids
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.ids import OrgId
from stationmaster.limits.budgets import Call, Cost
from stationmaster.limits.desk import Desk
from stationmaster.limits.holds import SWEPT_AT_ONCE, Hold, Ledger, Refusal

LIVES_MS = 120_000
"""How long a hold lives when nobody renews it: so long a killed process keeps others from room."""
WAITING_MAX = 10_000
_BATCH_MAX = 64
_log = logging.getLogger(__name__)
T = TypeVar("T")


class _Task(NamedTuple):
    org: OrgId
    work: Callable[[Desk], Any]
    future: asyncio.Future[Any]


class Clerk:
    """Made within the event loop that waits for it; `owner` of its holds is this process."""

    def __init__(self, db: Database, reset_day: int) -> None:
        self._ledger = Ledger(db, reset_day)
        self._loop = asyncio.get_running_loop()
        self._owner = ids.new("gateway")
        self._waiting: deque[_Task] = deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="clerk", daemon=True)
        self._thread.start()

    async def admit(
        self, call: Call, cost: Cost, *, floor: Cost, tail: Cost, request_id: str
    ) -> Hold | Refusal:
        """See `Desk.admit`. Raises Unavailable."""
        answer = await self._do(
            call.org,
            lambda desk: desk.admit(
                *(call, cost),
                owner=self._owner,
                lives_ms=LIVES_MS,
                request_id=request_id,
                floor=floor,
                tail=tail,
            ),
        )
        expires_at = clock.now_ms() + LIVES_MS
        if isinstance(answer, str):
            return Hold(answer, expires_at)
        return await asyncio.to_thread(self._ledger.answered, answer, expires_at)

    async def extend(self, org: OrgId, hold_id: str, more: Cost, floor: Cost) -> bool:
        """Hold more, live on, and note what the call has cost so far. Raises Unavailable."""

        def work(desk: Desk) -> bool:
            is_extended = desk.extend(hold_id, more, lives_ms=LIVES_MS)
            desk.note(hold_id, floor)
            return is_extended

        return await self._do(org, work)

    async def settle(self, org: OrgId, hold_id: str, actual: Cost) -> None:
        """See `Desk.settle`. Raises Unavailable."""
        await self._do(org, lambda desk: desk.settle(hold_id, actual))

    async def charge(self, call: Call, actual: Cost, request_id: str) -> None:
        """Count a call that was made while nothing could be held. Raises Unavailable."""

        def work(desk: Desk) -> None:
            hold_id = desk.admit(
                *(call, Cost()),
                owner=self._owner,
                lives_ms=LIVES_MS,
                request_id=request_id,
            )
            if isinstance(hold_id, str):
                desk.settle(hold_id, actual)

        await self._do(call.org, work)

    def sweep(self) -> None:
        """Charge the floor of all holds that have expired, whoever they were of."""
        while self._ledger.sweep() == SWEPT_AT_ONCE:
            pass

    def close(self) -> None:
        """Do what waits, then stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    async def _do(self, org: OrgId, work: Callable[[Desk], T]) -> T:
        future: asyncio.Future[T] = self._loop.create_future()
        with self._changed:
            if self._is_closed or len(self._waiting) >= WAITING_MAX:
                raise Unavailable("Too many calls wait for their budgets.", retry_after_s=1)
            self._waiting.append(_Task(org, work, future))
            self._changed.notify()
        return await future

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._is_closed:
                    self._changed.wait()
                if not self._waiting:
                    return
                size = min(len(self._waiting), _BATCH_MAX)
                batch = [self._waiting.popleft() for _ in range(size)]
            by_org: dict[OrgId, list[_Task]] = {}
            for task in batch:
                by_org.setdefault(task.org, []).append(task)
            for org, tasks in by_org.items():
                self._loop.call_soon_threadsafe(_deliver, self._together(org, tasks))

    def _together(self, org: OrgId, tasks: list[_Task]) -> list[tuple[_Task, Any]]:
        """Each task with its answer, or with what went wrong."""
        try:
            with self._ledger.desk(org) as desk:
                return [(task, task.work(desk)) for task in tasks]
        except StationmasterError as fault:
            return [(task, fault) for task in tasks]
        except Exception as fault:
            # The thread must live on, and whoever waits must hear of it.
            _log.exception("a decision about budgets failed")
            if len(tasks) == 1:
                return [(tasks[0], fault)]
            return [each for task in tasks for each in self._together(org, [task])]


def _deliver(answers: list[tuple[_Task, Any]]) -> None:
    for task, answer in answers:
        if task.future.done():
            continue
        if isinstance(answer, Exception):
            task.future.set_exception(answer)
        else:
            task.future.set_result(answer)
