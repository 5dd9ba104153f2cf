"""Request limits: a token bucket per key and one per organization, which all processes share.

A bucket holds a minute's worth of requests and refills evenly. Told to clients with the
structured fields `RateLimit-Policy` and `RateLimit` (IETF httpapi ratelimit headers), and by a
setting with the older X-RateLimit-* (Reset in seconds from now).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from stationmaster.access.signing_in.buckets import Buckets
from stationmaster.errors import RateLimited

WINDOW_S = 60


class LimitReached(RateLimited):
    """A refusal that carries the RateLimit fields of its answer."""

    def __init__(self, detail: str, *, retry_after_s: int, fields: dict[str, str]) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.fields = fields


class Limiter:
    """One kind of request. A limit of 0 turns it off."""

    def __init__(
        self,
        kind: str,
        per_minute: int,
        *,
        with_legacy_fields: bool = False,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_minute = per_minute
        self.buckets = Buckets(kind, per_minute, WINDOW_S, elapsed_s)
        self._with_legacy_fields = with_legacy_fields
        self._policy = ", ".join(
            f'"{name}";q={per_minute};w={WINDOW_S}' for name in ("key", "organization")
        )

    def take(self, key_id: str, org_id: str) -> dict[str, str]:
        """Count one request; the header fields that tell what is left.

        Raises RateLimited, counting nothing, when either bucket is empty.
        """
        if not self.per_minute:
            return {}
        is_taken, [key_left, org_left] = self.buckets.take(f"{org_id}/{key_id}", org_id)
        if not is_taken:
            wait = math.ceil(self.buckets.wait_s(min(key_left, org_left)))
            raise LimitReached(
                f"More than {self.per_minute} requests a minute; try again in {wait} s.",
                retry_after_s=wait,
                fields=self._fields(key_left, org_left),
            )
        return self._fields(key_left, org_left)

    def give_back(self, key_id: str, org_id: str) -> None:
        """Undo one `take`: an answer that cost nothing (304) does not count."""
        if self.per_minute:
            self.buckets.give_back(f"{org_id}/{key_id}", org_id)

    def _fields(self, key_left: float, org_left: float) -> dict[str, str]:
        key_full_s = math.ceil((self.per_minute - key_left) * WINDOW_S / self.per_minute)
        org_full_s = math.ceil((self.per_minute - org_left) * WINDOW_S / self.per_minute)
        left = (
            f'"key";r={max(0, int(key_left))};t={key_full_s}, '
            f'"organization";r={max(0, int(org_left))};t={org_full_s}'
        )
        fields = {"RateLimit-Policy": self._policy, "RateLimit": left}
        if self._with_legacy_fields:
            fields["X-RateLimit-Limit"] = str(self.per_minute)
            fields["X-RateLimit-Remaining"] = str(max(0, int(min(key_left, org_left))))
            fields["X-RateLimit-Reset"] = str(max(key_full_s, org_full_s))
        return fields
