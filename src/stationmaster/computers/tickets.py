"""Tickets with which a page of ours opens the stream of one session: good once, for seconds."""

from __future__ import annotations

import secrets

from sqlalchemy import delete, insert

from stationmaster import clock
from stationmaster.access.model import Caller, hash_of
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import session_tickets as table
from stationmaster.errors import Forbidden

LIFE_MS = 10_000


def issue(db: Database, caller: Caller, session_id: str) -> str:
    """A ticket for the caller and a session."""
    ticket, now = secrets.token_urlsafe(16), clock.now_ms()
    with db.transaction() as connection:
        connection.execute(
            delete(table).where(table.c.org_id == caller.org_id, table.c.expires_at < now)
        )
        connection.execute(
            insert(table).values(
                org_id=caller.org_id,
                ticket_hash=hash_of(ticket),
                principal_id=caller.principal_id,
                session_id=session_id,
                expires_at=now + LIFE_MS,
            )
        )
    return ticket


def redeem(db: Database, caller: Caller, session_id: str, ticket: str) -> None:
    """Use a ticket up. Raises Forbidden for one that is not the caller's, of another session, too
    old or was used."""
    with db.transaction() as connection:
        done = connection.execute(
            delete(table).where(
                table.c.org_id == caller.org_id,
                table.c.ticket_hash == hash_of(ticket),
                table.c.principal_id == caller.principal_id,
                table.c.session_id == session_id,
                table.c.expires_at >= clock.now_ms(),
            )
        )
    if done.rowcount != 1:
        raise Forbidden("This ticket is not valid; load the page again.", code="bad_ticket")
