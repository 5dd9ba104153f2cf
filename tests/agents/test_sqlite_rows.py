"""Rows are those that SQLite itself gives, whatever the tables hold; damage is said and ends."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.agents.sqlite_pages import Damaged, Snapshot
from stationmaster.agents.sqlite_rows import Database

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1, -1, 127, -128, 2**15, -(2**23), 2**31, 2**47]),
    st.floats(allow_nan=False),
    st.text(max_size=30).filter(lambda text: "\0" not in text),
    st.integers(0, 20_000).map(lambda size: "y" * size),
    st.binary(max_size=30),
)


def as_bytes(value: object) -> object:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def rows_of(path: Path, table: str = "t") -> list[tuple[int, tuple[object, ...]]]:
    with Snapshot(str(path)) as snapshot:
        database = Database(snapshot)
        return list(database.rows(table, database.tables[table].columns))


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=40),
    page_size=st.sampled_from([512, 4_096]),
    deleted=st.integers(2, 5),
)
def test_rows_of_any_values_are_those_that_sqlite_gives(tmp_path_factory, rows, page_size, deleted):
    path = tmp_path_factory.mktemp("rows") / "d.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute(f"PRAGMA page_size = {page_size}")
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (a, b, c)")
    writer.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    writer.execute(f"DELETE FROM t WHERE rowid % {deleted} = 0")

    found = rows_of(path)

    asked = writer.execute("SELECT rowid, a, b, c FROM t ORDER BY rowid").fetchall()
    assert found == [(row[0], tuple(map(as_bytes, row[1:]))) for row in asked]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thousands of rows in trees of several levels, a part of them deleted and changed."""
    path = tmp_path_factory.mktemp("large") / "d.db"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA page_size = 1024")
    writer.executescript(
        "CREATE TABLE t (name TEXT PRIMARY KEY, kind TEXT, n INTEGER, body TEXT);"
        "CREATE INDEX by_kind ON t (kind, name);"
    )
    chance = random.Random(5)
    rows = [
        (f"{chance.getrandbits(64):016x}", f"kind {n % 97}", n, "z" * chance.randrange(900))
        for n in range(5_000)
    ]
    writer.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    writer.execute("DELETE FROM t WHERE n % 7 = 3")
    writer.execute("UPDATE t SET body = body || body || body WHERE n % 11 = 0")
    writer.commit()
    writer.close()
    return path


def test_rows_come_in_order_and_from_any_row_on(large: Path) -> None:
    asked = sqlite3.connect(large).execute("SELECT rowid, n FROM t ORDER BY rowid").fetchall()
    with Snapshot(str(large)) as snapshot:
        database = Database(snapshot)
        for after in (-1, 0, 1, 17, 2_500, 4_999, 5_000, 10**9):
            found = [(row_id, row[0]) for row_id, row in database.rows("t", ["n"], after)]
            assert found == [row for row in asked if row[0] > after]


def test_a_row_is_found_by_its_id(large: Path) -> None:
    connection = sqlite3.connect(large)
    statement = "SELECT n, body FROM t WHERE rowid = ?"
    with Snapshot(str(large)) as snapshot:
        database = Database(snapshot)
        for row_id in (*range(1, 200), 4_999, 5_000, 5_001, 0, -5, 10**12):
            asked = connection.execute(statement, (row_id,)).fetchone()
            found = database.row("t", row_id, ["n", "body"])
            assert found == (None if asked is None else (asked[0], asked[1].encode()))


def test_the_last_row_is_found(large: Path, tmp_path: Path) -> None:
    [last] = sqlite3.connect(large).execute("SELECT max(rowid) FROM t").fetchone()
    sqlite3.connect(tmp_path / "d.db").execute("CREATE TABLE t (a)")
    with Snapshot(str(large)) as snapshot:
        assert Database(snapshot).last_row_id("t") == last
    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        assert Database(snapshot).last_row_id("t") is None


def test_a_row_is_found_by_a_column_that_is_unique(large: Path) -> None:
    connection = sqlite3.connect(large)
    names = connection.execute("SELECT rowid, name FROM t ORDER BY name LIMIT 300").fetchall()
    with Snapshot(str(large)) as snapshot:
        database = Database(snapshot)
        for row_id, name in names:
            assert list(database.row_ids("t", "name", name.encode())) == [row_id]


def test_rows_are_found_by_what_an_index_begins_with(large: Path) -> None:
    connection = sqlite3.connect(large)
    with Snapshot(str(large)) as snapshot:
        database = Database(snapshot)
        for kind in ("kind 0", "kind 42", "kind 96", "kind", "", "zzz"):
            asked = connection.execute(
                "SELECT rowid FROM t WHERE kind = ? ORDER BY name", (kind,)
            ).fetchall()
            found = list(database.row_ids("t", "kind", kind.encode()))
            assert found == [row[0] for row in asked]


