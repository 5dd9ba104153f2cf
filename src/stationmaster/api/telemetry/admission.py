"""Admission of telemetry: while others wait for too long, a sender is asked to send again later.

A sender that is refused immediately loses nothing and may try elsewhere; one that waits until it
gives up sends the same again, and the server has worked for nothing. So it is time that is bounded,
not a number of requests, whatever is slow: decoding, the database, the disk.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import NoReturn, TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

from stationmaster.api import blocking
from stationmaster.errors import Unavailable
from stationmaster.lake.inbox import RETRY_AFTER_S

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PATIENCE_S = 1.0
"""How long a body may have waited for its turn, and the first inside when another arrives."""
SLOW_AT_ONCE = 2
"""Bodies that are decoded in threads at a time: more would take the interpreter from the loop."""
LOG_EVERY_S = 10.0
"""One line of the log is for all refusals of so long."""

_log = logging.getLogger(__name__)


class Overloaded(Unavailable):
    """Telemetry arrives faster than it can be accepted; the sender may try again later."""

    code = "overloaded"


class Admission:
    """One per event loop, and used by that alone."""

    def __init__(self) -> None:
        self._since: dict[object, float] = {}
        self._quick = asyncio.Lock()
        self._slow = asyncio.Semaphore(SLOW_AT_ONCE)
        self._senders: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._refused = 0
        self._log_at = 0.0

    def check(self) -> None:
        """Raise Overloaded while a request inside has waited for too long."""
        if (since := next(iter(self._since.values()), None)) is not None:
            self._be_patient(since)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A time that should be short; `check` refuses others while it is not."""
        request = object()
        self._since[request] = time.monotonic()
        try:
            yield
        finally:
            del self._since[request]

    async def turn(self, call: Callable[[*Ts], T], *args: *Ts, sender: str | None) -> T:
        """Run what decodes a body when those before it are done: a quick one, which names no
        sender, in the loop, others in threads. Raises Overloaded when it had to wait for too long.

        What a large body takes to decode is its own time: it delays no quick one, and the next
        large one of the same sender alone.
        """
        since = time.monotonic()
        if sender is not None:
            async with AsyncExitStack() as turns:
                try:
                    async with asyncio.timeout(PATIENCE_S):
                        own = self._senders.setdefault(sender, asyncio.Lock())
                        await turns.enter_async_context(own)
                        await turns.enter_async_context(self._slow)
                except TimeoutError:
                    self._refuse()
                self._be_patient(since)
                return await blocking.work(call, *args)
        self.check()
        with self.inside():
            async with self._quick:
                # The loop looks around between two. Otherwise it would first decode all that had
                # arrived, and accept a single connection, of which it takes one a round,
                # afterwards.
                await asyncio.sleep(0)
                self._be_patient(since)
                return call(*args)

    def _be_patient(self, since: float) -> None:
        if time.monotonic() - since > PATIENCE_S:
            self._refuse()

    def _refuse(self) -> NoReturn:
        self._refused += 1
        if (now := time.monotonic()) >= self._log_at:
            _log.warning("overloaded: %d requests refused since the last message", self._refused)
            self._refused, self._log_at = 0, now + LOG_EVERY_S
        raise Overloaded(
            "Telemetry arrives faster than it can be accepted; send this again later.",
            retry_after_s=RETRY_AFTER_S,
        )
