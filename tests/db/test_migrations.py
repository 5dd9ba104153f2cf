from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData, inspect

from stationmaster.db import migrations, revision
from stationmaster.db.engine import Database
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.errors import OperatorError
from tests.db import oldest
from tests.support.databases import sqlite_url


def expected_schema(db: Database) -> list[MetaData]:
    return [metadata] if db.dialect == "sqlite" else [metadata, inbox_metadata]


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """All but the search index: each database has a kind of its own.

    SQLite keeps it in a virtual table with some more of that name behind it.
    """
    return not (kind == "table" and name is not None and name.startswith("wiki_search"))


def differences(connection: Connection, expected: list[MetaData]) -> list[object]:
    rules = {"compare_type": True, "compare_server_default": True, "include_name": is_compared}
    context = MigrationContext.configure(connection, opts=rules)
    # Several collections at once are what the function takes, and not what its types say.
    return list(compare_metadata(context, expected))  # type: ignore[arg-type]


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "upgraded"])
def test_the_migrated_schema_is_the_one_in_tables(empty_database_url: str, is_new: bool) -> None:
    db = Database.open(empty_database_url)
    if not is_new:
        with db.transaction() as connection:
            oldest.make(connection)
    db.migrate()
    with db.reading() as connection:
        assert differences(connection, expected_schema(db)) == []
    db.close()


def test_the_comparison_would_notice_a_missing_column(db: Database) -> None:
    with db.transaction() as connection:
        connection.exec_driver_sql("ALTER TABLE lake_days DROP COLUMN cost_ms")
        assert len(differences(connection, expected_schema(db))) == 1


def test_migrating_again_changes_nothing(db: Database) -> None:
    with db.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO organizations VALUES ('a', 'acme', 1)")
    db.migrate()
    assert db.rows("SELECT org_id, name FROM organizations") == [("a", "acme")]


def test_several_processes_may_start_at_once(empty_database_url: str) -> None:
    script = (
        "import sys\n"
        "from stationmaster.db.engine import Database\n"
        "db = Database.open(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "db.migrate()\n"
        "db.close()\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, empty_database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, err) for process, (_, err) in zip(processes, ended, strict=True)] \
        == [(0, "")] * 3  # fmt: skip
    db = Database.open(empty_database_url)
    with db.reading() as connection:
        assert differences(connection, expected_schema(db)) == []
    assert db.rows("SELECT version_num FROM alembic_version") == [(revision.HEAD,)]
    db.close()


def test_a_migration_that_fails_leaves_the_database_as_it_was(empty_database_url: str) -> None:
    db = Database.open(empty_database_url)

    def fail_at_the_end() -> None:
        with db.transaction() as connection:
            migrations.upgrade(connection)
            raise KeyError

    with pytest.raises(KeyError):
        fail_at_the_end()
    with db.reading() as connection:
        assert inspect(connection).get_table_names() == []
    db.close()


def newer_schema(db: Database, oldest: str) -> None:
    """What a version to come leaves behind, which software from `oldest` on may use."""
    with db.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        connection.exec_driver_sql(f"UPDATE schema_use SET oldest = '{oldest}'")


def test_a_newer_schema_that_only_added_is_used_as_it_is(db: Database) -> None:
    newer_schema(db, oldest=revision.HEAD)
    db.migrate()
    assert db.rows("SELECT version_num FROM alembic_version") == [("9999",)]


def test_a_newer_schema_that_needs_newer_software_is_refused(db: Database) -> None:
    newer_schema(db, oldest="9998")
    with pytest.raises(OperatorError, match=r"9999.*Upgrade the software") as refused:
        db.migrate()
    assert refused.value.code == "unknown_schema"


def test_a_newer_schema_that_does_not_say_who_may_use_it_is_refused(db: Database) -> None:
    newer_schema(db, oldest=revision.HEAD)
    with db.transaction() as connection:
        connection.exec_driver_sql("DROP TABLE schema_use")
    with pytest.raises(OperatorError, match="9999"):
        db.migrate()


def test_a_database_that_says_why_it_may_not_be_used_is_refused_with_that(db: Database) -> None:
    with db.transaction() as connection:
        connection.exec_driver_sql("UPDATE schema_use SET refusal = 'It has moved.'")
    with pytest.raises(OperatorError, match=r"It has moved\."):
        db.migrate()


def test_a_database_of_another_program_is_refused(empty_database_url: str) -> None:
    db = Database.open(empty_database_url)
    with db.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE members (band TEXT)")
    with pytest.raises(OperatorError, match=r"another program \(members\)") as refused:
        db.migrate()
    assert refused.value.code == "foreign_schema"
    db.close()


def test_the_inbox_has_a_file_of_its_own_beside_sqlite(tmp_path: Path) -> None:
    inbox = Database.open(sqlite_url(tmp_path / "inbox.sqlite3"))
    for _ in range(2):
        with inbox.transaction() as connection:
            migrations.create_inbox(connection)
    with inbox.reading() as connection:
        assert differences(connection, [inbox_metadata]) == []
    inbox.close()
