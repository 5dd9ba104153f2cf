"""Reads of PostgreSQL by prepared statements: the same values as the driver's own cursor gives."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import make_url

from stationmaster.db import prepared
from stationmaster.db.prepared import PreparedReader
from tests.support.databases import PostgreSQL


@pytest.fixture
def connection(postgresql: PostgreSQL) -> Iterator[psycopg.Connection]:
    with (
        postgresql.database() as url,
        psycopg.connect(
            host=str(postgresql.socket_dir),
            user="postgres",
            dbname=make_url(url).database,
            autocommit=True,
        ) as connected,
    ):
        yield connected


def test_values_go_and_come_as_the_drivers_cursor_takes_and_gives_them(
    connection: psycopg.Connection,
) -> None:
    values = ("text ✓", 7, 2**40, 1.5, True, None, b"\x00\xff'", -1)
    sql = "SELECT ?::text, ?, ?, ?, ?, ?::text, ?, ?, 'a ? mark', '50 %'"

    expected = connection.execute(sql.replace("?", "%s", 8).replace("50 %", "50 %%"), values)

    assert PreparedReader(connection).rows(sql, values) == [
        (*expected.fetchall()[0][:8], "a ? mark", "50 %")
    ]


def test_a_statement_serves_numbers_of_every_size(connection: psycopg.Connection) -> None:
    reader = PreparedReader(connection)

    assert [reader.rows("SELECT ? + 0", (n,)) for n in (1, 2**20, 2**40)] == [
        [(1,)],
        [(2**20,)],
        [(2**40,)],
    ]


def test_an_error_is_the_drivers_and_leaves_the_connection_usable(
    connection: psycopg.Connection,
) -> None:
    reader = PreparedReader(connection)

    with pytest.raises(psycopg.errors.UndefinedTable):
        reader.rows("SELECT * FROM nowhere", ())
    with pytest.raises(psycopg.errors.DivisionByZero):
        reader.rows("SELECT 1 / ?", (0,))

    assert reader.rows("SELECT 1 / ?", (1,)) == [(1,)]


def test_more_different_statements_than_are_kept_are_answered(
    connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "STATEMENTS_MAX", 3)
    reader = PreparedReader(connection)

    assert [reader.rows(f"SELECT {n}", ()) for n in range(6)] == [[(n,)] for n in range(6)]
    kept = connection.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'read%'")
    assert kept.fetchall() == [(3,)]


def test_a_connection_that_the_server_ended_is_closed(connection: psycopg.Connection) -> None:
    reader = PreparedReader(connection)
    with pytest.raises(psycopg.OperationalError):
        reader.rows("SELECT pg_terminate_backend(pg_backend_pid())", ())

    assert reader.closed
