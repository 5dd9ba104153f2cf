from __future__ import annotations

import threading

import pytest

from stationmaster.db.readers import FewReaders, percent_style


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

    readers = FewReaders(connect, 2)

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
    readers = FewReaders(Connection, 1)
    with readers.one() as broken:
        broken.close()
    with readers.one() as other:
        assert other is not broken


def test_those_that_are_closed_are_made_again() -> None:
    readers = FewReaders(Connection, 1)
    with readers.one() as first:
        pass
    readers.close()
    with readers.one() as second:
        assert (first is second, first.closed) == (False, True)  # type: ignore[attr-defined] # ours
