"""The door for telemetry: who comes while others wait for too long is asked to come back later.

A sender that is refused at once loses nothing and may try elsewhere; one that waits until it gives
up sends the same again, and the server has worked for nothing. So it is time that is bounded, not
a number of requests, whatever is slow: decoding, the database, the disk.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar, TypeVarTuple

from stationmaster.api import blocking
from stationmaster.errors import Unavailable
from stationmaster.lake.inbox import RETRY_AFTER_S

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PATIENCE_S = 1.0
"""How long a body may have waited for its turn, and the first inside when another comes."""
SLOW_AT_ONCE = 2
"""Bodies that are decoded in threads at a time: more would take the interpreter from the loop."""
TOLD_EVERY_S = 10.0
"""One line of the log is for all refusals of so long."""

_log = logging.getLogger(__name__)


class Overloaded(Unavailable):
    code = "overloaded"


class Door:
    """One per event loop, and used by that alone."""

    def __init__(self) -> None:
        self._since: dict[object, float] = {}
        self._quick = asyncio.Lock()
        self._slow = asyncio.Semaphore(SLOW_AT_ONCE)
        self._refused = 0
        self._tell_at = 0.0

    def check(self) -> None:
        """Raise Overloaded while somebody inside has waited for too long."""
        since = next(iter(self._since.values()), None)
        if since is not None and time.monotonic() - since > PATIENCE_S:
            self._refuse()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """The time from a body's last byte until it is durable. Raises as `check`."""
        self.check()
        guest = object()
        self._since[guest] = time.monotonic()
        try:
            yield
        finally:
            del self._since[guest]

    async def turn(self, call: Callable[[*Ts], T], *args: *Ts, quick: bool) -> T:
        """Run what decodes a body when those before it are done: a quick one in the loop, others
        in threads. Raises Overloaded when it had to wait for too long.

        The loop looks around between two of them. Otherwise it would first decode all that had
        come, and accept a single connection, of which it takes one a round, afterwards.
        """
        since = time.monotonic()
        async with self._quick if quick else self._slow:
            await asyncio.sleep(0)
            if time.monotonic() - since > PATIENCE_S:
                self._refuse()
            return call(*args) if quick else await blocking.work(call, *args)

    def _refuse(self) -> NoReturn:
        self._refused += 1
        if (now := time.monotonic()) >= self._tell_at:
            _log.warning("overloaded: %d requests refused since last told", self._refused)
            self._refused, self._tell_at = 0, now + TOLD_EVERY_S
        raise Overloaded(
            "Telemetry arrives faster than it is taken; send this again later.",
            retry_after_s=RETRY_AFTER_S,
        )