def test_columns_are_those_of_the_statement_whatever_its_form(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "d.db")
    writer.executescript(
        """
        CREATE TABLE t (
          `id` text PRIMARY KEY, "in quotes" text DEFAULT ',(' NOT NULL, -- a note, (here
          [brackets] integer CHECK (brackets > (0)), /* and, here */
          plain NUMERIC(10, 2),
          UNIQUE (plain), CONSTRAINT c CHECK (plain > 0), FOREIGN KEY (plain) REFERENCES t (id)
        );
        ALTER TABLE t ADD COLUMN later text DEFAULT 'x';
        CREATE INDEX part_of_it ON t (plain) WHERE plain > 1;
        CREATE INDEX backwards ON t (brackets DESC);
        CREATE INDEX usual ON t (later, plain);
        CREATE TABLE u (n INTEGER PRIMARY KEY, a text UNIQUE, b text COLLATE NOCASE UNIQUE);
        CREATE INDEX collated ON u (b);
        CREATE TABLE v (a text COLLATE NOCASE PRIMARY KEY, b text UNIQUE);
        """
    )
    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        tables = Database(snapshot).tables
    assert tables["t"].columns == ("id", "in quotes", "brackets", "plain", "later")
    assert sorted(tables["t"].indexes) == ["id", "later"]
    assert sorted(tables["u"].indexes) == ["a"]
    assert sorted(tables["v"].indexes) == []


def test_a_column_that_is_missing_or_newer_than_its_row_has_no_value(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "d.db")
    writer.execute("CREATE TABLE t (a)")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("ALTER TABLE t ADD COLUMN b")
    writer.commit()

    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        found = list(Database(snapshot).rows("t", ["b", "a", "unheard of"]))

    assert found == [(1, (None, 1, None))]


def test_of_a_long_row_no_more_is_read_than_its_first_columns_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = sqlite3.connect(tmp_path / "d.db")
    writer.execute("CREATE TABLE t (a, long, b)")
    writer.execute("INSERT INTO t VALUES ('first', ?, 'last')", ("x" * 3_000_000,))
    writer.commit()

    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        database = Database(snapshot)
        read: list[int] = []
        page = snapshot.page
        monkeypatch.setattr(snapshot, "page", lambda number: read.append(number) or page(number))

        assert list(database.rows("t", ["a"])) == [(1, (b"first",))]
        assert len(read) <= 2
        assert list(database.rows("t", ["b"])) == [(1, (b"last",))]
        assert len(read) > 700

        monkeypatch.setattr("stationmaster.agents.sqlite_rows.ROW_BYTES_MAX", 1_000_000)
        assert list(database.rows("t", ["a", "long", "b"])) == [(1, (b"first", None, None))]


def test_a_table_without_row_ids_is_refused(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "d.db")
    writer.execute("CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID")
    writer.execute("INSERT INTO t VALUES ('x')")
    writer.commit()

    with pytest.raises(Damaged):
        rows_of(tmp_path / "d.db")


def test_a_database_of_another_encoding_is_refused(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "d.db")
    writer.execute("PRAGMA encoding = 'UTF-16'")
    writer.execute("CREATE TABLE t (a)")
    writer.commit()

    with pytest.raises(Damaged, match="encoding"):
        rows_of(tmp_path / "d.db")


def test_a_tree_that_leads_in_circles_ends(large: Path, tmp_path: Path) -> None:
    with Snapshot(str(large)) as snapshot:
        root = Database(snapshot).tables["t"].root
    data = bytearray(large.read_bytes())
    page = (root - 1) * 1_024
    cells = int.from_bytes(data[page + 3 : page + 5])
    for number in range(cells):
        cell = page + int.from_bytes(data[page + 12 + 2 * number : page + 14 + 2 * number])
        data[cell : cell + 4] = root.to_bytes(4)
    (tmp_path / "d.db").write_bytes(data)

    with pytest.raises(Damaged):
        rows_of(tmp_path / "d.db")


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_damage_is_read_over_or_said(large, tmp_path_factory, data):
    content = bytearray(large.read_bytes()[: 200 * 1_024])
    for _ in range(data.draw(st.integers(1, 20))):
        place = data.draw(st.integers(16, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damage") / "d.db"
    path.write_bytes(content)
    try:
        with Snapshot(str(path)) as snapshot:
            database = Database(snapshot)
            for table in database.tables:
                list(database.rows(table, database.tables[table].columns))
            list(database.row_ids("t", "kind", b"kind 5"))
            database.row("t", 77, ["body"])
    except (Damaged, KeyError):
        pass
