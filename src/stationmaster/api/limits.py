"""Request limits: a token bucket per key and one per organization, in this process's memory.

A bucket holds a minute's worth of requests and refills evenly. Told to clients with the
structured fields `RateLimit-Policy` and `RateLimit` (IETF httpapi ratelimit headers), and by a
setting with the older X-RateLimit-* (Reset in seconds from now).
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from stationmaster.errors import RateLimited

WINDOW_S = 60
BUCKETS_MAX = 100_000
"""Above this many the least recently used are forgotten, which can only favour their owners."""


class LimitReached(RateLimited):
    """A refusal that carries the RateLimit fields of its answer."""

    def __init__(self, detail: str, *, retry_after_s: int, fields: dict[str, str]) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.fields = fields


class Limiter:
    """One kind of request. A limit of 0 turns it off.

    `elapsed_s` is a clock that never stands still or goes back, whatever the time of day says.
    """

    def __init__(
        self,
        per_minute: int,
        *,
        with_legacy_fields: bool = False,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_minute = per_minute
        self._with_legacy_fields = with_legacy_fields
        self._elapsed_s = elapsed_s
        self._buckets: OrderedDict[str, list[float]] = OrderedDict()
        self._policy = ", ".join(
            f'"{name}";q={per_minute};w={WINDOW_S}' for name in ("key", "organization")
        )

    def take(self, key_id: str, org_id: str) -> dict[str, str]:
        """Count one request; the header fields that tell what is left.

        Raises RateLimited, counting nothing, when either bucket is empty.
        """
        if not self.per_minute:
            return {}
        now = self._elapsed_s()
        key, org = self._bucket(key_id, now), self._bucket(org_id, now)
        if key[0] < 1 or org[0] < 1:
            wait = math.ceil((1 - min(key[0], org[0])) * WINDOW_S / self.per_minute)
            raise LimitReached(
                f"More than {self.per_minute} requests a minute; try again in {wait} s.",
                retry_after_s=wait,
                fields=self._fields(key, org),
            )
        key[0] -= 1
        org[0] -= 1
        return self._fields(key, org)

    def give_back(self, key_id: str, org_id: str) -> None:
        """Undo one `take`: an answer that cost nothing (304) does not count."""
        for name in (key_id, org_id):
            bucket = self._buckets.get(name)
            if bucket is not None:
                bucket[0] = min(bucket[0] + 1, self.per_minute)

    def _bucket(self, name: str, now: float) -> list[float]:
        """[requests left, time of the last refill in s]."""
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = [float(self.per_minute), now]
            if len(self._buckets) > BUCKETS_MAX:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(name)
        gained = (now - bucket[1]) * self.per_minute / WINDOW_S
        bucket[0] = min(bucket[0] + gained, self.per_minute)
        bucket[1] = now
        return bucket

    def _fields(self, key: list[float], org: list[float]) -> dict[str, str]:
        (key_left, _), (org_left, _) = key, org
        key_full_s = math.ceil((self.per_minute - key_left) * WINDOW_S / self.per_minute)
        org_full_s = math.ceil((self.per_minute - org_left) * WINDOW_S / self.per_minute)
        left = (
            f'"key";r={int(key_left)};t={key_full_s}, '
            f'"organization";r={int(org_left)};t={org_full_s}'
        )
        fields = {"RateLimit-Policy": self._policy, "RateLimit": left}
        if self._with_legacy_fields:
            fields["X-RateLimit-Limit"] = str(self.per_minute)
            fields["X-RateLimit-Remaining"] = str(int(min(key_left, org_left)))
            fields["X-RateLimit-Reset"] = str(max(key_full_s, org_full_s))
        return fields
