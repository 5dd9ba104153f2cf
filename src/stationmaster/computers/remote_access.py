"""Whether computers may be reached from elsewhere: switches of the organization and of a person.

All are on until one is switched off. Off means no stream to a computer, no SSH key let in,
and no session of an agent started, steered or watched; streams are closed within half a minute.
Stopping a session stays possible.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, select

from stationmaster import clock
from stationmaster.access import audit, service as access
from stationmaster.access.model import Caller, require
from stationmaster.computers import service
from stationmaster.computers.model import Computer
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import remote_access_off as table
from stationmaster.errors import Forbidden

EVERYBODY = ""
"""In the place of a person: the organization's own switch."""
OFF, ON = "remote_access_off", "remote_access_on"
_ROWS = "SELECT principal_id FROM remote_access_off WHERE org_id = ?"


class RemoteAccess(NamedTuple):
    """Whether the organization's switch is on, whether the caller's own is, and the ids of others
    whose is off."""

    organization: bool
    own: bool
    others_off: list[str]


def standing(db: Database, caller: Caller) -> RemoteAccess:
    """The state of the switches; those of others are shown to owners and managers."""
    off = _off(db, caller)
    others = sorted(off - {EVERYBODY, caller.principal_id})
    is_manager = caller.role in ("owner", "manager")
    return RemoteAccess(
        EVERYBODY not in off, caller.principal_id not in off, others if is_manager else []
    )


def get(db: Database, caller: Caller, computer_id: str) -> Computer:
    """A computer that the caller may reach. Raises NotFound as `service.get`, and Forbidden
    (`remote_access_off`)."""
    computer = service.get(db, caller, computer_id)
    off = _off(db, caller)
    if EVERYBODY in off:
        raise Forbidden("Your organization has switched remote access off.", code=OFF)
    if off & {caller.principal_id, computer.owner_id}:
        raise Forbidden(
            "Remote access is switched off for you, or for the owner of this computer.", code=OFF
        )
    return computer


def switch(db: Database, caller: Caller, principal_id: str, *, is_on: bool) -> None:
    """Switch remote access on or off: for `EVERYBODY` as an owner, for others as an owner or
    manager, or for oneself, unless another person has switched it off.

    Raises Forbidden, and NotFound for who is not in the organization.
    """
    if principal_id == EVERYBODY:
        require(caller, "owner")
    elif principal_id != caller.principal_id:
        require(caller, "owner", "manager")
        access.get_principal(db, caller.org_id, principal_id)
    this = (table.c.org_id == caller.org_id, table.c.principal_id == principal_id)
    with db.transaction() as connection:
        row = connection.execute(select(table.c.changed_by).where(*this)).first()
        if (row is None) == is_on:
            return
        if row is not None:
            if row[0] != caller.principal_id:
                require(caller, "owner", "manager")
            connection.execute(delete(table).where(*this))
        else:
            values = {
                "org_id": caller.org_id,
                "principal_id": principal_id,
                "changed_at": clock.now_ms(),
                "changed_by": caller.principal_id,
            }
            connection.execute(db.insert(table).values(**values).on_conflict_do_nothing())
        audit.record(
            connection,
            caller.org_id,
            ON if is_on else OFF,
            by=caller,
            target=audit.Target("member", principal_id) if principal_id else None,
        )


def _off(db: Database, caller: Caller) -> set[str]:
    return {principal_id for (principal_id,) in db.rows(_ROWS, caller.org_id)}
