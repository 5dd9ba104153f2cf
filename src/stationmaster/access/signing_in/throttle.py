"""How often somebody may fail: buckets that all processes share.

An attempt is counted before it is made and given back when it succeeds, so that many at once count
as many.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from stationmaster.access.signing_in.buckets import Buckets
from stationmaster.errors import RateLimited


class Throttle:
    """`attempts` in `window_s` for each name, refilled evenly; safe to share between threads."""

    def __init__(
        self,
        kind: str,
        attempts: int,
        window_s: int,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.buckets = Buckets(kind, attempts, window_s, elapsed_s)

    def take(self, name: str) -> None:
        """Count one attempt. Raises RateLimited, counting nothing, when none is left."""
        is_taken, [left] = self.buckets.take(name)
        if not is_taken:
            wait = max(1, math.ceil(self.buckets.wait_s(left)))
            raise RateLimited(
                f"Too many attempts that failed; try again in {wait} s.", retry_after_s=wait
            )

    def give_back(self, name: str) -> None:
        """Undo one `take`: the attempt succeeded."""
        self.buckets.give_back(name)
