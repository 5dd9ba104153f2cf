from __future__ import annotations

import gc
import os
import sqlite3
import stat
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

from stationmaster.db import drivers, pools
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organizations
from stationmaster.db.tables.rollups import report_documents
from stationmaster.errors import OperatorError, Unavailable
from tests.support.databases import PostgreSQL, sqlite_url


def put(db: Database, *names: str) -> None:
    with db.transaction() as connection:
        for name in names:
            connection.execute(
                db.insert(organizations).values(org_id=f"org_{name}", name=name, created_at=1)
            )


def names(db: Database) -> list[str]:
    return [name for (name,) in db.rows("SELECT name FROM organizations ORDER BY name")]


def change_and_fail(db: Database, *statements: str) -> None:
    with db.transaction() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
        raise KeyError


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
        rows.close()  # type: ignore[attr-defined]
        put(db, "acme")
        assert names(db) == ["acme"]


def test_more_transactions_than_connections_are_unavailable(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "POOL", {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.05})
    database = Database.open(database_url)
    with database.reading(), pytest.raises(Unavailable, match="at once"), database.transaction():
        pass
    with database.transaction():
        pass
    database.close()


class TestSQLite:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "state.sqlite3"

    @pytest.fixture
    def db(self, path: Path) -> Iterator[Database]:
        database = Database.open(sqlite_url(path))
        database.migrate()
        yield database
        database.close()

    @pytest.mark.parametrize(
        ("pragma", "value"),
        [
            ("journal_mode", "wal"),
            ("synchronous", 2),
            ("busy_timeout", 10_000),
            ("foreign_keys", 1),
            ("temp_store", 2),
        ],
    )
    def test_every_connection_is_durable_and_patient(
        self, db: Database, pragma: str, value: object
    ) -> None:
        assert db.rows(f"PRAGMA {pragma}") == [(value,)]
        for edge in (db.transaction, db.reading):
            with edge() as connection:
                assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value

    def test_a_transaction_holds_the_write_lock_from_its_start(
        self, db: Database, path: Path
    ) -> None:
        other = sqlite3.connect(path, timeout=0, isolation_level=None)
        with db.transaction(), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")
        other.close()

    def test_a_full_disk_is_unavailable_and_loses_no_earlier_row(self, db: Database) -> None:
        put(db, "acme")
        ((pages,),) = db.rows("PRAGMA page_count")
        with pytest.raises(Unavailable, match="The disk is full") as full:
            change_and_fail(
                db,
                f"PRAGMA max_page_count = {pages}",
                f"INSERT INTO organizations VALUES ('b', '{'x' * 99_999}', 1)",
            )
        assert full.value.code == "storage_unavailable"
        assert names(db) == ["acme"]

    def test_opening_a_new_file_waits_for_a_process_that_writes_to_it(self, path: Path) -> None:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.2, other.commit)
        timer.start()
        database = Database.open(sqlite_url(path))
        assert database.rows("PRAGMA journal_mode") == [("wal",)]
        timer.join()
        database.close()
        other.close()

    def test_a_writer_that_never_ends_is_unavailable(
        self, db: Database, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        db.close()
        monkeypatch.setattr(drivers, "BUSY_TIMEOUT_MS", 20)
        monkeypatch.setattr(pools, "BUSY_TIMEOUT_MS", 20)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="Another process has locked the file"):
            put(db, "acme")
        other.close()

    def test_a_read_only_file_is_unavailable_to_writers_and_serves_readers(
        self, db: Database
    ) -> None:
        put(db, "acme")
        with pytest.raises(Unavailable, match="read-only"):
            change_and_fail(
                db,
                "PRAGMA query_only = ON",
                "INSERT INTO organizations VALUES ('b', 'beta', 1)",
            )
        assert names(db) == ["acme"]

    def test_a_file_that_cannot_be_opened_is_unavailable(self, path: Path) -> None:
        path.mkdir()
        database = Database.open(sqlite_url(path))
        for use in (lambda: names(database), database.migrate):
            with pytest.raises(Unavailable, match="cannot be opened"):
                use()
        database.close()

    def test_what_clients_read_of_it_names_no_file(self, path: Path) -> None:
        path.mkdir()
        database = Database.open(sqlite_url(path))
        with pytest.raises(Unavailable) as refused:
            names(database)
        database.close()

        assert str(path) in str(refused.value)
        assert str(path.parent) not in refused.value.detail

    def test_a_folder_that_is_read_only_is_called_so(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.mkdir()  # What cannot be opened, for root as well.
        monkeypatch.setattr(drivers.os, "access", lambda *_: False)
        database = Database.open(sqlite_url(path))
        with pytest.raises(Unavailable, match="is read-only"):
            names(database)
        database.close()

    def test_a_file_that_is_no_database_needs_the_operator(self, path: Path) -> None:
        path.write_bytes(b"This is a letter to my aunt. " * 100)
        database = Database.open(sqlite_url(path))
        for use in (lambda: names(database), database.migrate):
            with pytest.raises(OperatorError, match="is damaged, or not a database"):
                use()
        database.close()

    def test_a_damaged_file_needs_the_operator(self, db: Database, path: Path) -> None:
        put(db, "acme")
        db.close()
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
        with pytest.raises(OperatorError, match="Restore a backup"):
            names(db)

    def test_a_missing_folder_needs_the_operator_and_is_not_made(self, tmp_path: Path) -> None:
        with pytest.raises(OperatorError, match="does not exist"):
            Database.open(sqlite_url(tmp_path / "missing" / "state.sqlite3"))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.attack
    def test_a_committed_row_survives_a_killed_process(self, db: Database, path: Path) -> None:
        script = (
            "import os, sys\n"
            "from stationmaster.db.engine import Database\n"
            "db = Database.open(sys.argv[1])\n"
            "with db.transaction() as c:\n"
            "    c.exec_driver_sql(\"INSERT INTO organizations VALUES ('a', 'acme', 1)\")\n"
            "with db.transaction() as c:\n"
            "    c.exec_driver_sql(\"INSERT INTO organizations VALUES ('b', 'beta', 1)\")\n"
            "    os.kill(os.getpid(), 9)\n"
        )
        ended = subprocess.run([sys.executable, "-c", script, sqlite_url(path)], check=False)
        assert ended.returncode == -9
        assert names(db) == ["acme"]


class TestPostgreSQL:
    @pytest.fixture
    def url(self, postgresql: PostgreSQL) -> Iterator[str]:
        with postgresql.database() as url:
            yield url

    @pytest.fixture
    def db(self, url: str) -> Iterator[Database]:
        database = Database.open(url)
        yield database
        database.close()

    def test_reads_and_writes_go_on_after_the_server_hung_up(
        self, db: Database, url: str, postgresql: PostgreSQL
    ) -> None:
        put(db, "acme")
        assert names(db) == ["acme"]
        assert postgresql.hang_up(url) == 2
        assert names(db) == ["acme"]
        assert postgresql.hang_up(url) == 1
        put(db, "beta")
        assert list(db.stream("SELECT name FROM organizations ORDER BY name")) == [
            ("acme",),
            ("beta",),
        ]

    def test_a_connection_lost_within_a_transaction_is_unavailable(
        self, db: Database, url: str, postgresql: PostgreSQL
    ) -> None:
        def lose_the_server() -> None:
            with db.transaction() as connection:
                assert postgresql.hang_up(url) == 1
                connection.exec_driver_sql("INSERT INTO organizations VALUES ('a', 'acme', 1)")

        with pytest.raises(Unavailable) as lost:
            lose_the_server()
        assert lost.value.code == "storage_unavailable"
        assert names(db) == []

    def test_an_unreachable_server_is_unavailable_and_named_without_the_password(self) -> None:
        database = Database.open("postgresql://sm:s3cret@127.0.0.1:1/stationmaster")
        for use in (lambda: names(database), database.migrate):
            with pytest.raises(Unavailable, match=r"127\.0\.0\.1/stationmaster") as down:
                use()
            assert down.value.code == "storage_unavailable"
            assert "s3cret" not in down.value.detail
        database.close()

    def test_a_missing_database_is_unavailable(self, postgresql: PostgreSQL) -> None:
        database = Database.open(postgresql.url("nowhere"))
        with pytest.raises(Unavailable, match='database "nowhere" does not exist'):
            names(database)
        database.close()

    def test_a_read_only_server_is_unavailable_to_writers(self, url: str) -> None:
        database = Database.open(url + "&options=-c%20default_transaction_read_only=on")
        with pytest.raises(Unavailable, match="point at the primary"):
            put(database, "acme")
        assert names(database) == []
        database.close()


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mysql://root@localhost/x", "sqlite://", "sqlite:///:memory:"]
)
def test_a_url_that_cannot_work_needs_the_operator(url: str) -> None:
    with pytest.raises(OperatorError) as refused:
        Database.open(url)
    assert refused.value.code == "bad_database_url"


def test_the_sqlite_file_belongs_to_its_owner_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        database = Database.open(sqlite_url(tmp_path / "state.sqlite3"))
        database.migrate()
        database.close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state.sqlite3").stat().st_mode) == 0o600


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
