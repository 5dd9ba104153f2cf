"""What is done with computers. Each change is one transaction.

All raise NotFound for a computer that the caller may not see, be it another person's, in another
organization or nowhere, and BadRequest for words that do not fit.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit, store as access_store
from stationmaster.access.model import Caller, Secret, hash_of, new_key
from stationmaster.computers import model, store, visibility
from stationmaster.computers.model import JOB, Changes, Computer, Registration, StatusChange
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.jobs import service as jobs

CREDENTIAL_PREFIX = "smc_"
REMOVED = "removed"
"""The last state of a computer's history."""
_ID = re.compile(r"cmp_[a-z2-7]{16}")


def register(db: Database, caller: Caller, new: Registration) -> tuple[Computer, Secret]:
    """The caller's own machine as a computer, active immediately, and its credential: shown once.

    Raises Conflict when the name is taken among the caller's computers (`name_taken`), or when the
    organization knows the host already: as this machine (`host_registered`) or as another one with
    a copy of this disk (`disk_copied`).
    """
    credential = new_key(CREDENTIAL_PREFIX)
    with db.transaction() as connection:
        hashed = hash_of(credential.reveal())
        return enter(connection, caller, new, hashed, cause="registered"), credential


def enter(
    connection: Connection, caller: Caller, new: Registration, credential_hash: str, *, cause: str
) -> Computer:
    """A machine as a computer of the caller, whose credential has a hash. Raises as `register`."""
    made = Computer(
        computer_id=ids.new("cmp"),
        name=model.name_of(new.name),
        owner_kind=caller.principal_kind,
        owner_id=caller.principal_id,
        provider="byom",
        status="active",
        created_at=clock.now_ms(),
        remote_user=model.user_of(new.remote_user),
        host_id=new.host_id,
        hostname=None if new.hostname is None else model.hostname_of(new.hostname),
        cloned_repo_directories=_directories(new.cloned_repo_directories),
    )
    org = caller.org_id
    access_store.lock_organization(connection, org)
    _check_host(connection, caller, new)
    check_name(connection, org, made.owner_id, made.name)
    store.insert_computer(
        connection, org, made, machine_hash=new.machine_hash, credential_hash=credential_hash
    )
    store.insert_event(connection, org, made.computer_id, None, made.status, cause, caller)
    record(connection, caller, "computer_registered", made, provider=made.provider, cause=cause)
    return made


def find_named(db: Database, caller: Caller, name: str) -> Computer:
    """The computer of exactly that name: the caller's own before any other.

    Raises Conflict, with the `ids` in its metadata, when several are left.
    """
    computers = visibility.seen_by(db, caller, name=name) if model.is_name(name) else []
    own = [computer for computer in computers if computer.owner_id == caller.principal_id]
    candidates = own or computers
    if not candidates:
        raise _not_found()
    if len(candidates) > 1:
        raise Conflict(
            f"Several computers are named {name}; use an id.",
            code="several_computers",
            metadata={"ids": [candidate.computer_id for candidate in candidates]},
        )
    return candidates[0]


def get(db: Database, caller: Caller, computer_id: str) -> Computer:
    computer, is_removed = _visible(db, caller, computer_id)
    if is_removed:
        raise _not_found()
    return computer


def history(db: Database, caller: Caller, computer_id: str) -> list[StatusChange]:
    """What became of a computer that is there, newest first."""
    return visibility.history(db, caller.org_id, get(db, caller, computer_id).computer_id)


def list_all(db: Database, caller: Caller, host_id: str | None = None) -> list[Computer]:
    """All that the caller may see, newest first; the one of a host, if given."""
    return visibility.seen_by(db, caller, host_id=host_id)


def update(db: Database, caller: Caller, computer_id: str, changes: Changes) -> Computer:
    """Change what a computer is called and what is stored of it; Conflict for a taken name."""
    checked = _checked(changes)
    computer = get(db, caller, computer_id)
    changed = {name: new for name, new in checked.items() if new != getattr(computer, name)}
    if not changed:
        return computer
    org = caller.org_id
    with db.transaction() as connection:
        access_store.lock_organization(connection, org)
        if "name" in changed:
            check_name(connection, org, computer.owner_id, changed["name"])
        if not store.change(connection, org, computer_id, changed):
            raise _not_found()  # Removed meanwhile: removing does not wait.
        event = "computer_renamed" if list(changed) == ["name"] else "computer_updated"
        record(connection, caller, event, computer, fields=sorted(changed))
    return msgspec.structs.replace(computer, **changed)


