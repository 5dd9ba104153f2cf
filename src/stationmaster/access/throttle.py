"""How often somebody may fail: buckets in this process's memory, like those of requests.

An attempt is counted before it is made and given back when it succeeds, so that many at once count
as many.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from stationmaster.errors import RateLimited

BUCKETS_MAX = 100_000
"""Above this many the least recently used are forgotten."""


class Throttle:
    """`attempts` in `window_s` for each name, refilled evenly; safe to share between threads.

    `elapsed_s` is a clock that never stands still or goes back, whatever the time of day says.
    """

    def __init__(
        self, attempts: int, window_s: int, elapsed_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._attempts = attempts
        self._window_s = window_s
        self._elapsed_s = elapsed_s
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> None:
        """Count one attempt. Raises RateLimited, counting nothing, when none is left."""
        now = self._elapsed_s()
        with self._lock:
            left = self._left(name, now)
            if left < 1:
                wait = max(1, math.ceil((1 - left) * self._window_s / self._attempts))
                raise RateLimited(
                    f"Too many attempts that failed; try again in {wait} s.", retry_after_s=wait
                )
            self._put(name, left - 1, now)

    def give_back(self, name: str) -> None:
        """Undo one `take`: the attempt succeeded."""
        now = self._elapsed_s()
        with self._lock:
            self._put(name, min(self._left(name, now) + 1, self._attempts), now)

    def _left(self, name: str, now: float) -> float:
        left, since = self._buckets.get(name, (float(self._attempts), now))
        return min(left + (now - since) * self._attempts / self._window_s, self._attempts)

    def _put(self, name: str, left: float, now: float) -> None:
        self._buckets[name] = (left, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > BUCKETS_MAX:
            self._buckets.popitem(last=False)
