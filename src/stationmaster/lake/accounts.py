"""What the state of record learns of a batch that has landed, exactly once per batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Insert, delete, update

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import intake_counts, lake_days, moved_batches
from stationmaster.lake.batch import Outcome, Partition

ONE_DAY = timedelta(days=1)
KEPT_MS = 30 * days.MS_PER_DAY
"""How long a landed batch is remembered: far longer than any claim is left unfinished."""


def settle(
    state: Database,
    batch_id: str,
    outcomes: Mapping[Outcome, int],
    partitions: Collection[Partition],
    late: Collection[Partition] = (),
) -> bool:
    """Count a batch's outcomes and mark its days, in one transaction; False if it was done before.

    After a day in `late` the next one, if it is stored, is marked, too: it leaves out copies of
    what came late on the day before. Call it when the parts are durable: a day marked earlier
    could be rolled up without them.
    """
    with state.transaction() as connection:
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
        if partitions:
            connection.execute(_land(state), _landings(partitions))
        for org_id, day in sorted(late):
            connection.execute(
                update(lake_days)
                .where(lake_days.c.org_id == org_id, lake_days.c.day == str(day + ONE_DAY))
                .values(landed=lake_days.c.landed + 1)
            )
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


def _land(state: Database) -> Insert:
    return state.insert(lake_days).on_conflict_do_update(
        index_elements=["org_id", "day"], set_={"landed": lake_days.c.landed + 1}
    )


def _landings(partitions: Collection[Partition]) -> list[dict[str, Any]]:
    return [
        {"org_id": org_id, "day": day.isoformat(), "landed": 1, "rolled": 0}
        for org_id, day in sorted(partitions)
    ]


def forget_old(state: Database) -> None:
    """Forget the batches that landed over KEPT_MS ago. Call it when no old claim is unfinished."""
    with state.transaction() as connection:
        connection.execute(
            delete(moved_batches).where(moved_batches.c.moved_at < clock.now_ms() - KEPT_MS)
        )
