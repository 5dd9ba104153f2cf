"""`migrate-store`: from the embedded store to PostgreSQL, whole, once, and compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from stationmaster.db import copying
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, OperatorError
from stationmaster.lake.backups.make import relocate_installation
from stationmaster.lake.storage import Lake
from stationmaster.wiki import service
from tests.lake.backups import installation
from tests.lake.backups.conftest import Filled
from tests.support.commands import command, succeed
from tests.support.deaths import Died, Fate
from tests.support.servers import running_server

pytestmark = pytest.mark.slow

MOVED = "This store has moved to PostgreSQL"


def move(filled: Filled, to: str, **more: Any) -> list[copying.CopiedTable]:
    arguments = {"reindex": service.reindex, "report": lambda _line: None} | more
    return relocate_installation(filled.settings, to, **arguments)


def test_after_a_move_everything_is_answered_with_the_same_bytes(
    filled: Filled, empty_postgresql: str
) -> None:
    parts = len(list(filled.settings.lake_dir.rglob("part-*")))
    assert installation.waiting(filled.settings) == 1

    told = installation.run(filled.settings, "migrate-store", "--to", empty_postgresql)

    rows = {each["table"]: each["rows"] for each in told["tables"]}
    assert {name: rows[name] for name in ("members", "report_documents", "inbox")} == {
        "members": 2,
        "report_documents": 49,
        "inbox": 1,
    }
    moved = filled.on(empty_postgresql)
    assert installation.answers(moved, filled.key) == filled.answers
    # The row that waited went on to the lake by the way of the new store.
    assert installation.waiting(moved) == 0
    assert len(list(filled.settings.lake_dir.rglob("part-*"))) == parts + 1


def test_the_new_store_gives_ids_behind_the_copied_ones(
    filled: Filled, empty_postgresql: str
) -> None:
    move(filled, empty_postgresql)

    with running_server(filled.on(empty_postgresql)) as server, server.client(filled.key) as http:
        installation.send(http, "after", day=20)
        rows = server.services.db.rows("SELECT id FROM inbox ORDER BY id")

    assert len(rows) == 2


def test_who_still_has_the_old_store_open_is_refused_and_reads_on(
    filled: Filled, empty_postgresql: str
) -> None:
    asked = "/api/v1/analytics/tokens?startDate=2026-11-14&endDate=2026-11-19"
    with running_server(filled.settings) as server, server.client(filled.key) as http:
        before = http.get(asked).content
        installation.send(http, "before", day=20)
        move(filled, empty_postgresql)
        refused = http.post("/api/platform/v1/events", json=installation.events("late", day=20))
        changed = http.post(
            "/api/platform/v1/members", json={"email": "eve@example.com", "role": "member"}
        )
        after = http.get(asked).content

    assert after == before
    assert (refused.status_code, changed.status_code) == (503, 503)
    assert MOVED in refused.text
    assert "retry-after" in refused.headers
    assert installation.waiting(filled.on(empty_postgresql)) == 2


def test_an_old_store_says_where_it_is_now_to_whoever_starts_on_it(
    filled: Filled, empty_postgresql: str
) -> None:
    move(filled, empty_postgresql)

    assert MOVED in installation.error(filled.settings, "doctor")
    assert MOVED in installation.error(filled.settings, "backup", filled.settings.data_dir / "b")
    assert MOVED in installation.error(filled.settings, "migrate-store", "--to", empty_postgresql)


def test_nobody_writes_to_the_store_while_it_is_copied(
    filled: Filled, empty_postgresql: str
) -> None:
    refused = []

    def try_to_write(_line: str) -> None:
        for name in ("stationmaster.sqlite3", "inbox.sqlite3"):
            other = sqlite3.connect(filled.settings.data_dir / name, timeout=0)
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
            other.close()
            refused.append(name)

    move(filled, empty_postgresql, report=try_to_write)

    assert refused


@contextmanager
def killed_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the program end at the n-th beginning or end of a transaction (from 1)."""
    fate = Fate()
    fate.left = step
    with monkeypatch.context() as patch:
        fate.around_transactions(patch)
        yield


