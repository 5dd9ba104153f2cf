"""What the tables hold of computers, where a test looks behind the verbs."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.access.model import Caller
from stationmaster.computers import service, store
from stationmaster.computers.model import Computer, Registration
from stationmaster.db.engine import Database

HOST = "0192d3a0-0000-7000-8000-000000000001"


def a_computer(db: Database, caller: Caller, name: str = "build", **fields: Any) -> Computer:
    """A registered one."""
    made, _ = service.register(
        db, caller, Registration(**({"name": name, "remote_user": "dev"} | fields))
    )
    return made


def a_managed_computer(db: Database, caller: Caller, **fields: Any) -> Computer:
    """One as a provisioner will make it, in the state that the fields say."""
    new = Computer(
        computer_id="cmp_aaaaaaaaaaaaaaaa",
        name="cloud",
        owner_kind=caller.principal_kind,
        owner_id=caller.principal_id,
        provider="managed",
        status="provisioning",
        created_at=1,
        remote_user="dev",
        host_id=None,
        hostname=None,
    )
    made = msgspec.structs.replace(new, **fields)
    with db.transaction() as connection:
        store.insert_computer(
            connection, caller.org_id, made, machine_hash=None, credential_hash=None
        )
    return made


def history(db: Database, caller: Caller, computer_id: str) -> list[tuple[Any, ...]]:
    """Each change of state as (from, to, cause, by), oldest first."""
    return db.rows(
        "SELECT from_status, to_status, cause, actor_id FROM computer_events "
        "WHERE org_id = ? AND computer_id = ? ORDER BY from_status IS NOT NULL, event_id",
        caller.org_id,
        computer_id,
    )


def credential_hash(db: Database, caller: Caller, computer_id: str) -> str | None:
    found = db.rows(
        "SELECT credential_hash FROM computers WHERE org_id = ? AND computer_id = ?",
        caller.org_id,
        computer_id,
    )
    return found[0][0]  # type: ignore[no-any-return] # a row has no types
