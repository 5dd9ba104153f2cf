from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stationmaster.db.readers import FewConnections, percent_style


@pytest.mark.parametrize(
    ("sql", "translated"),
    [
        ("SELECT 1", "SELECT 1"),
        ("a = ? AND b = ?", "a = %s AND b = %s"),
        ("a LIKE '5%' OR b % 2 = ?", "a LIKE '5%%' OR b %% 2 = %s"),
        ("a = '?' AND b = ?", "a = '?' AND b = %s"),
        ("a = 'it''s ?' AND b = ?", "a = 'it''s ?' AND b = %s"),
        ('"odd ? column" = ?', '"odd ? column" = %s'),
    ],
)
def test_marks_become_percent_s_outside_quotes_only(sql: str, translated: str) -> None:
    assert percent_style(sql) == translated


class Connection:
    closed = False

    def execute(self, *_: object) -> object:
        return self

    def close(self) -> None:
        self.closed = True


def test_threads_take_turns_with_few_connections() -> None:
    made: list[Connection] = []

    def connect() -> Connection:
        made.append(Connection())
        return made[-1]

    readers = FewConnections(connect, 2)

    def read() -> None:
        for _ in range(50):
            with readers.one():
                pass

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 <= len(made) <= 2


def test_a_connection_that_broke_is_not_given_again() -> None:
    readers = FewConnections(Connection, 1)
    with readers.one() as broken:
        broken.close()
    with readers.one() as other:
        assert other is not broken


def test_those_that_are_closed_are_made_again() -> None:
    readers = FewConnections(Connection, 1)
    with readers.one() as first:
        pass
    readers.close()
    with readers.one() as second:
        assert (first is second, first.closed) == (False, True)


def test_one_that_is_in_use_at_the_end_is_closed_when_it_comes_back() -> None:
    readers = FewConnections(Connection, 1)
    with readers.one() as late:
        readers.close()
        assert not late.closed
    assert late.closed
    with readers.one() as other:
        assert other is not late


CLOSED_WHILE_READING = """
import sys, threading, time
from stationmaster.db.engine import Database

LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) {}"
database = Database.open(f"sqlite:///{sys.argv[1]}")
answers = []

def read():
    answers.append(database.rows(LONG.format("SELECT max(i) FROM n")))

readers = [threading.Thread(target=read) for _ in range(4)]
for reader in readers:
    reader.start()
time.sleep(0.2)
database.close()
for reader in readers:
    reader.join()
assert answers == [[(3000000,)]] * 4, answers
"""


def test_closing_waits_for_the_statements_that_run(tmp_path: Path) -> None:
    # In a process of its own: closing a connection below a statement ends the process.
    run = subprocess.run(
        [sys.executable, "-c", CLOSED_WHILE_READING, str(tmp_path / "state.db")],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (run.returncode, run.stderr) == (0, "")
