"""The rows of the state database without a person.

A row that belongs to the person goes: its key, or its owner, is one of the person's user ids.
Wherever else an id or an address stands, alone or within a text, "erased person" takes its place.
So columns of text that come later are covered, too; what is sealed, compressed or JSON in bytes is
not: tests/people/test_erased_columns.py lists what happens to every column.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Column, Connection, Table, Text, delete, func, or_, select, update

from stationmaster.db.engine import Database
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.db.tables.access import api_keys, erasures, user_aliases
from stationmaster.db.tables.alerts import alerts
from stationmaster.db.tables.computers import (
    computer_events,
    computer_metrics,
    computer_presence,
    computer_sessions,
    computer_step_logs,
    computers,
    managed_computers,
    session_tickets,
)
from stationmaster.db.tables.lake import inbox as inbox_table
from stationmaster.db.tables.limits import budget_requests, budgets
from stationmaster.db.tables.rollups import day_so_far
from stationmaster.db.tables.sessions import agent_session_models, agent_sessions
from stationmaster.db.tables.signin import sessions
from stationmaster.db.tables.wiki import wiki_runs
from stationmaster.ids import OrgId
from stationmaster.lake import rows
from stationmaster.people.erasure import Subject

PLACEHOLDER = "erased person"
OWNERS = (
    *(api_keys.c.principal_id, sessions.c.user_id, user_aliases.c.person_id),
    *(agent_sessions.c.user_id, alerts.c.person_id, budgets.c.scope_id),
    *(budget_requests.c.principal_id, budget_requests.c.subject),
    session_tickets.c.principal_id,
)
"""Columns outside of keys that say whose a row is."""


def scrub(db: Database, org: OrgId, subject: Subject) -> None:
    """Delete and rename, a table in a transaction."""
    with db.transaction() as connection:
        mine = (computers.c.org_id == org, computers.c.owner_id.in_(subject.users))
        owned = select(computers.c.computer_id).where(*mine)
        for table in (
            computer_presence,
            computer_events,
            computer_sessions,
            computer_step_logs,
            computer_metrics,
        ):
            connection.execute(
                delete(table).where(table.c.org_id == org, table.c.computer_id.in_(owned))
            )
        # What is left is needed to end the machine, which then deletes it.
        connection.execute(
            update(managed_computers)
            .where(managed_computers.c.org_id == org, managed_computers.c.computer_id.in_(owned))
            .values(account="", repos="[]")
        )
        connection.execute(delete(computers).where(*mine))
        connection.execute(delete(day_so_far).filter_by(org_id=org))
        theirs = select(agent_sessions.c.session_id).where(
            agent_sessions.c.org_id == org, agent_sessions.c.user_id.in_(subject.users)
        )
        connection.execute(
            delete(agent_session_models).where(
                agent_session_models.c.org_id == org, agent_session_models.c.session_id.in_(theirs)
            )
        )
        connection.execute(
            update(wiki_runs)
            .where(wiki_runs.c.org_id == org, wiki_runs.c.created_by.in_(subject.users))
            .values(source_session_id=None)
        )
        for column in OWNERS:
            _delete(connection, org, column, subject)
    inbox = set(inbox_metadata.tables)
    for table in metadata.sorted_tables:
        if "org_id" not in table.columns or table is erasures or table.name in inbox:
            continue
        with db.transaction() as connection:
            for column in _texts(table):
                if column.primary_key:
                    _delete(connection, org, column, subject)
                else:
                    _rename(connection, org, column, subject)


def delete_corrupt(inbox: Database, org: OrgId, subject: Subject) -> None:
    """Delete the person's requests that were set aside because they do not decode."""
    columns = inbox_table.c
    aside = (columns.org_id == org, columns.batch_id.like("corrupt:%"))
    with inbox.transaction() as connection:
        rows = connection.execute(select(columns.id, columns.tally).where(*aside)).all()
        theirs = [row_id for row_id, tally in rows if _is_of(bytes(tally), subject)]
        if theirs:
            connection.execute(delete(inbox_table).where(*aside, columns.id.in_(theirs)))


def _is_of(tally: bytes, subject: Subject) -> bool:
    try:
        return rows.decode_tally(tally).sender.user_id in subject.users
    except rows.CorruptRowError:
        # Whose it is cannot be known, and nobody can count it.
        return True


def _texts(table: Table) -> Iterator[Column[str]]:
    for column in table.columns:
        if isinstance(column.type, Text) and column.name != "org_id":
            yield column


def _delete(connection: Connection, org: OrgId, column: Column[str], subject: Subject) -> None:
    table = column.table
    connection.execute(
        delete(table).where(
            table.c.org_id == org,
            or_(column.in_(subject.users), func.lower(column).in_(subject.emails)),
        )
    )


def _rename(connection: Connection, org: OrgId, column: Column[str], subject: Subject) -> None:
    table = column.table
    named = [*subject.users, *subject.emails]
    rows_with = select(*table.primary_key, column.label("value")).where(
        table.c.org_id == org,
        or_(*(func.lower(column).contains(text, autoescape=True) for text in named)),
    )
    pattern = subject.pattern()
    for *key, value in connection.execute(rows_with).all():
        new = pattern.sub(PLACEHOLDER, value)
        if new != value:
            at = zip(table.primary_key, key, strict=True)
            connection.execute(
                update(table)
                .where(table.c.org_id == org, *(part == key_value for part, key_value in at))
                .values({column.name: new})
            )
