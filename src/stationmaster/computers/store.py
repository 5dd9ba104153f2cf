"""Every change of computers, and what is looked up for one in the same transaction.

The organization is right after the connection. A change of state is one UPDATE with the state
before it in its condition, so two writers never both succeed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select, update

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.computers.model import Computer
from stationmaster.db.tables.computers import computer_events, computer_presence, computers
from stationmaster.ids import OrgId

ITSELF = "stationmaster"
"""Who made a change that the software made by itself."""


class HostedComputer(NamedTuple):
    """The living computer of a host."""

    computer_id: str
    owner_id: str
    machine_hash: str | None


def insert_computer(
    connection: Connection,
    org: OrgId,
    new: Computer,
    *,
    machine_hash: str | None,
    credential_hash: str | None,
) -> None:
    connection.execute(
        insert(computers).values(
            **_values(msgspec.structs.asdict(new)),
            org_id=org,
            machine_hash=machine_hash,
            credential_hash=credential_hash,
        )
    )


def is_name_taken(connection: Connection, org: OrgId, owner_id: str, name: str) -> bool:
    """Whether an owner has a living computer of that name."""
    query = select(computers.c.computer_id).filter_by(
        org_id=org, name=name, owner_id=owner_id, removed_at=None
    )
    return connection.execute(query).first() is not None


def registered_host(connection: Connection, org: OrgId, host_id: str) -> HostedComputer | None:
    """The living computer of a host, of any owner; None without one."""
    columns = (computers.c[name] for name in HostedComputer._fields)
    living = select(*columns).filter_by(org_id=org, host_id=host_id, removed_at=None)
    row = connection.execute(living).first()
    return None if row is None else HostedComputer(*row)


def change(connection: Connection, org: OrgId, computer_id: str, fields: dict[str, Any]) -> bool:
    """Change some fields of a living computer; False when there is none."""
    done = connection.execute(
        update(computers)
        .filter_by(org_id=org, computer_id=computer_id, removed_at=None)
        .values(**_values(fields))
    )
    return done.rowcount == 1


def remove(connection: Connection, org: OrgId, computer_id: str) -> str | None:
    """End a living computer, whatever its state, and its credential with it.

    The status in which it ended; None when it had ended before.
    """
    done = connection.execute(
        update(computers)
        .filter_by(org_id=org, computer_id=computer_id, removed_at=None)
        .values(removed_at=clock.now_ms(), credential_hash=None)
        .returning(computers.c.status)
    )
    return done.scalar_one_or_none()


def insert_event(
    connection: Connection,
    org: OrgId,
    computer_id: str,
    before: str | None,
    after: str,
    cause: str,
    by: Caller | None,
) -> None:
    """Note a change of a computer's state, in the transaction that made it. `by` is None for the
    software itself.
    """
    connection.execute(
        insert(computer_events).values(
            org_id=org,
            computer_id=computer_id,
            event_id=ids.new_sortable("cev"),
            created_at=clock.now_ms(),
            from_status=before,
            to_status=after,
            cause=cause,
            actor_id=ITSELF if by is None else by.principal_id,
        )
    )


def trust_host_keys(connection: Connection, org: OrgId, computer_id: str) -> bool:
    """Put the new SSH host keys of a computer in the place of its own; whether there were any."""
    changed = connection.execute(
        update(computer_presence)
        .filter_by(org_id=org, computer_id=computer_id)
        .where(computer_presence.c.new_host_keys.is_not(None))
        .values(host_keys=computer_presence.c.new_host_keys, new_host_keys=None)
    )
    return bool(changed.rowcount)


def _values(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields as their columns hold them: what is no text, number or null is JSON."""
    return {
        name: value
        if value is None or isinstance(value, str | int)
        else msgspec.json.encode(value).decode()
        for name, value in fields.items()
    }
