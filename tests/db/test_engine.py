"""Transactions and reads of a database of either kind."""

from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from stationmaster.db import pools
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organizations
from stationmaster.db.tables.rollups import report_documents
from stationmaster.errors import Unavailable
from tests.db.rows import change_and_fail, names, put
from tests.support.databases import sqlite_url


def test_a_transaction_commits_when_it_is_left(db: Database) -> None:
    put(db, "acme")
    assert names(db) == ["acme"]


def test_a_transaction_rolls_back_on_any_error(db: Database) -> None:
    with pytest.raises(KeyError):
        change_and_fail(db, "INSERT INTO organizations VALUES ('org_x', 'x', 1)")
    assert names(db) == []


def test_the_version_tells_whether_anybody_committed(db: Database) -> None:
    if db.dialect == "postgresql":
        assert db.version() is None
        return
    before = db.version()
    names(db)
    assert db.version() == before

    other = Database.open(db._url)
    put(other, "acme")
    other.close()

    after = db.version()
    assert after != before
    with pytest.raises(KeyError):
        change_and_fail(db, "INSERT INTO organizations VALUES ('org_x', 'x', 1)")
    assert db.version() == after
    put(db, "beta")
    assert db.version() != after


def test_the_versions_of_two_threads_do_not_compare(db: Database) -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(db.version()))
    thread.start()
    thread.join()

    assert found == [None] if db.dialect == "postgresql" else found != [db.version()]


def test_a_broken_constraint_passes_unchanged_and_rolls_back(db: Database) -> None:
    put(db, "acme")
    with pytest.raises(IntegrityError):
        put(db, "beta", "acme")
    assert names(db) == ["acme"]


def test_an_error_of_a_statement_does_not_show_its_values(db: Database) -> None:
    with pytest.raises(IntegrityError) as failed:
        put(db, "hunter2", "hunter2")

    assert "hunter2" not in str(failed.value).partition("DETAIL")[0]


def test_a_statement_that_is_wrong_is_not_called_a_failure_of_storage(db: Database) -> None:
    with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedTable)):
        db.rows("SELECT 1 FROM nowhere")


def test_schema_changes_are_part_of_the_transaction(db: Database) -> None:
    with pytest.raises(KeyError):
        change_and_fail(db, "CREATE TABLE half_way (x TEXT)")
    with db.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE half_way (x TEXT)")


def test_a_reading_transaction_sees_one_moment(db: Database) -> None:
    put(db, "acme")
    query = select(organizations.c.name).order_by(organizations.c.name)
    with db.reading() as connection:
        before = connection.execute(query).scalars().all()
        put(db, "beta")
        after = connection.execute(query).scalars().all()
    assert before == after == ["acme"]
    assert names(db) == ["acme", "beta"]


def test_rows_sees_what_was_committed_just_before(db: Database) -> None:
    assert names(db) == []
    put(db, "acme")
    assert names(db) == ["acme"]


def test_rows_binds_question_marks_and_leaves_quoted_ones_and_percents_alone(db: Database) -> None:
    put(db, "50% off?", "50 off")
    found = db.rows(
        "SELECT name, '?', '100%' FROM organizations WHERE name LIKE '50%' AND org_id = ?",
        "org_50% off?",
    )
    assert found == [("50% off?", "?", "100%")]


def test_rows_gives_bytes_as_bytes(db: Database) -> None:
    with db.transaction() as connection:
        connection.execute(
            db.insert(report_documents).values(
                org_id="o", report="tokens", day="2026-11-20", body=b"\x00{}\xff",
                digest=b"d", revision=3,
            )
        )  # fmt: skip
    found = db.rows(
        "SELECT body, revision FROM report_documents WHERE org_id = ? AND day >= ?",
        "o",
        "2026-11-01",
    )
    assert found == [(b"\x00{}\xff", 3)]


