"""Whose turn it is: few children at a time, and not all of them for one organization."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_S = 0.25


class Turns:
    """At most `total` holders at a time, of each key at most `per_key`."""

    def __init__(self, total: int, per_key: int) -> None:
        self._total = total
        self._per_key = per_key
        self._held: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def of(
        self, key: str, wait_s: float | None = None, look: Callable[[], None] = lambda: None
    ) -> Iterator[bool]:
        """Hold a turn, once there is one; False where there is none after `wait_s`.

        `look` is called several times a second meanwhile, and may raise.
        """
        until = None if wait_s is None else time.monotonic() + wait_s
        with self._changed:
            while not self._is_free(key):
                if until is not None and time.monotonic() >= until:
                    break
                look()
                self._changed.wait(_LOOK_S)
            is_mine = self._is_free(key)
            self._held[key] += is_mine
        try:
            yield is_mine
        finally:
            with self._changed:
                self._held[key] -= is_mine
                self._held += Counter()  # Drops keys without a holder.
                self._changed.notify_all()

    def _is_free(self, key: str) -> bool:
        return self._held.total() < self._total and self._held[key] < self._per_key
