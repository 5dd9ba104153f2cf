"""Buckets that several processes share: what one takes, the others miss."""

from __future__ import annotations

import threading

import pytest

from stationmaster.access.signing_in.buckets import CLEAN_S, Buckets, Sharing
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from tests.access.signing_in.clocks import Elapsed


class Process:
    """A process with buckets of one kind, whose own clock stands still."""

    def __init__(self, db: Database, size: int = 10, kind: str = "requests") -> None:
        self.clock = Elapsed()
        self.buckets = Buckets(kind, size, 3_600, self.clock)
        self.sharing = Sharing(db, [self.buckets], self.clock)

    def take(self, count: int, name: str = "ada") -> int:
        """How many of so many attempts were let through."""
        return sum(self.buckets.take(name)[0] for _ in range(count))

    def left(self, name: str = "ada") -> int:
        """Rounded, because the database's clock runs on."""
        was_taken, [level] = self.buckets.take(name)
        if was_taken:
            self.buckets.give_back(name)
        return round(level + was_taken)


def stored(db: Database) -> list[tuple[object, ...]]:
    return db.rows("SELECT bucket, level FROM buckets ORDER BY bucket")


def test_what_one_took_the_other_misses_from_its_next_exchange_on(db: Database) -> None:
    one, other = Process(db), Process(db)
    assert (one.take(6), other.take(1)) == (6, 1)
    one.sharing.exchange()
    other.sharing.exchange()
    assert (one.left(), other.left()) == (4, 3)


def test_together_they_give_what_there_is_and_what_was_taken_between_two_exchanges(
    db: Database,
) -> None:
    processes = [Process(db) for _ in range(3)]
    given = 0
    for _ in range(10):
        for process in processes:
            given += process.take(1)
            process.sharing.exchange()
    assert 10 <= given <= 10 + 2


def test_what_was_given_twice_is_owed_by_everyone(db: Database) -> None:
    one, other = Process(db), Process(db)
    assert (one.take(10), other.take(10)) == (10, 10)
    for process in (one, other, one):
        process.take(1)
        process.sharing.exchange()
    assert (one.left(), other.left()) == (0, -10)

    third = Process(db)
    third.take(1)
    third.sharing.exchange()
    assert third.left() == -10  # One whole bucket, and never more.
    assert round(third.buckets.wait_s(third.left())) == 11 * 360


def test_what_is_given_back_is_there_for_the_other(db: Database) -> None:
    one, other = Process(db), Process(db)
    one.take(5)
    one.sharing.exchange()
    for _ in range(3):
        one.buckets.give_back("ada")
    one.sharing.exchange()
    other.take(1)
    other.sharing.exchange()
    assert other.left() == 7


def test_time_refills_by_the_clock_of_the_database(db: Database) -> None:
    one = Process(db)
    one.take(10)
    one.sharing.exchange()
    with db.transaction() as connection:
        connection.exec_driver_sql("UPDATE buckets SET at = at - 720")
    other = Process(db)
    other.take(1)
    other.sharing.exchange()
    assert other.left() == 1


@pytest.mark.parametrize("jump_s", [-86_400, 86_400])
def test_a_clock_that_jumps_by_a_day_locks_nobody_out(db: Database, jump_s: int) -> None:
    one = Process(db)
    one.take(4)
    one.sharing.exchange()
    with db.transaction() as connection:
        connection.exec_driver_sql(f"UPDATE buckets SET at = at - ({jump_s})")
    one.take(1)
    one.sharing.exchange()
    assert one.left() == (5 if jump_s < 0 else 9)


def test_nothing_is_asked_where_nothing_was_taken(db: Database) -> None:
    one = Process(db)
    one.take(1)
    one.buckets.give_back("ada")
    one.sharing.exchange()
    assert stored(db) == []


def test_kinds_and_names_keep_to_themselves_and_are_not_told(db: Database) -> None:
    one, other = Process(db), Process(db, kind="sign-in")
    one.take(10)
    one.take(10, "bob")
    one.sharing.exchange()
    other.take(1)
    other.sharing.exchange()
    assert other.left() == 9
    assert len(stored(db)) == 3
    assert not any("ada" in str(row) or "bob" in str(row) for row in stored(db))


def test_a_full_bucket_is_forgotten(db: Database) -> None:
    one = Process(db)
    one.take(1)
    one.take(10, "bob")
    one.sharing.exchange()
    with db.transaction() as connection:
        connection.exec_driver_sql("UPDATE buckets SET at = at - 400")
    one.clock.now += CLEAN_S + 1
    one.take(1, "eve")
    one.sharing.exchange()
    assert [level for _, level in stored(db)].count(0) == 1
    assert len(stored(db)) == 2


def test_what_could_not_be_told_is_told_later(db: Database) -> None:
    one, other = Process(db), Process(db)
    one.take(4)
    with db.transaction() as connection:
        connection.exec_driver_sql("ALTER TABLE buckets RENAME TO lost")
    with pytest.raises(Exception, match="buckets"):
        one.sharing.exchange()
    assert one.take(1) == 1
    with db.transaction() as connection:
        connection.exec_driver_sql("ALTER TABLE lost RENAME TO buckets")
    one.sharing.exchange()
    other.take(1)
    other.sharing.exchange()
    assert (one.left(), other.left()) == (5, 4)


def test_many_who_exchange_at_once_neither_lose_a_count_nor_lock_each_other(
    database_url: str,
) -> None:
    databases = [Database.open(database_url) for _ in range(4)]
    faults: list[StationmasterError] = []

    def work(db: Database) -> None:
        process = Process(db, size=10_000)
        for n in range(10):
            for name in range(20):
                process.take(1, str((name * 7 + n) % 20))
            try:
                process.sharing.exchange()
            except StationmasterError as fault:
                faults.append(fault)

    threads = [threading.Thread(target=work, args=(db,)) for db in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    levels = [float(str(level)) for _, level in stored(databases[0])]
    # Some 2.8 a second come back meanwhile.
    assert all(10_000 - 40 <= level < 10_000 for level in levels)
    assert len(levels) == 20
    for db in databases:
        db.close()
