"""One holder of a name among all processes, whatever becomes of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from tests.support.databases import PostgreSQL, sqlite_url

HOLD = """
import sys, time
from stationmaster.db.engine import Database
with Database.open(sys.argv[1]).alone("work"):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def another_process_holding(url: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def is_free(db: Database, name: str = "work") -> bool:
    with db.alone(name, wait=False) as got:
        return got


def test_a_name_has_one_holder_among_threads(db: Database) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with db.alone("work"):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 8


def test_another_name_is_not_in_the_way(db: Database) -> None:
    with db.alone("work"):
        assert is_free(db, "other work")
        assert not is_free(db)
    assert is_free(db)


def test_an_error_inside_passes_and_ends_it(db: Database) -> None:
    with pytest.raises(KeyError), db.alone("work"):
        raise KeyError
    assert is_free(db)


def test_a_killed_process_is_followed_at_once(db: Database, database_url: str) -> None:
    with another_process_holding(database_url) as process:
        assert not is_free(db)
        threading.Timer(0.1, process.kill).start()
        with db.alone("work") as got:
            assert got


def test_nothing_stays_in_the_folder_of_locks(tmp_path: Path) -> None:
    db = Database.open(sqlite_url(tmp_path / "state.sqlite3"))
    with db.alone("work"):
        assert len(list((tmp_path / "locks").iterdir())) == 1
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_folder_that_takes_no_file_is_a_trouble_of_storage(tmp_path: Path) -> None:
    db = Database.open(sqlite_url(tmp_path / "state.sqlite3"))
    (tmp_path / "locks").touch()
    with pytest.raises(Unavailable, match="locks"):
        is_free(db)


def test_a_lost_session_lets_the_next_one_in_and_ends_without_an_error(
    postgresql: PostgreSQL,
) -> None:
    with postgresql.database() as url:
        db = Database.open(url)
        with db.alone("work"):
            postgresql.hang_up(url)
            assert is_free(db)
        assert is_free(db)


def test_a_server_that_does_not_answer_is_a_trouble_of_storage(postgresql: PostgreSQL) -> None:
    with pytest.raises(Unavailable):
        is_free(Database.open(postgresql.url("nowhere")))


def test_the_limits_of_ordinary_sessions_do_not_end_it(postgresql: PostgreSQL) -> None:
    with postgresql.database() as url:
        db = Database.open(url)
        db.write("ALTER ROLE postgres SET lock_timeout = '100ms'", [()])
        try:
            with another_process_holding(url) as process:
                threading.Timer(0.4, process.kill).start()
                with db.alone("work") as got:
                    assert got
        finally:
            db.write("ALTER ROLE postgres RESET lock_timeout", [()])
