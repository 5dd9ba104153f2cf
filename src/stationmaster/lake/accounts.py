"""What the state of record learns of a batch that has landed, exactly once per batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import delete

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.db.tables import intake_counts, lake_days, moved_batches
from stationmaster.lake.batch import Outcome, Partition

KEPT_MS = 30 * days.MS_PER_DAY
"""How long a landed batch is remembered: far longer than any claim is left unfinished."""


def settle(
    state: Database,
    batch_id: str,
    outcomes: Mapping[Outcome, int],
    partitions: Collection[Partition],
) -> bool:
    """Count a batch's outcomes and mark its days, in one transaction; False if it was done before.

    Call it when the parts are durable: a day marked earlier could be rolled up without them.
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
            counted = state.insert(intake_counts)
            connection.execute(
                counted.on_conflict_do_update(
                    index_elements=["org_id", "day", "product", "source", "outcome"],
                    set_={"count": intake_counts.c.count + counted.excluded["count"]},
                ),
                [
                    {
                        "org_id": org_id,
                        "day": day,
                        "product": product,
                        "source": source,
                        "outcome": outcome,
                        "count": count,
                    }
                    for (org_id, day, product, source, outcome), count in sorted(outcomes.items())
                ],
            )
        if partitions:
            landed = state.insert(lake_days)
            connection.execute(
                landed.on_conflict_do_update(
                    index_elements=["org_id", "day"],
                    set_={"landed": lake_days.c.landed + 1},
                ),
                [
                    {"org_id": org_id, "day": day.isoformat(), "landed": 1, "rolled": 0}
                    for org_id, day in sorted(partitions)
                ],
            )
    return True


def forget_old(state: Database) -> None:
    """Forget the batches that landed over KEPT_MS ago. Call it when no old claim is unfinished."""
    with state.transaction() as connection:
        connection.execute(
            delete(moved_batches).where(moved_batches.c.moved_at < clock.now_ms() - KEPT_MS)
        )
