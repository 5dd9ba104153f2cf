"""From the inbox to the lake: claim rows, write parts, account for them once, delete the rows.

Every step can be repeated. Claimed rows carry a batch id, which names the parts; the batch is
accounted for in the transaction that records its id; its rows are deleted last. So a mover that
dies between any two steps leaves a batch that any other can finish: at its start it finishes
every claim that it finds, later those older than LEASE_MS. One mover at a time finishes a batch.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

import pyarrow as pa
from sqlalchemy import delete, null, select, update

from stationmaster import clock, ids
from stationmaster.access import marks
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import inbox as inbox_table
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.lake import accounts, compaction, entries, horizon
from stationmaster.lake.batch import Batch, ends_late
from stationmaster.lake.storage import Lake, Partition
from stationmaster.settings import Settings

LEASE_MS = 60_000
"""How long a batch of another living mover is left alone."""
BATCH_ROWS_MAX = 2_000
BATCH_BYTES_MAX = 2 * 2**20
"""Compressed bytes after which a batch takes no further row: some 30,000 events."""
GATHER_S = 2.0
"""How long rows wait for others, so that parts are few."""
_POLL_S = 0.2
_RETRY_S = 5.0
_FOREIGN_WAIT_S = 2.0
_FOREIGN_MAX_S = 60.0
_CORRUPT = "corrupt:"

_log = logging.getLogger(__name__)


def landing_name(batch_id: str) -> str:
    """What who writes the parts of a batch holds alone."""
    return f"landing {batch_id}"


class Moved(NamedTuple):
    """The result of one batch."""

    rows: int
    events: int
    parts: int
    seconds: float


class Mover:
    """Moves what any process has put into the inbox. Safe to use from several threads.

    `moved` is called with every batch that has landed, and with None when storage refused one.
    """

    def __init__(
        self,
        inbox: Database,
        state: Database,
        settings: Settings,
        moved: Callable[[Moved | None], None] = lambda _: None,
    ) -> None:
        self._inbox = inbox
        self._state = state
        self._lake = Lake.open(settings)
        self._earliest_day = settings.earliest_day or date.min
        self._moved = moved
        self._lock = threading.Lock()
        self._has_started = False
        self._claimed: set[str] = set()
        self._held: dict[str, str] = {}

    def run(self, stop: threading.Event) -> None:
        """Move until it is stopped. Storage faults are logged and tried again."""
        waiting_since: float | None = None
        while not stop.wait(_POLL_S):
            try:
                is_large, is_any = self._waiting()
                if not is_any:
                    waiting_since = None
                    continue
                waiting_since = waiting_since or time.monotonic()
                if is_large or time.monotonic() - waiting_since >= GATHER_S:
                    self.move()
                    waiting_since = None
            except (StationmasterError, OSError) as fault:
                outages.log_failure(_log, "moving to the lake", fault)
                self._moved(None)
                # Where only some organizations are refused, the others need not wait.
                if not self._held:
                    stop.wait(_RETRY_S)

    def move(self, org_id: str | None = None) -> int:
        """Finish what was begun, then move one new batch; returns how many events it held.

        Raises Unavailable or OSError when storage refuses; the batch is then finished later. One
        organization that is refused keeps no other from its turn.
        """
        with self._lock:
            fault = self._finish_begun(org_id)
            batch_id = self._claim(org_id)
            moved = self._finish(batch_id, is_new=True) if batch_id is not None else 0
        if fault is not None:
            raise fault
        return moved

    def drain(self, org_id: str | None = None) -> None:
        """Return once all that was accepted before this call, of one organization or all, is in
        the lake. Raises as `move` does.
        """
        until = int(self._inbox.rows("SELECT coalesce(max(id), 0) FROM inbox")[0][0])
        if not self._has_started:
            self.move(org_id)
        give_up = time.monotonic() + _FOREIGN_WAIT_S
        while batches := self._batches_up_to(until, org_id):
            if None in batches:
                self.move(org_id)
                continue
            # Only batches that other movers have claimed are left: wait a little, then finish those
            # that no mover is landing.
            if time.monotonic() > give_up:
                with self._lock:
                    for batch_id in batches:
                        if batch_id is not None:
                            self._finish(batch_id)
            if time.monotonic() > give_up + _FOREIGN_MAX_S:
                raise Unavailable("Another process takes long to store telemetry; try again.")
            time.sleep(0.02)

    def _claim(self, org_id: str | None) -> str | None:
        batch_id = f"{clock.now_ms():013d}_{ids.new('b')}"
        waiting = (
            select(inbox_table.c.id, inbox_table.c.size)
            .where(inbox_table.c.batch_id.is_(None))
            .where(inbox_table.c.org_id.not_in(self._held.values()))
            .order_by(inbox_table.c.id)
            .limit(BATCH_ROWS_MAX)
            .with_for_update(skip_locked=True)
        )
        if org_id is not None:
            waiting = waiting.where(inbox_table.c.org_id == org_id)
        with self._inbox.transaction() as connection:
            taken: list[int] = []
            size = 0
            for row_id, row_size in connection.execute(waiting):
                if taken and size + row_size > BATCH_BYTES_MAX:
                    break
                taken.append(row_id)
                size += row_size
            if not taken:
                return None
            connection.execute(
                update(inbox_table).where(inbox_table.c.id.in_(taken)).values(batch_id=batch_id)
            )
        self._claimed.add(batch_id)
        return batch_id

    def _finish(self, batch_id: str, *, is_new: bool = False) -> int:
        """How many events a batch held; 0 where nothing is left of it, or another is landing it."""
        with self._state.alone(landing_name(batch_id), wait=False) as is_mine:
            return self._finish_alone(batch_id, is_new=is_new) if is_mine else 0

    def _finish_alone(self, batch_id: str, *, is_new: bool) -> int:
        began = time.perf_counter()
        batch = self._read(batch_id)
        if not batch.row_ids:
            self._claimed.discard(batch_id)
            return 0
        tables: dict[Partition, pa.Table] = {}
        # Counted, and its rows not deleted yet: its parts may be merged or rewritten by now.
        if is_new or not accounts.is_settled(self._state, batch_id):
            tables = self._land_all(batch_id, batch, is_new=is_new)
        self._remove(batch_id, batch.corrupt_ids)
        self._claimed.discard(batch_id)
        self._held.pop(batch_id, None)
        for partition in tables:
            self._compact(partition)
        events: int = sum(table.num_rows for table in tables.values())
        seconds = time.perf_counter() - began
        self._moved(Moved(len(batch.row_ids), events, len(tables), seconds))
        return events

    def _land_all(self, batch_id: str, batch: Batch, *, is_new: bool) -> dict[Partition, pa.Table]:
        # Read while the batch is ours alone: an erasure waits for that before it reads parts.
        batch.leave_out({org: marks.read(self._state, org) for org in batch.organizations})
        closed = {org: horizon.closed_through(self._state, org) for org in batch.organizations}
        self._refuse(batch_id, batch, {o: d for o, d in closed.items() if d}, is_new=is_new)
        try:
            while (tables := self._land(batch_id, batch)) is None:
                pass
        except (StationmasterError, OSError):
            self._part(batch_id, batch)
            raise
        return tables

    def _land(self, batch_id: str, batch: Batch) -> dict[Partition, pa.Table] | None:
        """Write a batch's parts and account for them; None when a day was closed meanwhile."""
        tables = batch.tables()
        parts = self._lake.write_each(batch_id, tables)
        late = [(org, day) for (org, day), table in tables.items() if ends_late(day, table)]
        try:
            accounts.settle(
                self._state,
                batch_id,
                batch.outcomes(),
                parts,
                late,
                self._earliest_day,
                batch.senders(),
            )
        except accounts.Closed as closed:
            self._refuse(batch_id, batch, closed.through, is_new=False)
            return None
        return tables

    def _part(self, batch_id: str, batch: Batch) -> None:
        """Give each organization whose parts were refused a batch of its own, to fail alone.

        Until that has landed nothing else of the organization is claimed.
        """
        refused = {
            org
            for org, day in batch.tables()
            if not self._lake.files.exists(self._lake.path(org, day, batch_id))
        }
        if refused == batch.organizations and len(refused) == 1:
            self._held[batch_id] = refused.pop()
            return
        own = {org: f"{batch_id[:13]}_{ids.new('b')}" for org in sorted(refused)}
        with self._inbox.transaction() as connection:
            for org, own_id in own.items():
                connection.execute(
                    update(inbox_table)
                    .where(inbox_table.c.batch_id == batch_id, inbox_table.c.org_id == org)
                    .values(batch_id=own_id)
                )
        self._claimed.update(own.values())
        self._held.update((own_id, org) for org, own_id in own.items())

    def _refuse(
        self, batch_id: str, batch: Batch, closed: Mapping[str, date], *, is_new: bool
    ) -> None:
        """Leave closed days out, and erase what was written of them before they were closed."""
        for org, day in batch.refuse(closed):
            if not is_new:
                path = self._lake.path(org, day, batch_id)
                self._lake.files.delete(path)
                # A rollup may have entered it as it was found.
                with self._state.transaction() as connection:
                    entries.remove(connection, org, day, [path.rpartition("/")[2]])

    def _compact(self, partition: Partition) -> None:
        """Look whether parts are to be merged, once in a while, and alone."""
        if accounts.unmerged(self._state, partition) < compaction.PARTS_MAX:
            return
        with self._state.alone(horizon.partition_name(*partition), wait=False) as is_mine:
            # Asked again, because another may have merged them just now.
            written = accounts.unmerged(self._state, partition)
            if not is_mine or written < compaction.PARTS_MAX:
                return
            # A backup copies the parts that its copy of the state names: they stay until then.
            with self._state.alone(horizon.ERASING, wait=False) as is_free:
                if is_free:
                    compaction.compact(self._state, self._lake, *partition)
                    accounts.merged(self._state, partition, written)

    def _read(self, batch_id: str) -> Batch:
        columns = inbox_table.c
        query = (
            select(columns.id, columns.org_id, columns.tally, columns.payload)
            .where(columns.batch_id == batch_id)
            .order_by(columns.id)
        )
        batch = Batch()
        with self._inbox.reading() as connection:
            for row_id, org_id, tally, payload in connection.execute(query):
                batch.add(row_id, org_id, tally, payload)
        return batch

    def _remove(self, batch_id: str, corrupt_ids: list[int]) -> None:
        """Delete a batch's rows; those that do not decode stay, out of everybody's way."""
        with self._inbox.transaction() as connection:
            if corrupt_ids:
                connection.execute(
                    update(inbox_table)
                    .where(inbox_table.c.id.in_(corrupt_ids))
                    .values(batch_id=_CORRUPT + batch_id, first_day=null())
                )
            connection.execute(delete(inbox_table).where(inbox_table.c.batch_id == batch_id))

    def _finish_begun(self, org_id: str | None) -> Exception | None:
        """Finish all that was begun; the first fault that concerns the organization, or any."""
        first: Exception | None = None
        claims = self._inbox.rows(
            "SELECT DISTINCT batch_id FROM inbox WHERE batch_id IS NOT NULL"
            " AND batch_id NOT LIKE ?",
            _CORRUPT + "%",
        )
        lapsed = clock.now_ms() - LEASE_MS
        for (batch_id,) in claims:
            is_mine = batch_id in self._claimed or not self._has_started
            if is_mine or int(batch_id[:13]) <= lapsed:
                try:
                    self._finish(batch_id)
                except (StationmasterError, OSError) as fault:
                    if org_id in (None, self._held.get(batch_id, org_id)):
                        first = first or fault
        if not self._has_started and first is None:
            accounts.delete_old(self._state)
            self._has_started = True
        return first

    def _waiting(self) -> tuple[bool, bool]:
        """Is a whole batch waiting? Is anything? Own claims count: they are to be finished."""
        size, rows = self._inbox.rows(
            "SELECT coalesce(sum(size), 0), count(*) FROM"
            " (SELECT size FROM inbox WHERE batch_id IS NULL ORDER BY id"
            f" LIMIT {BATCH_ROWS_MAX}) AS waiting"
        )[0]
        is_large = size >= BATCH_BYTES_MAX or rows >= BATCH_ROWS_MAX
        return is_large, bool(rows) or bool(self._claimed) or not self._has_started

    def _batches_up_to(self, row_id: int, org_id: str | None) -> list[str | None]:
        """The claims of waiting rows up to an id; None means those that are not claimed."""
        sql = (
            "SELECT DISTINCT batch_id FROM inbox WHERE id <= ?"
            " AND (batch_id IS NULL OR batch_id NOT LIKE ?)"
        )
        params: tuple[object, ...] = (row_id, _CORRUPT + "%")
        if org_id is not None:
            sql += " AND org_id = ?"
            params += (org_id,)
        return [batch_id for (batch_id,) in self._inbox.rows(sql, *params)]
