"""The durable append: a delivery is acknowledged when the database has committed it to disk.

One writer thread commits whatever has queued in one transaction, so that the price of a sync is
shared by all who wait for it. Any number of processes may append to the same inbox.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from datetime import date

from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.lake import rows
from stationmaster.lake.rows import Delivery, InboxRow
from stationmaster.settings import Settings

COMMIT_ROWS_MAX = 512
COMMIT_BYTES_MAX = 32 * 2**20
"""Uncompressed bytes after which a commit takes no further row."""
QUEUE_ROWS_MAX = 8192
QUEUE_BYTES_MAX = 128 * 2**20
"""Uncompressed bytes that may wait for the writer in memory."""
RETRY_AFTER_S = 5
_RECOUNT_S = 1.0
_TOGETHER_S = 0.002
"""Where several share a commit, those that an event loop takes within so long wake the writer once:
each time it takes the interpreter from the loop."""
_STOPPED = Unavailable("The server is stopping; send this again.", code="stopping")

_log = logging.getLogger(__name__)
_Done = Callable[[Unavailable | None], object]
"""Called by the writer once a delivery is durable, or with why storage refused it."""
_Waiting = tuple[InboxRow, _Done]
_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'inbox'"
_INSERT = "INSERT INTO inbox (org_id, first_day, size, tally, payload) VALUES (?, ?, ?, ?, ?)"


def open_database(settings: Settings, state: Database | None = None) -> Database:
    """The database of the inbox: on SQLite a file of its own, made when missing; on PostgreSQL that
    of the state, which is used where it is open already.
    """
    if state is not None and state.dialect == "postgresql":
        return state
    database = Database.open(settings.inbox_url)
    if database.dialect == "sqlite" and not database.rows(_HAS_TABLE):
        # Loaded for the first start alone: it brings the whole query builder along.
        from stationmaster.db.migrations import create_inbox

        with database.transaction() as connection:
            create_inbox(connection)
    return database


class Inbox:
    """The inbox of every organization. Safe to use from any thread; a process opens its own.

    `backlog_max` bounds the compressed bytes that wait for the mover. `committed` is called with
    every commit: how many rows it made durable, none where storage refused, and the seconds it
    took.
    """

    def __init__(
        self,
        database: Database,
        backlog_max: int,
        committed: Callable[[int, float], None] = lambda _rows, _seconds: None,
    ) -> None:
        self.database = database
        self._committed = committed
        self._backlog_max = backlog_max
        self._queue: deque[_Waiting] = deque()
        self._queued_bytes = 0
        self._closed = False
        self._is_shared = False
        """Had the last commit several deliveries? A single sender does not wait for others."""
        self._wakes_soon = False
        self._changed = threading.Condition()
        self._stored_bytes = self._count_stored()
        self._recount_at = time.monotonic() + _RECOUNT_S
        self._writer = threading.Thread(target=self._write, name="inbox-writer", daemon=True)
        self._writer.start()

    @classmethod
    def open(cls, settings: Settings, state: Database | None = None) -> Inbox:
        """The inbox of an installation, with its writer running."""
        return cls(open_database(settings, state), settings.inbox_backlog_max)

    @property
    def backlog_bytes(self) -> int:
        """About how many compressed bytes wait for the mover, of all processes."""
        return self._stored_bytes

    @property
    def queued(self) -> int:
        """How many deliveries wait for a commit of this process."""
        return len(self._queue)

    @property
    def is_writing(self) -> bool:
        """Does the thread live that commits?"""
        return self._writer.is_alive()

    def append(self, delivery: Delivery) -> Future[None]:
        """Queue one delivery. The future is done once it is durable; it cannot be cancelled.

        Raises Unavailable `writer_behind` immediately when too much waits already. The future fails
        with Unavailable when storage refuses; then nothing of the delivery is kept.
        """
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()

        def settle(refusal: Unavailable | None) -> None:
            if refusal is None:
                future.set_result(None)
            else:
                future.set_exception(refusal)

        if self._put(delivery, settle):
            self._wake()
        return future

    async def store(self, delivery: Delivery) -> None:
        """`append` for an event loop: returns once the delivery is durable, and raises what the
        future would. It costs a fifth of a wrapped future.
        """
        # What only collects need not load it.
        from asyncio import get_running_loop

        loop = get_running_loop()
        stored = loop.create_future()

        def settle(refusal: Unavailable | None) -> None:
            if stored.done():
                return  # No caller waits any more.
            if refusal is None:
                stored.set_result(None)
            else:
                stored.set_exception(refusal)

        def done(refusal: Unavailable | None) -> None:
            with suppress(RuntimeError):  # The loop has ended.
                loop.call_soon_threadsafe(settle, refusal)

        if self._put(delivery, done):
            if not self._is_shared:
                self._wake()
            elif not self._wakes_soon:
                self._wakes_soon = True
                loop.call_later(_TOGETHER_S, self._wake)
        await stored

    def _wake(self) -> None:
        self._wakes_soon = False
        with self._changed:
            self._changed.notify()

    def _put(self, delivery: Delivery, done: _Done) -> bool:
        """Queue a delivery; False for an empty one, which is done immediately."""
        if not delivery.events and not delivery.tally:
            done(None)
            return False
        row = rows.of_delivery(delivery)
        with self._changed:
            self._admit(row)
            self._queue.append((row, done))
            self._queued_bytes += _plain_size(row)
        return True

    def pending(self, org_id: str, last_day: date) -> bool:
        """Does any accepted event of the organization, up to that UTC day, wait for the mover?"""
        return bool(
            self.database.rows(
                "SELECT 1 FROM inbox WHERE org_id = ? AND first_day <= ? LIMIT 1",
                org_id,
                last_day.isoformat(),
            )
        )

    def close(self) -> None:
        """Commit what was queued, then stop. Later appends fail."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._writer.join()
        self.database.close()

    def _admit(self, row: InboxRow) -> None:
        if self._closed:
            raise _STOPPED
        is_full = (
            len(self._queue) >= QUEUE_ROWS_MAX
            or self._queued_bytes + _plain_size(row) > QUEUE_BYTES_MAX
            or self._stored_bytes > self._backlog_max
        )
        # One delivery of any size is let into an empty queue: it could never be accepted otherwise.
        if is_full and (self._queue or self._stored_bytes > self._backlog_max):
            raise Unavailable(
                "Telemetry arrives faster than it is stored; send this again later.",
                code="writer_behind",
                retry_after_s=RETRY_AFTER_S,
            )

    def _write(self) -> None:
        while True:
            waiting = self._next_commit()
            if waiting:
                began = time.perf_counter()
                self._committed(self._store(waiting), time.perf_counter() - began)
            elif self._closed:
                return
            self._recount_when_due()

    def _next_commit(self) -> list[_Waiting]:
        with self._changed:
            if not self._queue and not self._closed:
                self._changed.wait(_RECOUNT_S)
            taken: list[_Waiting] = []
            size = 0
            while self._queue and len(taken) < COMMIT_ROWS_MAX and size < COMMIT_BYTES_MAX:
                taken.append(self._queue.popleft())
                size += _plain_size(taken[-1][0])
            self._queued_bytes -= size
            self._is_shared = len(taken) > 1
            return taken

    def _store(self, waiting: list[_Waiting]) -> int:
        """How many became durable: all or none."""
        try:
            stored = [_stored(row) for row, _ in waiting]
            self.database.write(_INSERT, stored)
        except Exception as fault:
            # Each sender must get the error, of whatever kind, and the next commit may succeed.
            _log.warning("inbox commit of %d deliveries failed: %s", len(waiting), fault)
            for _, done in waiting:
                done(_refusal(fault))
            return 0
        self._stored_bytes += sum(size for _, _, size, _, _ in stored)
        for _, done in waiting:
            done(None)
        return len(waiting)

    def _recount_when_due(self) -> None:
        """Read what the movers and other processes have done; never for over 2 % of the time."""
        started = time.monotonic()
        if started < self._recount_at:
            return
        try:
            self._stored_bytes = self._count_stored()
        except StationmasterError as fault:
            _log.warning("counting the inbox failed: %s", fault)
        ended = time.monotonic()
        self._recount_at = ended + max(_RECOUNT_S, 50 * (ended - started))

    def _count_stored(self) -> int:
        return int(self.database.rows("SELECT coalesce(sum(size), 0) FROM inbox")[0][0])


def _plain_size(row: InboxRow) -> int:
    return len(row.tally) + (len(row.plain) if row.plain is not None else 0)


def _stored(row: InboxRow) -> tuple[str, str | None, int, bytes, bytes | None]:
    """The values of `_INSERT`."""
    payload = None if row.plain is None else rows.compress(row.plain)
    size = len(row.tally) + (len(payload) if payload is not None else 0)
    return row.org_id, row.first_day, size, row.tally, payload


def _refusal(fault: Exception) -> Unavailable:
    if isinstance(fault, Unavailable):
        return Unavailable(
            fault.detail, code=fault.code, retry_after_s=fault.retry_after_s, internal=str(fault)
        )
    return Unavailable("The delivery could not be stored; try again.", code="storage_unavailable")
