"""What is entered in the state database for a batch that has landed, exactly once per batch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import Insert, Update, bindparam, delete, update

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import intake_counts, lake_days, lake_partitions, moved_batches
from stationmaster.lake import entries, horizon
from stationmaster.lake.batch import Outcome
from stationmaster.lake.senders import Senders
from stationmaster.lake.storage import Partition, WrittenPart

ONE_DAY = timedelta(days=1)
KEPT_MS = 30 * days.MS_PER_DAY
"""How long a landed batch is remembered: far longer than any claim is left unfinished."""


class Closed(Exception):
    """Days of the batch have been closed since it was read. Nothing was counted."""

    def __init__(self, through: Mapping[str, date]) -> None:
        """`through` has the horizon of each organization."""
        super().__init__("a day of the batch has been closed")
        self.through = through


def settle(
    state: Database,
    batch_id: str,
    outcomes: Mapping[Outcome, int],
    parts: Mapping[Partition, WrittenPart],
    late: Collection[Partition] = (),
    earliest: date = date.min,
    sent: Senders | None = None,
) -> bool:
    """Count a batch's outcomes, enter its parts and mark its days, in one transaction; False if it
    was done before.

    Days before `earliest` are not marked: no report needs them. After a day in `late` the next
    one, if it is stored, is marked, too: it leaves out copies of what arrived late on the day
    before. `sent` is who sent the batch. Call it when the parts are durable: a day marked earlier
    could be rolled up without them. Raises Closed.
    """
    partitions = parts.keys()
    with state.transaction() as connection:
        through = horizon.hold(connection, {org for org, _ in partitions})
        if any(day <= through.get(org, date.min) for org, day in partitions):
            raise Closed(through)
        remembered = connection.execute(
            state.insert(moved_batches)
            .values(batch_id=batch_id, moved_at=clock.now_ms())
            .on_conflict_do_nothing()
            .returning(moved_batches.c.batch_id)
        ).first()
        if remembered is None:
            return False
        # Sorted, so that two movers never wait for each other's rows.
        if outcomes:
            connection.execute(_count(state), _counts(outcomes))
        if sent is not None:
            sent.store(state, connection)
        if partitions:
            connection.execute(_note(state), _notes(partitions))
            entries.enter(connection, {where: [part] for where, part in parts.items()})
        partition_days = {(org, day) for org, day in partitions if day >= earliest}
        after = {(org, day + ONE_DAY) for org, day in late}
        # In the order in which the publisher of a day locks the rows of days, too.
        for has_landed, run in groupby(
            sorted(partition_days | after), key=partition_days.__contains__
        ):
            some = list(run)
            connection.execute(*(_landed(state, some) if has_landed else _marked(some)))
    return True


def _count(state: Database) -> Insert:
    counted = state.insert(intake_counts)
    return counted.on_conflict_do_update(
        index_elements=["org_id", "day", "product", "source", "outcome"],
        set_={"count": intake_counts.c.count + counted.excluded["count"]},
    )


def _counts(outcomes: Mapping[Outcome, int]) -> list[dict[str, Any]]:
    names = ("org_id", "day", "product", "source", "outcome", "count")
    return [dict(zip(names, (*key, outcomes[key]), strict=True)) for key in sorted(outcomes)]


def _note(state: Database) -> Insert:
    return state.insert(lake_partitions).on_conflict_do_update(
        index_elements=["org_id", "day"], set_={"parts": lake_partitions.c.parts + 1}
    )


def _notes(partitions: Collection[Partition]) -> list[dict[str, Any]]:
    return [
        {"org_id": org_id, "day": day.isoformat(), "since": clock.now_ms(), "parts": 1}
        for org_id, day in sorted(partitions)
    ]


def is_settled(state: Database, batch_id: str) -> bool:
    """Was a batch counted? Then its parts are in the lake, or merged or erased since."""
    return bool(state.rows("SELECT 1 FROM moved_batches WHERE batch_id = ?", batch_id))


def unmerged(state: Database, partition: Partition) -> int:
    """How many parts were written into a partition since `merged` was last called."""
    org_id, day = partition
    rows = state.rows(
        "SELECT parts FROM lake_partitions WHERE org_id = ? AND day = ?", org_id, day.isoformat()
    )
    return int(rows[0][0]) if rows else 0


def merged(state: Database, partition: Partition, parts: int) -> None:
    """Take off parts that a compaction has read."""
    org_id, day = partition
    with state.transaction() as connection:
        connection.execute(
            update(lake_partitions)
            .where(lake_partitions.c.org_id == org_id, lake_partitions.c.day == day.isoformat())
            .values(parts=lake_partitions.c.parts - parts)
        )


def _landed(state: Database, partitions: Iterable[Partition]) -> tuple[Insert, list[Any]]:
    counted = state.insert(lake_days).on_conflict_do_update(
        index_elements=["org_id", "day"], set_={"landed": lake_days.c.landed + 1}
    )
    return counted, [
        {"org_id": org_id, "day": day.isoformat(), "landed": 1, "rolled": 0}
        for org_id, day in partitions
    ]


def _marked(partitions: Iterable[Partition]) -> tuple[Update, list[Any]]:
    marked = (
        update(lake_days)
        .where(lake_days.c.org_id == bindparam("of"), lake_days.c.day == bindparam("on"))
        .values(landed=lake_days.c.landed + 1)
    )
    return marked, [{"of": org_id, "on": day.isoformat()} for org_id, day in partitions]


def delete_old(state: Database) -> None:
    """Delete the batches that landed over KEPT_MS ago. Call it when no old claim is unfinished."""
    with state.transaction() as connection:
        connection.execute(
            delete(moved_batches).where(moved_batches.c.moved_at < clock.now_ms() - KEPT_MS)
        )
