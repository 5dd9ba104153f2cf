"""Every query of managed computers. A change of state names the state before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.computers import store as computers_store, visibility
from stationmaster.computers.managed.model import Managed
from stationmaster.computers.model import Computer, SetupStep, Status
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import (
    computer_metrics,
    computer_step_logs,
    computers,
    managed_computers,
)
from stationmaster.ids import OrgId

_COLUMNS = ", ".join(Managed.__struct_fields__)
_ONE = f"SELECT {_COLUMNS} FROM managed_computers WHERE org_id = ? AND computer_id = ?"
_ALL = f"SELECT {_COLUMNS} FROM managed_computers ORDER BY org_id, computer_id"
_LIVING = f"""
SELECT {", ".join(Computer.__struct_fields__)} FROM computers
WHERE org_id = ? AND computer_id = ? AND removed_at IS NULL
"""
_LOGS = """
SELECT step_id, content FROM computer_step_logs WHERE org_id = ? AND computer_id = ?
"""


def one(db: Database, org: OrgId, computer_id: str) -> Managed | None:
    rows = db.rows(_ONE, org, computer_id)
    return _managed(rows[0]) if rows else None


def everywhere(db: Database) -> list[Managed]:
    """Those of all organizations whose machine is not ended yet."""
    return [_managed(row) for row in db.rows(_ALL)]


def not_removed(db: Database, org: OrgId, computer_id: str) -> Computer | None:
    """A computer that was not removed, of any owner."""
    rows = db.rows(_LIVING, org, computer_id)
    return visibility.computer_of(rows[0]) if rows else None


def count(connection: Connection, org: OrgId, owner_id: str) -> int:
    """The living managed computers of an owner."""
    query = select(computers.c.computer_id).filter_by(
        org_id=org, owner_id=owner_id, provider="managed", removed_at=None
    )
    return len(connection.execute(query).all())


def add(connection: Connection, new: Managed) -> None:
    repos = msgspec.json.encode(new.repos).decode()
    values = msgspec.structs.asdict(new) | {"org_id": new.org_id, "repos": repos}
    connection.execute(insert(managed_computers).values(**values))


def change(connection: Connection, managed: Managed, **values: Any) -> None:
    connection.execute(
        update(managed_computers)
        .filter_by(org_id=managed.org_id, computer_id=managed.computer_id)
        .values(**values)
    )


def set_status(
    connection: Connection,
    managed: Managed,
    before: Status,
    after: Status,
    cause: str,
    by: Caller | None,
) -> bool:
    """Change the state of a living computer that is still in the one before."""
    key = (managed.org_id, managed.computer_id)
    done = connection.execute(
        update(computers)
        .filter_by(org_id=key[0], computer_id=key[1], status=before, removed_at=None)
        .values(status=after)
    )
    if done.rowcount:
        computers_store.insert_event(connection, *key, before, after, cause, by)
    return bool(done.rowcount)


def note_power(connection: Connection, managed: Managed, cause: str) -> None:
    """Note in the history that an active computer was paused or woken."""
    key = (managed.org_id, managed.computer_id)
    computers_store.insert_event(connection, *key, "active", "active", cause, None)


def set_steps(
    connection: Connection, org: OrgId, computer_id: str, steps: Sequence[SetupStep]
) -> bool:
    return computers_store.change(
        connection, org, computer_id, {"provisioning_steps": tuple(steps)}
    )


def set_credential(db: Database, org: OrgId, computer_id: str, hash_: str) -> None:
    """Let in the machine that has this credential, and no other."""
    with db.transaction() as connection:
        computers_store.change(connection, org, computer_id, {"credential_hash": hash_})


def write_log(db: Database, org: OrgId, computer_id: str, step_id: str, content: str) -> None:
    row = {"content": content, "updated_at": clock.now_ms()}
    key = {"org_id": org, "computer_id": computer_id, "step_id": step_id}
    with db.transaction() as connection:
        connection.execute(
            db.insert(computer_step_logs)
            .values(**key, **row)
            .on_conflict_do_update(index_elements=list(key), set_=row)
        )


def logs(db: Database, org: OrgId, computer_id: str) -> dict[str, str]:
    """What the steps of a computer printed, by step."""
    return dict(db.rows(_LOGS, org, computer_id))


def delete_all(db: Database, managed: Managed) -> None:
    """Delete all that was kept for a machine that has ended."""
    with db.transaction() as connection:
        for table in (managed_computers, computer_step_logs, computer_metrics):
            connection.execute(
                delete(table).filter_by(org_id=managed.org_id, computer_id=managed.computer_id)
            )


def _managed(row: Sequence[Any]) -> Managed:
    fields = dict(zip(Managed.__struct_fields__, row, strict=True))
    return Managed(**fields | {"repos": msgspec.json.decode(fields["repos"], type=tuple[str, ...])})
