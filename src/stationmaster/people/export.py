"""All that is stored about a person, record by record, so that any amount fits into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import pyarrow.parquet as pq
from sqlalchemy import Column, Table, or_, select, tuple_

from stationmaster import days
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import (
    api_keys,
    audit_log,
    members,
    one_time_links,
    user_aliases,
    user_evidence,
)
from stationmaster.db.tables.computers import computer_sessions, computers
from stationmaster.db.tables.coverage import senders
from stationmaster.db.tables.limits import budget_requests, budget_use, budgets
from stationmaster.db.tables.rollups import user_documents
from stationmaster.db.tables.sessions import agent_sessions
from stationmaster.db.tables.signin import sessions
from stationmaster.errors import Forbidden
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.schema import event_id
from stationmaster.lake.storage import Lake
from stationmaster.people import erased_parts
from stationmaster.people.erasure import PersonNames, resolve

ROWS = 500
"""Rows that are held at a time."""
_DAYS = """
SELECT day FROM lake_partitions WHERE org_id = ?
UNION SELECT day FROM lake_days WHERE org_id = ? ORDER BY 1
"""


class ExportedTable(NamedTuple):
    """Rows of a table that belong to a person."""

    name: str
    table: Table
    owners: tuple[str, ...]
    """Columns that hold a user id."""
    without: tuple[str, ...] = ()
    """Columns that are left out: hashes of secrets, which are no one's data."""


SECTIONS = (
    ExportedTable("members", members, ("user_id",)),
    ExportedTable("keys", api_keys, ("principal_id",), ("secret_hash",)),
    ExportedTable(
        "sessions", sessions, ("user_id",), ("family_hash", "secret_hash", "previous_hash")
    ),
    ExportedTable("links", one_time_links, ("user_id",), ("link_hash",)),
    ExportedTable("limits", budgets, ("scope_id",)),
    ExportedTable("limits-used", budget_use, ("subject",)),
    ExportedTable("limit-requests", budget_requests, ("principal_id",)),
    ExportedTable("aliases", user_aliases, ("user_id", "person_id")),
    ExportedTable("evidence", user_evidence, ("user_id", "person_id")),
    ExportedTable("senders", senders, ("user_id",)),
    ExportedTable("agent-sessions", agent_sessions, ("user_id",)),
    ExportedTable("computers", computers, ("owner_id",), ("credential_hash", "machine_hash")),
    ExportedTable("computer-sessions", computer_sessions, ("started_by",)),
    ExportedTable("audit", audit_log, ("actor_id", "target_id")),
)
FIGURES = ExportedTable("days", user_documents, ("user_id",))


class ExportedRecord(NamedTuple):
    """One row of an export, and the name of its section."""

    section: str
    data: dict[str, Any]


def of(db: Database, org: OrgId, person: str | None, *, by: Caller) -> PersonNames:
    """Whom an export is about: the caller, where no person is given.

    Raises Forbidden for who is neither an owner nor that person, NotFound for who is not known.
    """
    if by.principal_kind == "service":
        raise Forbidden("Only the data of people can be exported; this is a service account.")
    with db.reading() as connection:
        if person is None or by.role != "owner":
            named = resolve(connection, org, by.principal_id)
            if person is not None and person.strip().lower() not in named.users + named.emails:
                raise Forbidden("Only owners can export the data of others.")
            return named
        return resolve(connection, org, person)


def records(db: Database, lake: Lake, org: OrgId, named: PersonNames) -> Iterator[ExportedRecord]:
    """Everything, a section after the other; events last, by day. Raises as Lake does."""
    yield ExportedRecord("person", {"user_ids": named.users, "emails": named.emails})
    for section in SECTIONS:
        yield from _rows(db, org, section, named)
    for row in _keyed(db, org, FIGURES.table, (FIGURES.table.c.user_id,), named):
        yield ExportedRecord(FIGURES.name, msgspec.json.decode(bytes(row["body"])))
    for (day,) in db.rows(_DAYS, org, org):
        for event in _events(db, lake, org, day, named):
            yield ExportedRecord("events", event)


def _rows(
    db: Database, org: OrgId, section: ExportedTable, named: PersonNames
) -> Iterator[ExportedRecord]:
    owners = tuple(section.table.c[name] for name in section.owners)
    for row in _keyed(db, org, section.table, owners, named):
        data = {
            name: value
            for name, value in row.items()
            if name not in ("org_id", *section.without) and not isinstance(value, bytes)
        }
        yield ExportedRecord(section.name, data)


def _keyed(
    db: Database, org: OrgId, table: Table, owners: tuple[Column[Any], ...], named: PersonNames
) -> Iterator[dict[str, Any]]:
    """Rows in the order of their keys, ROWS in a transaction."""
    key = [column for column in table.primary_key if column.name != "org_id"]
    mine = select(table).where(
        table.c.org_id == org, or_(*(owner.in_(named.users) for owner in owners))
    )
    after: tuple[Any, ...] | None = None
    while True:
        query = mine if after is None else mine.where(tuple_(*key) > tuple_(*after))
        with db.reading() as connection:
            rows = connection.execute(query.order_by(*key).limit(ROWS)).all()
        yield from (dict(row._mapping) for row in rows)
        if len(rows) < ROWS:
            return
        after = tuple(rows[-1]._mapping[column.name] for column in key)


def _events(
    db: Database, lake: Lake, org: OrgId, day: str, named: PersonNames
) -> Iterator[dict[str, Any]]:
    for part in entries.visible(db, lake, org, days.parse(day)):
        with lake.reading(part) as file:
            stored = pq.ParquetFile(file, page_checksum_verification=True)
            for batch in stored.iter_batches(ROWS, use_threads=False):
                for row in erased_parts.of_person(batch, named).to_pylist():
                    hi, lo = row.pop("event_id_hi"), row.pop("event_id_lo")
                    fields = {name: value for name, value in row.items() if value is not None}
                    yield {"event_id": event_id(hi, lo), **fields}
