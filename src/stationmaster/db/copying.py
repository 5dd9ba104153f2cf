"""Every row of one database into another, of the same kind or the other one.

Rows go in the order of their keys, a batch in a transaction. So a copy that was ended at any point
is continued behind the greatest key that arrived; a table that has changed in between is noticed by
its digest and copied again. A database that is half copied reports that to everyone who opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    Connection,
    LargeBinary,
    Row,
    Table,
    Text,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.exc import DataError

from stationmaster.db import migrations, revision
from stationmaster.db.engine import Database
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.db.tables.schema import schema_use
from stationmaster.errors import Conflict, OperatorError

STATE = [table for table in metadata.sorted_tables if table is not schema_use]
INBOX = list(inbox_metadata.sorted_tables)
MOVED = (
    "This store has moved to PostgreSQL: set STATIONMASTER_DATABASE_URL to the address that it has "
    "moved to."
)
_DIGEST_BYTES = 16
_ROWS = 2_000
_BATCH_BYTES = 4 * 2**20
"""What one transaction copies: so many rows, or so much of their bodies."""
_LARGE_ROWS = 50
"""Rows fetched at a time from tables with bodies; from others `_ROWS`."""

Report = Callable[[str], None]


class CopiedTable(NamedTuple):
    """A table that is the same on both sides: its rows and the digest of all their bytes."""

    table: str
    rows: int
    digest: str


def begin(target: Database, source: str, *, has_moved: bool = False) -> None:
    """Make the schema of a copy's target, which from now on no other process may use.

    Raises Conflict where the target holds anything but an unfinished copy of the same source, and
    for a source that has moved where it does not.
    """
    ours = _unfinished(source)
    with target.transaction() as connection:
        migrations.upgrade(connection)
        check_revision(connection)
        tables = STATE if target.dialect == "sqlite" else [*STATE, *INBOX]
        if refusal(connection) != ours:
            if has_moved:
                raise Conflict(MOVED, code="moved_store")
            if refusal(connection) or any(_has_rows(connection, table) for table in tables):
                raise Conflict(
                    "The target database has other data than an unfinished copy of this store; "
                    "name an empty one.",
                    code="target_in_use",
                )
        connection.execute(update(schema_use).values(refusal=ours))


def finish(target: Database) -> None:
    """Let everybody use a database that has been copied into."""
    with target.transaction() as connection:
        connection.execute(update(schema_use).values(refusal=None))


def refusal(connection: Connection) -> str | None:
    """Why a database may not be used; None where it may."""
    if not inspect(connection).has_table(schema_use.name):
        return None
    reason: str | None = connection.execute(select(schema_use.c.refusal)).scalar()
    return reason


def _has_rows(connection: Connection, table: Table) -> bool:
    return connection.execute(select(table).limit(1)).first() is not None


def check_revision(connection: Connection) -> None:
    """Raise OperatorError for another version's schema: it may hold more than this one knows."""
    [number] = connection.execute(text("SELECT version_num FROM alembic_version")).scalars()
    if number != revision.HEAD:
        raise OperatorError(
            f"The database has schema revision {number} and this version of Stationmaster "
            f"{revision.HEAD}; use the version that the servers run.",
            code="unknown_schema",
        )


def copy(
    source: Connection, target: Database, tables: Iterable[Table], report: Report
) -> list[CopiedTable]:
    """Copy tables and compare both sides, each by the bytes of all its rows.

    `source` must stay as it is meanwhile. Raises OperatorError for a table that differs after all.
    """
    return [_copy_table(source, target, table, report) for table in tables]


def _copy_table(source: Connection, target: Database, table: Table, report: Report) -> CopiedTable:
    source_digest = _digest(source, table)
    last = _greatest_key(target, table)
    _append(source, target, table, last, lambda rows: report(f"{table.name}: {rows} rows"))
    copied = _digest_of(target, table)
    if copied != source_digest and last is not None:
        report(f"{table.name} has changed since the copy began: copying it again")
        with target.transaction() as connection:
            connection.execute(delete(table))
        _append(source, target, table, None, lambda rows: report(f"{table.name}: {rows} rows"))
        copied = _digest_of(target, table)
    if copied != source_digest:
        raise OperatorError(
            f"The copy of {table.name} differs ({copied.rows} rows, digest {copied.digest}) from "
            f"the original ({source_digest.rows} rows, digest {source_digest.digest}). "
            "The original stays in use.",
            code="copy_differs",
        )
    return source_digest