def test_a_move_that_is_killed_at_any_point_goes_on_and_doubles_nothing(
    filled: Filled, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_ROWS", 4)
    monkeypatch.setattr(copying, "_LARGE_ROWS", 9)
    lines: list[str] = []
    kills = 0
    while True:
        # Every attempt gets somewhat further than the one before.
        with killed_at(2 + 3 * kills, monkeypatch):
            try:
                copied = move(filled, empty_postgresql, report=lines.append)
                break
            except Died:
                kills += 1
        if not kills % 4:
            with pytest.raises(OperatorError, match=r"has not finished|moved"):
                installation.open_migrated(filled.on(empty_postgresql).state_url)

    assert kills > 8
    rows = {each.table: each.rows for each in copied}
    assert rows["report_documents"] == 49
    assert not [line for line in lines if "changed" in line]
    assert installation.answers(filled.on(empty_postgresql), filled.key) == filled.answers


def test_what_changed_since_a_killed_move_is_copied_again(
    filled: Filled, empty_postgresql: str
) -> None:
    def die_at_the_wiki(line: str) -> None:
        if line == "the search of the wiki":
            raise Died

    with pytest.raises(Died):
        move(filled, empty_postgresql, report=die_at_the_wiki)
    installation.run(filled.settings, "limits", "global", "7000000")
    installation.run(filled.settings, "members", "remove", "bob@example.com")
    lines: list[str] = []

    move(filled, empty_postgresql, report=lines.append)

    again = {line.partition(" ")[0] for line in lines if "copying it again" in line}
    assert {"budgets", "members"} <= again < {table.name for table in copying.STATE}
    moved = Database.open(empty_postgresql)
    assert moved.rows("SELECT amount FROM budgets") == [("7000000",)]
    moved.close()


def test_a_copy_that_differs_is_an_error_and_the_store_stays_in_use(
    filled: Filled, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = copying._append

    def damaging(source: Connection, target: Database, table: Any, *rest: Any) -> None:
        real(source, target, table, *rest)
        if table.name == "report_documents":
            with target.transaction() as connection:
                connection.exec_driver_sql(
                    "UPDATE report_documents SET body = '{}' WHERE day = '2026-11-20' "
                    "AND report = 'tokens'"
                )

    monkeypatch.setattr(copying, "_append", damaging)

    with pytest.raises(OperatorError, match=r"report_documents differs .* stays in use"):
        move(filled, empty_postgresql)

    assert installation.answers(filled.settings, filled.key) == filled.answers


def test_a_target_that_holds_another_installation_is_refused_and_left_alone(
    filled: Filled, empty_postgresql: str, tmp_path: Path
) -> None:
    other = {"STATIONMASTER_DATABASE_URL": empty_postgresql}
    succeed("init", "--data-dir", tmp_path / "other", env=other)

    refused = installation.error(filled.settings, "migrate-store", "--to", empty_postgresql)

    assert "name an empty one" in refused
    assert command("doctor", "--data-dir", tmp_path / "other", env=other).code == 0
    assert command("doctor", "--data-dir", filled.settings.data_dir).code == 0


def test_a_store_in_postgresql_and_a_target_that_is_none_are_refused(
    filled: Filled, tmp_path: Path
) -> None:
    refused = installation.error(
        filled.settings, "migrate-store", "--to", f"sqlite:///{tmp_path}/other.sqlite3"
    )

    assert "from SQLite to PostgreSQL" in refused


def test_a_text_that_postgresql_cannot_store_is_named_and_the_store_stays_in_use(
    filled: Filled, empty_postgresql: str
) -> None:
    db = Database.open(filled.settings.state_url)
    db.write("INSERT INTO session_days VALUES (?, ?, ?)", [("org_x", "s\0", "2026-11-20")])
    db.close()

    with pytest.raises(OperatorError, match=r"session_days .* session_id 's\\x00'.* NUL"):
        move(filled, empty_postgresql)

    assert command("doctor", "--data-dir", filled.settings.data_dir).code == 0


def another_lake(filled: Filled, tmp_path: Path) -> Lake:
    return Lake.open(msgspec.structs.replace(filled.settings, data_dir=tmp_path / "other"))


def test_the_lake_moves_along_where_another_one_is_named(
    filled: Filled, empty_postgresql: str, tmp_path: Path
) -> None:
    lake = filled.settings.lake_dir
    before = installation.contents(lake)

    move(filled, empty_postgresql, lake=another_lake(filled, tmp_path))

    assert len(before) == 7
    assert installation.contents(tmp_path / "other" / "lake") == before


def test_a_lake_with_other_parts_is_refused_and_the_store_stays_in_use(
    filled: Filled, empty_postgresql: str, tmp_path: Path
) -> None:
    other = another_lake(filled, tmp_path)
    [part, *_] = filled.settings.lake_dir.rglob("part-*")
    other.put("org_other", installation.DAY, part.name, part)

    with pytest.raises(Conflict, match="name an empty one"):
        move(filled, empty_postgresql, lake=other)

    assert command("doctor", "--data-dir", filled.settings.data_dir).code == 0