def converge(db: Database, connection: Connection, org: ids.OrgId, computer_id: str) -> None:
    """Have a job bring a managed computer to how it is wanted."""
    jobs.ask_within(db, connection, org, JOB, computer_id, by=None)


def remove(db: Database, caller: Caller, computer_id: str) -> None:
    """End a computer and its credential, in whatever state. Removing again changes nothing."""
    computer, _ = _visible(db, caller, computer_id)
    org = caller.org_id
    with db.transaction() as connection:
        before = store.remove(connection, org, computer_id)
        if before is None:
            return
        store.insert_event(connection, org, computer_id, before, REMOVED, "removed", caller)
        if computer.provider == "managed":
            converge(db, connection, org, computer_id)
        record(connection, caller, "computer_removed", computer)


def _visible(db: Database, caller: Caller, computer_id: str) -> tuple[Computer, bool]:
    """A computer that the caller may see, or could, and whether it was removed."""
    row = visibility.one_seen_by(db, caller, computer_id) if _ID.fullmatch(computer_id) else None
    if row is None:
        raise _not_found()
    return row


def _not_found() -> NotFound:
    return NotFound("There is no such computer.")


def check_name(connection: Connection, org: ids.OrgId, owner_id: str, name: str) -> None:
    """Raises Conflict (`name_taken`) when an owner has a computer of that name."""
    if store.is_name_taken(connection, org, owner_id, name):
        raise Conflict(f"There is a computer named {name} already.", code="name_taken")


def _check_host(connection: Connection, caller: Caller, new: Registration) -> None:
    host = None
    if new.host_id is not None:
        host = store.registered_host(connection, caller.org_id, new.host_id)
    if host is None:
        return
    hashes = {host.machine_hash, new.machine_hash} - {None}
    if len(hashes) == 2:
        raise Conflict(
            "Another machine is registered with this hostId: this disk was copied. "
            "Run remove, then register.",
            code="disk_copied",
        )
    is_own = host.owner_id == caller.principal_id
    raise Conflict(
        f"This machine is registered already, as {host.computer_id}; remove that first."
        if is_own
        else "This machine is registered already, by another person; they can remove it.",
        code="host_registered",
        metadata={"computer_id": host.computer_id} if is_own else None,
    )


def _checked(changes: Changes) -> dict[str, Any]:
    """The fields that are given, as they will be stored."""
    values: dict[str, Any] = {}
    if changes.name is not None:
        values["name"] = model.name_of(changes.name)
    if changes.remote_user is not None:
        values["remote_user"] = model.user_of(changes.remote_user)
    if changes.hostname is not None:
        values["hostname"] = model.hostname_of(changes.hostname)
    if changes.cloned_repo_directories is not None:
        values["cloned_repo_directories"] = _directories(changes.cloned_repo_directories)
    return values


def _directories(paths: tuple[str, ...]) -> tuple[str, ...]:
    if len(paths) > model.DIRECTORIES_MAX:
        raise BadRequest(
            f"A computer has at most {model.DIRECTORIES_MAX} directories of clones.",
            code="too_many_directories",
        )
    return tuple(model.directory_of(path) for path in paths)


def record(
    connection: Connection, caller: Caller, event: str, computer: Computer, **payload: Any
) -> None:
    """Note in the audit log what a caller did with a computer."""
    about = {"owner_id": computer.owner_id, **payload}
    audit.note(connection, caller, event, "computer", computer.computer_id, **about)


def trust(db: Database, caller: Caller, computer_id: str) -> None:
    """Trust the current SSH host keys of a computer instead of the earlier ones.

    Raises NotFound.
    """
    computer = get(db, caller, computer_id)
    with db.transaction() as connection:
        if store.trust_host_keys(connection, caller.org_id, computer_id):
            record(connection, caller, "computer_host_keys_trusted", computer)
