"""What only SQLite does, and what only PostgreSQL does."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.db import drivers, pools
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, Unavailable
from tests.db.rows import change_and_fail, names, put
from tests.support.databases import PostgreSQL, sqlite_url


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
