"""Migrations run while processes of earlier versions go on: they only add, and hold nobody up."""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, inspect
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from stationmaster.db import engine, migrations, revision
from stationmaster.db.engine import Database
from stationmaster.db.tables import metadata
from stationmaster.errors import Unavailable
from tests.db import oldest
from tests.support.databases import sqlite_url

Tables = dict[str, dict[str, Any]]
DECLARED = ("0045", "da3788de73e230b5")
"""A revision, and a hash of what `tables` declares at it."""


def described(connection: Connection) -> Tables:
    """Columns (type, is it needed), key, what is unique and what is checked, of every table."""
    looking = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: (
                    str(column["type"]),
                    not column["nullable"] and column["default"] is None,
                )
                for column in looking.get_columns(name)
            },
            "key": looking.get_pk_constraint(name)["constrained_columns"],
            "unique": sorted(each["column_names"] for each in looking.get_unique_constraints(name)),
            "indexes": sorted(
                (str(each["name"]), tuple(each["column_names"]), bool(each["unique"]))
                for each in looking.get_indexes(name)
            ),
            "checks": sorted(each["sqltext"] for each in looking.get_check_constraints(name)),
            "foreign": looking.get_foreign_keys(name),
        }
        for name in looking.get_table_names()
        if not name.startswith("wiki_search_")
    }


def breaches(before: Tables, after: Tables) -> list[str]:
    """What software that knows the schema before could not live with in the one after."""
    found = [f"{name} is gone" for name in before.keys() - after.keys()]
    for name in before.keys() & after.keys():
        old, new = dict(before[name]), dict(after[name])
        known, wanted = old.pop("columns"), new.pop("columns")
        found += [f"{name}.{each} changed" for each in known if wanted.get(each) != known[each]]
        found += [
            f"{name}.{each} is needed" for each in wanted.keys() - known.keys() if wanted[each][1]
        ]
        # Another index on a table of any size would keep writers waiting while it is built.
        found += [f"the {each} of {name} changed" for each in old if old[each] != new[each]]
    return sorted(found)


def test_what_comes_after_the_oldest_usable_revision_only_adds(empty_database_url: str) -> None:
    db = Database.open(empty_database_url)
    with db.transaction() as connection:
        oldest.make(connection)
        before = described(connection)
        migrations.upgrade(connection)
        after = described(connection)
    db.close()

    assert breaches(before, after) == []


def test_another_schema_is_another_revision() -> None:
    made = [str(CreateTable(table).compile(dialect=sqlite.dialect())) for table in _tables()]
    made += [
        str(CreateIndex(index).compile(dialect=sqlite.dialect()))
        for table in _tables()
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    digest = hashlib.sha256("".join(made).encode()).hexdigest()[:16]

    assert (revision.HEAD, digest) == DECLARED, "raise HEAD, and state both here"


def _tables() -> list[Table]:
    return sorted(metadata.tables.values(), key=lambda table: table.name)


@pytest.mark.parametrize(
    ("change", "breach"),
    [
        ("DROP TABLE passwords", "passwords is gone"),
        ("ALTER TABLE passwords DROP COLUMN hash", "passwords.hash changed"),
        ("ALTER TABLE passwords RENAME COLUMN hash TO hashed", "passwords.hash changed"),
        ("ALTER TABLE passwords ADD COLUMN salt TEXT", None),
        ("ALTER TABLE passwords ADD COLUMN salt TEXT NOT NULL DEFAULT ''", None),
        ("CREATE TABLE salts (salt TEXT NOT NULL)", None),
        ("CREATE INDEX late ON passwords (hash)", "the indexes of passwords changed"),
        ("CREATE UNIQUE INDEX one ON passwords (hash)", "the indexes of passwords changed"),
    ],
)
def test_a_change_that_breaks_running_software_would_be_noticed(
    sqlite_template: Path, tmp_path: Path, change: str, breach: str | None
) -> None:
    db = Database.open(sqlite_url(Path(shutil.copy(sqlite_template, tmp_path))))
    with db.transaction() as connection:
        before = described(connection)
        connection.exec_driver_sql(change)
        after = described(connection)
    db.close()

    assert (breaches(before, after) or [None])[0] == breach


def test_a_migrated_database_says_from_which_revision_on_it_may_be_used(db: Database) -> None:
    assert db.rows("SELECT id, oldest, refusal FROM schema_use") == [(1, revision.OLDEST, None)]


def old_database(url: str) -> Database:
    db = Database.open(url)
    if db.dialect == "sqlite":
        pytest.skip("SQLite has one lock, and waits for it by itself")
    with db.transaction() as connection:
        oldest.make(connection)
    return db


def test_a_migration_that_gets_no_lock_lets_others_pass_and_is_tried_again(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = old_database(empty_database_url)
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_S", 0.05)
    monkeypatch.setattr(engine, "MIGRATION_PAUSE_S", 0.01)
    refused = threading.Event()
    real = migrations.upgrade

    def noticing(connection: Connection) -> None:
        try:
            real(connection)
        except BaseException:
            refused.set()
            raise

    monkeypatch.setattr(migrations, "upgrade", noticing)
    migrating = threading.Thread(target=db.migrate)
    with db.transaction() as connection:
        connection.exec_driver_sql("LOCK TABLE alembic_version IN SHARE MODE")
        migrating.start()
        assert refused.wait(30)
        assert db.rows("SELECT count(*) FROM members") == [(0,)]
    migrating.join()

    assert db.rows("SELECT version_num FROM alembic_version") == [(revision.HEAD,)]
    db.close()


def test_a_migration_that_gets_no_lock_for_long_leaves_the_schema_as_it_was(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = old_database(empty_database_url)
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_S", 0.05)
    monkeypatch.setattr(engine, "MIGRATION_PATIENCE_S", 0)
    with db.transaction() as connection:
        connection.exec_driver_sql("LOCK TABLE alembic_version IN SHARE MODE")
        with pytest.raises(Unavailable, match="A lock was not free in time"):
            db.migrate()

    assert db.rows("SELECT version_num FROM alembic_version") == [(revision.OLDEST,)]
    db.close()
