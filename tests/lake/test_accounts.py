"""What is told of a batch, while others tell of theirs and days are published."""

from __future__ import annotations

import threading
import time
from datetime import date

from stationmaster.db.engine import Database
from stationmaster.lake import accounts
from stationmaster.lake.storage import WrittenPart

ORG = "org_a"
FIRST, SECOND, LAST = date(2026, 11, 10), date(2026, 11, 11), date(2026, 11, 15)
LOCK = "SELECT day FROM lake_days WHERE org_id = %s AND day = %s FOR UPDATE"


def settle(db: Database, batch: str, *days: date, late: tuple[date, ...] = ()) -> None:
    parts = {(ORG, day): WrittenPart(f"part-{batch}.parquet", 1, 1, "0" * 64) for day in days}
    accounts.settle(db, batch, {}, parts, [(ORG, day) for day in late])


def landed(db: Database) -> dict[str, int]:
    return dict(db.rows("SELECT day, landed FROM lake_days WHERE org_id = ?", ORG))


def test_the_day_after_a_late_one_is_marked_once_if_it_is_stored(db: Database) -> None:
    settle(db, "one", FIRST, late=(FIRST,))
    assert landed(db) == {str(FIRST): 1}
    settle(db, "two", FIRST, SECOND, LAST, late=(FIRST, LAST))
    settle(db, "three", FIRST, late=(FIRST,))
    assert landed(db) == {str(FIRST): 3, str(SECOND): 2, str(LAST): 1}


def test_days_are_locked_in_their_order_so_that_nobody_waits_in_a_circle(db: Database) -> None:
    if db.dialect == "sqlite":
        return  # A writing transaction is the only one.
    settle(db, "one", FIRST, SECOND, LAST)
    settling = threading.Thread(
        target=settle,
        args=(
            db,
            "two",
            FIRST,
            LAST,
        ),
        kwargs={"late": (FIRST,)},
    )
    with db.transaction() as connection:
        connection.exec_driver_sql(LOCK, (ORG, str(SECOND)))
        settling.start()
        while not db.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
            time.sleep(0.01)
        # It waits for the second day, and does not have the last one yet.
        assert connection.exec_driver_sql(f"{LOCK} SKIP LOCKED", (ORG, str(LAST))).all()
    settling.join()
    assert landed(db) == {str(FIRST): 2, str(SECOND): 2, str(LAST): 2}
