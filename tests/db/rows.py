"""Rows that the tests of databases write, and a transaction that fails."""

from __future__ import annotations

from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organizations


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