def test_rows_cannot_write(db: Database) -> None:
    with pytest.raises((Unavailable, sqlite3.ProgrammingError)):
        db.rows("INSERT INTO organizations VALUES ('org_x', 'x', 1) RETURNING org_id")
    assert names(db) == []


def test_threads_read_and_write_at_once_and_lose_nothing(db: Database) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                put(db, f"{number}-{turn}")
                names(db)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(names(db)) == 80


def test_a_thread_takes_its_read_connection_along_when_it_ends(db: Database) -> None:
    gone: list[Any] = []

    def read() -> None:
        names(db)
        gone.append(db._readers.get().connection)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    gc.collect()
    ask = gone[0].execute if db.dialect == "sqlite" else gone[0].rows
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError)):
        ask("SELECT 1", ())


def test_who_goes_on_with_a_closed_database_leaves_no_connection_open(db: Database) -> None:
    used: list[Any] = []
    with db.transaction() as connection:
        used.append(connection.connection.driver_connection)
        db.close()
    with db.reading() as connection:
        used.append(connection.connection.driver_connection)
    if db.dialect == "postgresql":
        names(db)
        assert db._few_readers._idle == []

    for connection in used:
        with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError)):
            connection.execute("SELECT 1")


def test_insert_updates_on_conflict_on_both_databases(db: Database) -> None:
    put(db, "acme")
    statement = db.insert(organizations).values(org_id="org_acme", name="new", created_at=2)
    with db.transaction() as connection:
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["org_id"], set_={"name": statement.excluded.name}
            )
        )
    assert db.rows("SELECT org_id, name, created_at FROM organizations") == [("org_acme", "new", 1)]


class TestStream:
    SQL = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        SELECT i, 'some text that takes a little memory in every row' FROM n
    """

    def test_gives_every_row_in_order(self, db: Database) -> None:
        assert [i for i, _ in db.stream(self.SQL, 5_000)] == list(range(1, 5_001))

    def test_holds_few_rows_in_memory(self, db: Database) -> None:
        next(iter(db.stream(self.SQL, 10)))
        tracemalloc.start()
        try:
            assert sum(1 for _ in db.stream(self.SQL, 100_000)) == 100_000
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 3_000_000

    def test_may_be_left_early(self, db: Database) -> None:
        rows = db.stream(self.SQL, 100_000)
        assert isinstance(rows, Iterator)
        assert next(rows)[0] == 1
        rows.close()  # type: ignore[attr-defined]  # it is a generator
        put(db, "acme")
        assert names(db) == ["acme"]


def test_more_transactions_than_connections_are_unavailable(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "POOL", {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.05})
    database = Database.open(database_url)
    with (
        database.reading(),
        pytest.raises(Unavailable, match="at the same time"),
        database.transaction(),
    ):
        pass
    with database.transaction():
        pass
    database.close()


def test_written_rows_are_all_there_or_none(db: Database) -> None:
    statement = "INSERT INTO moved_batches (batch_id, moved_at) VALUES (?, ?)"
    db.write(statement, [("a", 1), ("b", 2)])

    with pytest.raises(Exception, match=r"(?i)unique"):
        db.write(statement, [("c", 3), ("a", 4)])

    assert db.rows("SELECT batch_id, moved_at FROM moved_batches ORDER BY 1") == [
        ("a", 1),
        ("b", 2),
    ]
    db.write(statement, [("c", 3)])
    assert db.rows("SELECT count(*) FROM moved_batches") == [(3,)]


def test_reading_and_appending_load_no_query_builder(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from stationmaster.db.engine import Database\n"
        "db = Database.open(sys.argv[1])\n"
        "db.write('CREATE TABLE t (a)', [()])\n"
        "db.write('INSERT INTO t VALUES (?)', [(1,), (2,)])\n"
        "assert db.rows('SELECT a FROM t') == [(1,), (2,)]\n"
        "db.close()\n"
        "assert not {'sqlalchemy', 'alembic'} & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", program, sqlite_url(tmp_path / "x.sqlite3")], check=True)
