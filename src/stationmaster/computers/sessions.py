"""Sessions of coding agents on computers: who started which, the state of each, and who may use it.

Rows hold states and counts. What passes between a person and an agent is stored nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select, update

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.computers import service
from stationmaster.computers.model import Computer
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import computer_sessions as table, computers
from stationmaster.errors import NotFound
from stationmaster.session_messages import Reason, SessionState, State

LISTED_MAX = 200
START_MS = 120_000
"""A session that its computer has not mentioned for so long since its start is lost."""


class Session(msgspec.Struct, frozen=True):
    """One session. Times are Unix milliseconds; `changed_at` is of its state."""

    session_id: str
    computer_id: str
    agent: str
    started_by: str
    state: State
    reason: Reason | None
    created_at: int
    changed_at: int
    ended_at: int | None = None
    prompts: int = 0
    permissions: int = 0
    updates: int = 0


class AtWork(NamedTuple):
    """A session whose agent works, or waits for an answer, and whose computer it is on."""

    org_id: ids.OrgId
    computer_id: str
    session_id: str
    agent: str
    owner_id: str


_COLUMNS = [table.c[name] for name in Session.__struct_fields__]


def begin(db: Database, caller: Caller, computer: Computer, agent: str) -> Session:
    """A session that is about to start on a computer that the caller may see."""
    now = clock.now_ms()
    new = Session(
        session_id=ids.new_sortable("ses"),
        computer_id=computer.computer_id,
        agent=agent,
        started_by=caller.principal_id,
        state="starting",
        reason=None,
        created_at=now,
        changed_at=now,
    )
    with db.transaction() as connection:
        row = msgspec.structs.asdict(new)
        connection.execute(insert(table).values(org_id=caller.org_id, **row))
        about = {"session_id": new.session_id, "agent": agent}
        service.record(connection, caller, "computer_session_started", computer, **about)
    return new


def end(db: Database, org: ids.OrgId, session_id: str, reason: Reason) -> None:
    """The session has ended, if it had not."""
    now = clock.now_ms()
    with db.transaction() as connection:
        connection.execute(
            update(table)
            .filter_by(org_id=org, session_id=session_id)
            .where(table.c.state != "ended")
            .values(state="ended", reason=reason, changed_at=now, ended_at=now)
        )


def started(db: Database, org: ids.OrgId, session: Session) -> Session:
    """The session waits for prompts, unless its computer has reported its state by now."""
    with db.transaction() as connection:
        connection.execute(
            update(table)
            .filter_by(org_id=org, session_id=session.session_id, state="starting")
            .values(state="idle", changed_at=clock.now_ms())
        )
        return _one(connection, org, session.computer_id, session.session_id)


def note(db: Database, org: ids.OrgId, computer_id: str, standings: Sequence[SessionState]) -> None:
    """Store the state of a computer's sessions, as it reports: what it does not mention is lost."""
    now = clock.now_ms()
    by_id = {standing.session: standing for standing in standings}
    with db.transaction() as connection:
        of_computer = select(*_COLUMNS).filter_by(org_id=org, computer_id=computer_id)
        is_open = (table.c.ended_at.is_(None)) | (table.c.session_id.in_(list(by_id)))
        for row in connection.execute(of_computer.where(is_open)).all():
            session = Session(*row)
            changed = _changes(session, by_id.get(session.session_id), now)
            if changed:
                this = update(table).filter_by(org_id=org, session_id=session.session_id)
                connection.execute(this.values(**changed))


def _changes(session: Session, standing: SessionState | None, now: int) -> dict[str, Any]:
    if standing is None:
        if session.state == "starting" and now - session.created_at < START_MS:
            return {}
        return {"state": "ended", "reason": "lost", "changed_at": now, "ended_at": now}
    values = {
        "state": standing.state,
        "reason": standing.reason,
        "prompts": standing.prompts,
        "permissions": standing.permissions,
        "updates": standing.updates,
    }
    changed = {name: value for name, value in values.items() if value != getattr(session, name)}
    if "state" in changed:
        changed["changed_at"] = now
        changed["ended_at"] = now if standing.state == "ended" else None
    return changed


def at_work(db: Database, computer_ids: Collection[str]) -> list[AtWork]:
    """Those of some computers, of any organization."""
    query = (
        select(
            table.c.org_id,
            table.c.computer_id,
            table.c.session_id,
            table.c.agent,
            computers.c.owner_id,
        )
        .join(
            computers,
            (computers.c.org_id == table.c.org_id)
            & (computers.c.computer_id == table.c.computer_id),
        )
        .where(
            table.c.ended_at.is_(None),
            table.c.state.in_(["working", "waiting"]),
            table.c.computer_id.in_(sorted(computer_ids)),
        )
    )
    with db.reading() as connection:
        return [AtWork(*row) for row in connection.execute(query)]


def of_computer(db: Database, caller: Caller, computer_id: str) -> tuple[Computer, list[Session]]:
    """The newest sessions of a computer, newest first. Raises NotFound."""
    computer = service.get(db, caller, computer_id)
    query = (
        select(*_COLUMNS)
        .filter_by(org_id=caller.org_id, computer_id=computer.computer_id)
        .order_by(table.c.session_id.desc())
        .limit(LISTED_MAX)
    )
    with db.reading() as connection:
        return computer, [Session(*row) for row in connection.execute(query)]


def one(
    db: Database, caller: Caller, computer_id: str, session_id: str
) -> tuple[Computer, Session]:
    """A session of a computer that the caller may see. Raises NotFound."""
    computer = service.get(db, caller, computer_id)
    with db.reading() as connection:
        return computer, _one(connection, caller.org_id, computer.computer_id, session_id)


def record(
    db: Database, caller: Caller, computer: Computer, session: Session, event: str, **payload: Any
) -> None:
    """Note in the audit log what a caller did with a session."""
    with db.transaction() as connection:
        about = {"session_id": session.session_id, **payload}
        service.record(connection, caller, event, computer, **about)


def _one(connection: Connection, org: ids.OrgId, computer_id: str, session_id: str) -> Session:
    if "\0" in session_id:  # PostgreSQL takes no such text.
        raise NotFound("There is no such session.")
    this = {"org_id": org, "session_id": session_id, "computer_id": computer_id}
    row = connection.execute(select(*_COLUMNS).filter_by(**this)).first()
    if row is None:
        raise NotFound("There is no such session.")
    return Session(*row)