def _append(
    source: Connection,
    target: Database,
    table: Table,
    last: Row[Any] | None,
    report: Callable[[int], None],
) -> None:
    """Copy what is behind a key, then let the target give new ids behind the copied ones."""
    count = 0
    for batch in _batches(source, table, last):
        try:
            with target.transaction() as connection:
                connection.execute(insert(table), [row._asdict() for row in batch])
        except DataError as fault:
            raise _unfit(table, batch, fault) from fault
        count += len(batch)
        report(count)
    column = table.autoincrement_column
    if column is not None and target.dialect == "postgresql":
        with target.transaction() as connection:
            serial = func.pg_get_serial_sequence(table.name, column.name)
            connection.execute(select(func.setval(serial, func.max(column))).select_from(table))


def _batches(source: Connection, table: Table, last: Row[Any] | None) -> Iterator[list[Row[Any]]]:
    key = list(table.primary_key)
    query = select(table).order_by(*key)
    if last is not None:
        query = query.where(tuple_(*key) > tuple_(*last))
    batch: list[Row[Any]] = []
    size = 0
    for row in _stream(source, query, table):
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, bytes))
        if len(batch) == _ROWS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _greatest_key(target: Database, table: Table) -> Row[Any] | None:
    """The last key as SQLite, which copies are continued from, orders them: by their bytes."""
    is_other = target.dialect == "postgresql"
    key = list(table.primary_key)
    order = [
        column.collate("C").desc() if is_other and isinstance(column.type, Text) else column.desc()
        for column in key
    ]
    with target.reading() as connection:
        return connection.execute(select(*key).order_by(*order).limit(1)).first()


def _digest_of(database: Database, table: Table) -> CopiedTable:
    with database.reading() as connection:
        return _digest(connection, table)


def _digest(connection: Connection, table: Table) -> CopiedTable:
    """The sum of the digests of all rows, so that their order, which databases see in their own
    ways, is of no account.
    """
    rows = total = 0
    encode = msgspec.msgpack.Encoder().encode
    for row in _stream(connection, select(table), table):
        digest = blake2b(encode(tuple(row)), digest_size=_DIGEST_BYTES).digest()
        total += int.from_bytes(digest)
        rows += 1
    return CopiedTable(str(table.name), rows, f"{total % 256**_DIGEST_BYTES:0{2 * _DIGEST_BYTES}x}")


def _stream(connection: Connection, query: Any, table: Table) -> Iterable[Row[Any]]:
    return connection.execute(query.execution_options(yield_per=_fetched(table)))


def _fetched(table: Table) -> int:
    is_large = any(isinstance(column.type, LargeBinary) for column in table.columns)
    return _LARGE_ROWS if is_large else _ROWS


def _unfit(table: Table, batch: Sequence[Row[Any]], fault: DataError) -> OperatorError:
    keys = [column.name for column in table.primary_key]
    for row in batch:
        values = row._asdict()
        if any(isinstance(value, str) and "\0" in value for value in values.values()):
            where = ", ".join(f"{name} {values[name]!r}" for name in keys)
            why = f"the row of {where} contains the character NUL, which PostgreSQL cannot store"
            break
    else:
        why = str(fault.orig)
    return OperatorError(f"{table.name} cannot be copied: {why}.", code="copy_refused")


def _unfinished(source: str) -> str:
    return (
        f"A copy of the store of {source} into this database has not finished: run the command "
        "that makes it again."
    )


def seal(connection: Connection, tables: Iterable[Table]) -> None:
    """Let a SQLite store refuse every later change, also by processes that still have it open."""
    for table in tables:
        for change in ("INSERT", "UPDATE", "DELETE"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER IF NOT EXISTS moved_{table.name}_{change.lower()} "
                f"BEFORE {change} ON {table.name} BEGIN SELECT RAISE(ABORT, '{MOVED}'); END"
            )
