"""Token buckets: how much may be taken at a time, refilled evenly.

They are kept in this process's memory, so that taking queries no database; `Sharing` lets all
processes take from the same ones: now and then each reports to the database what it took, and reads
what is left. Between two times of that a process may give what another has given already. What was
given beyond a bucket is owed: its level falls below zero, down to one whole bucket.
`Throttle` limits failed attempts. An attempt is counted before it is made and given back
when it succeeds, so that many at the same time count as many.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import blake2b

from sqlalchemy import text

from stationmaster.db.engine import Database
from stationmaster.errors import RateLimited

BUCKETS_MAX = 100_000
"""Of one kind, above which the least recently used are dropped here: to their owners' favour."""
EXCHANGE_S = 0.5
"""How often what was taken is exchanged with other processes."""
CLEAN_S = 60.0


class _Bucket:
    __slots__ = ("at", "level", "taken")

    def __init__(self, level: float, at: float) -> None:
        self.level = level
        self.at = at
        self.taken = 0
        """Since the last exchange with the other processes."""


class Buckets:
    """Those of one kind: each holds `size` and is refilled in `window_s`. Safe between threads.

    `elapsed_s` is a clock that never stops or runs backwards, regardless of the time of day.
    """

    def __init__(
        self,
        kind: str,
        size: int,
        window_s: int,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind = kind
        self.size = size
        self.per_second = size / window_s
        self._elapsed_s = elapsed_s
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._touched: set[str] = set()

    def take(self, *names: str) -> tuple[bool, list[float]]:
        """Take one from each bucket, or nothing where one is empty; whether it was, and what is
        left in each, in their order.
        """
        with self._lock:
            now = self._elapsed_s()
            buckets = [self._bucket(name, now) for name in names]
            is_enough = all(bucket.level >= 1 for bucket in buckets)
            if is_enough:
                for bucket in buckets:
                    bucket.level -= 1
                    bucket.taken += 1
                self._touched.update(names)
            return is_enough, [bucket.level for bucket in buckets]

    def give_back(self, *names: str) -> None:
        """Undo one `take` of the same names."""
        with self._lock:
            now = self._elapsed_s()
            for name in names:
                bucket = self._bucket(name, now)
                bucket.level = min(bucket.level + 1, self.size)
                bucket.taken -= 1
            self._touched.update(names)

    def wait_s(self, level: float) -> float:
        """Seconds until one more can be taken from a bucket of that level."""
        return max(0.0, 1 - level) / self.per_second

    def collect(self) -> dict[str, int]:
        """What was taken since the last call, by name; who reports it calls `adopt` or `keep`."""
        with self._lock:
            taken = {}
            for name in self._touched:
                bucket = self._buckets.get(name)
                if bucket is not None and bucket.taken:
                    taken[name], bucket.taken = bucket.taken, 0
            self._touched.clear()
            return taken

    def adopt(self, name: str, level: float) -> None:
        """Take over the level of all processes together, as it was with all that `collect`
        returned.
        """
        with self._lock:
            bucket = self._buckets.get(name)
            if bucket is not None:
                bucket.level = min(level - bucket.taken, self.size)
                bucket.at = self._elapsed_s()

    def keep(self, taken: dict[str, int]) -> None:
        """Have `collect` return the same again: it was not delivered."""
        with self._lock:
            for name, count in taken.items():
                if name in self._buckets:
                    self._buckets[name].taken += count
                    self._touched.add(name)

    def _bucket(self, name: str, now: float) -> _Bucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = _Bucket(float(self.size), now)
            if len(self._buckets) > BUCKETS_MAX:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(name)
        bucket.level = min(bucket.level + (now - bucket.at) * self.per_second, self.size)
        bucket.at = now
        return bucket


_ROWS = {
    "sqlite": """
        SELECT json_extract(value, '$[0]') AS bucket, json_extract(value, '$[1]') AS size,
            json_extract(value, '$[2]') AS per_second, json_extract(value, '$[3]') AS taken
        FROM json_each(:takings)""",
    "postgresql": """
        SELECT value ->> 0 AS bucket, (value ->> 1)::float AS size,
            (value ->> 2)::float AS per_second, (value ->> 3)::float AS taken
        FROM json_array_elements(CAST(:takings AS json)) AS listed(value)""",
}
_WORDS = {
    # The database's own clock, because it is the same for everyone.
    "sqlite": {"now": "(julianday('now') - 2440587.5) * 86400", "least": "min", "most": "max"},
    "postgresql": {
        "now": "extract(epoch FROM clock_timestamp())::float",
        "least": "least",
        "most": "greatest",
    },
}
_EXCHANGE = """
INSERT INTO buckets (bucket, size, per_second, level, at)
SELECT bucket, size, per_second, size - taken, {now} FROM ({rows}) AS takings WHERE true
ON CONFLICT (bucket) DO UPDATE SET
    size = excluded.size, per_second = excluded.per_second, at = excluded.at,
    level = {most}(-excluded.size, {least}(excluded.size,
        buckets.level + excluded.per_second * {most}(0, excluded.at - buckets.at)
    ) - (excluded.size - excluded.level))
RETURNING bucket, level
"""
_CLEAN = """
DELETE FROM buckets WHERE bucket IN (
    SELECT bucket FROM buckets WHERE level + per_second * ({now} - at) >= size {unless_locked})
"""


class Sharing:
    """Lets all processes on one database take from the same buckets. One per process."""

    def __init__(
        self,
        db: Database,
        kinds: Iterable[Buckets],
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db = db
        self._kinds = tuple(kinds)
        self._elapsed_s = elapsed_s
        self._clean_at = elapsed_s() + CLEAN_S
        words = _WORDS[db.dialect]
        locked = "FOR UPDATE SKIP LOCKED" if db.dialect == "postgresql" else ""
        self._exchange = text(_EXCHANGE.format(**words, rows=_ROWS[db.dialect]))
        self._clean = text(_CLEAN.format(**words, unless_locked=locked))

    def exchange(self) -> None:
        """Report what was taken here and read what is left; queries nothing where nothing was
        taken.

        Raises what a failing database raises; then all of it is exchanged the next time.
        """
        taken = [(kind, kind.collect()) for kind in self._kinds]
        owners = {
            _digest(kind.kind, name): (kind, name, count)
            for kind, counts in taken
            for name, count in counts.items()
        }
        if not owners:
            return
        # In one order, so that two processes never wait for each other's rows.
        levels = [
            (bucket, kind.size, kind.per_second, count)
            for bucket, (kind, _, count) in sorted(owners.items(), key=lambda one: one[0])
        ]
        try:
            with self._db.transaction() as connection:
                left = connection.execute(self._exchange, {"takings": json.dumps(levels)}).all()
        except BaseException:
            for kind, counts in taken:
                kind.keep(counts)
            raise
        for bucket, level in left:
            kind, name, _ = owners[bucket]
            kind.adopt(name, level)
        self._clean_now_and_then()

    def _clean_now_and_then(self) -> None:
        """Delete the buckets that are full: without a row they are full, too."""
        if self._elapsed_s() >= self._clean_at:
            self._clean_at = self._elapsed_s() + CLEAN_S
            with self._db.transaction() as connection:
                connection.execute(self._clean)


def _digest(kind: str, name: str) -> str:
    """Who signs in wrongly is nothing to keep: e-mail addresses and networks are not stored."""
    return blake2b(f"{kind}\0{name}".encode(errors="replace"), digest_size=16).hexdigest()


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
                f"Too many failed attempts; try again in {wait} s.", retry_after_s=wait
            )

    def give_back(self, name: str) -> None:
        """Undo one `take`: the attempt succeeded."""
        self.buckets.give_back(name)
