"""What people do with managed computers. Each change is one transaction, and requests the job that
brings it about.

All raise NotFound for a computer that the caller may not see, Conflict (`not_managed`) for a
machine of its owner's, and Conflict for a computer in another state than this needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import store as access_store
from stationmaster.access.model import Caller
from stationmaster.computers import presence, service, store as computers_store
from stationmaster.computers.managed import model, store, templates
from stationmaster.computers.model import (
    NAME_LENGTH_MAX,
    Computer,
    CopySource,
    SetupStep,
    Template,
    is_name,
    name_of,
    user_of,
)
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotImplementedYet

_PREFIX_MAX = NAME_LENGTH_MAX - 4


class Wish(NamedTuple):
    """A computer that is wanted, checked, as it will be stored."""

    template: str
    user: str
    repos: tuple[str, ...]
    source: Template | CopySource | None
    steps: tuple[SetupStep, ...]


def create(
    db: Database,
    offer: templates.TemplateOffer,
    caller: Caller,
    computer_names: Sequence[str],
    new: model.NewComputer,
) -> list[Computer]:
    """Computers of these names, all or none, which are being set up from now on.

    Raises BadRequest, NotFound for a `copy_of` that the caller does not see, Conflict
    (`name_taken`, `too_many_computers`), and NotImplementedYet where the operator offers no
    templates.
    """
    wish = _checked(db, offer.templates, caller, new)
    org, now, made = caller.org_id, clock.now_ms(), []
    with db.transaction() as connection:
        access_store.lock_organization(connection, org)
        if (
            store.count(connection, org, caller.principal_id) + len(computer_names)
            > offer.per_owner
        ):
            raise Conflict(
                f"You may have {offer.per_owner} managed computers; remove one first.",
                code="too_many_computers",
            )
        for name in computer_names:
            service.check_name(connection, org, caller.principal_id, name_of(name))
            computer = _computer(caller, name, wish, now)
            computers_store.insert_computer(
                connection, org, computer, machine_hash=None, credential_hash=None
            )
            store.add(connection, _managed(org, computer, wish, now))
            key = (org, computer.computer_id)
            computers_store.insert_event(connection, *key, None, computer.status, "created", caller)
            service.converge(db, connection, *key)
            service.record(connection, caller, "computer_created", computer, template=wish.template)
            made.append(computer)
    return made


def numbered(db: Database, caller: Caller, prefix: str, count: int) -> list[str]:
    """Free names of the caller's that begin with a prefix: `build-1`, `build-2`, …"""
    if len(prefix) > _PREFIX_MAX or not is_name(prefix) or not prefix[0].isalpha():
        raise BadRequest(
            f"A prefix has 1 to {_PREFIX_MAX} lower-case letters, digits and hyphens, and begins "
            "with a letter.",
            code="invalid_name",
        )
    taken = {
        computer.name
        for computer in service.list_all(db, caller)
        if computer.owner_id == caller.principal_id
    }
    free: list[str] = []
    number = 1
    while len(free) < count:
        name = f"{prefix}-{number}"
        if name not in taken:
            free.append(name)
        number += 1
    return free


def retry(db: Database, caller: Caller, computer_id: str) -> Computer:
    """Set a computer up again after an error: every step checks first what is there."""
    computer, managed = computer_and_machine(db, caller, computer_id, "error", "not_in_error")
    again = _asked_again(computer.provisioning_steps, *model.KINDS)
    with db.transaction() as connection:
        if not store.set_status(connection, managed, "error", "provisioning", "retried", caller):
            raise Conflict("This computer is not in error any more.", code="not_in_error")
        store.set_steps(connection, caller.org_id, computer_id, again)
        deadline_at = clock.now_ms() + model.DEADLINE_S * 1000
        _change(
            db,
            connection,
            managed,
            power="running",
            deadline_at=deadline_at,
            failure=None,
            failed_at=None,
        )
        service.record(connection, caller, "computer_retried", computer)
    return msgspec.structs.replace(computer, status="provisioning", provisioning_steps=again)


def restart(db: Database, caller: Caller, computer_id: str, reboots: bool) -> bool:
    """Restart a computer; without `reboots`, only one that is not running. Whether it is."""
    computer, managed = computer_and_machine(db, caller, computer_id, "active", "not_active")
    if not reboots and _is_up(db, managed):
        return False
    with db.transaction() as connection:
        _change(
            db,
            connection,
            managed,
            power="restarting" if reboots else "running",
            last_active_at=clock.now_ms(),
        )
        service.record(connection, caller, "computer_restarted", computer, reboots=reboots)
    return True


def run_again(db: Database, caller: Caller, computer_id: str, step: model.Kind) -> Computer:
    """Have a step of an active computer done again; a computer that sleeps is woken for it."""
    computer, managed = computer_and_machine(db, caller, computer_id, "active", "not_active")
    steps = computer.provisioning_steps
    if all(other.id != step.id for other in steps):
        steps = (*steps, SetupStep(step.id, step.name, "pending"))
    again = _asked_again(steps, step.id)
    with db.transaction() as connection:
        store.set_steps(connection, caller.org_id, computer_id, again)
        _change(db, connection, managed, power="running", last_active_at=clock.now_ms())
        service.record(connection, caller, "computer_step_asked", computer, step=step.id)
    return msgspec.structs.replace(computer, provisioning_steps=again)


def note_activity(db: Database, caller: Caller, computer_id: str) -> int:
    """Keep a computer from being paused for a while; since when that counts."""
    _, managed = computer_and_machine(db, caller, computer_id)
    return note_used(db, managed)


def note_used(db: Database, managed: model.Managed) -> int:
    """Store that a computer is in use at this moment."""
    now = clock.now_ms()
    with db.transaction() as connection:
        store.change(connection, managed, last_active_at=now)
    return now


def wake(db: Database, org: ids.OrgId, computer_id: str) -> bool:
    """Have a computer run that is about to be used; whether it is managed and does not run yet."""
    managed = store.one(db, org, computer_id)
    if managed is None or _is_up(db, managed):
        return False
    with db.transaction() as connection:
        power = managed.power if managed.power == "restarting" else "running"
        if managed.power == "asleep":
            store.note_power(connection, managed, "woken")
        _change(db, connection, managed, power=power, last_active_at=clock.now_ms())
    return True


def computer_and_machine(
    db: Database, caller: Caller, computer_id: str, status: str | None = None, code: str = ""
) -> tuple[Computer, model.Managed]:
    """A managed computer that the caller sees; Conflict with the code in any other status."""
    computer = service.get(db, caller, computer_id)
    managed = store.one(db, caller.org_id, computer_id) if computer.provider == "managed" else None
    if managed is None:
        raise Conflict(
            "This is its owner's machine: it is set up, restarted and paused there.",
            code="not_managed",
        )
    if status is not None and computer.status != status:
        raise Conflict(f"This computer is {computer.status}.", code=code)
    return computer, managed


def is_asleep(db: Database, org: ids.OrgId, computer_id: str) -> bool:
    managed = store.one(db, org, computer_id)
    return managed is not None and managed.power == "asleep"


def is_up(db: Database, org: ids.OrgId, computer_id: str) -> bool:
    """Whether a managed computer runs, is wanted so, and its agent is connected."""
    managed = store.one(db, org, computer_id)
    return managed is not None and _is_up(db, managed)


def _is_up(db: Database, managed: model.Managed) -> bool:
    shown = presence.of(db, managed.org_id, managed.computer_id)
    return managed.power == "running" and shown is not None and shown.state == "online"


def _change(db: Database, connection: Connection, managed: model.Managed, **values: object) -> None:
    """Change the desired state of a computer, and have a job reach it."""
    store.change(connection, managed, **values)
    service.converge(db, connection, managed.org_id, managed.computer_id)


def _asked_again(steps: Sequence[SetupStep], *keys: str) -> tuple[SetupStep, ...]:
    return tuple(
        SetupStep(step.id, step.name, "pending") if step.id in keys else step for step in steps
    )


def _checked(
    db: Database, offered: templates.Templates, caller: Caller, new: model.NewComputer
) -> Wish:
    if not offered:
        raise NotImplementedYet(
            "This installation makes no computers: its operator offers no templates "
            "(STATIONMASTER_COMPUTER_TEMPLATES). A machine of your own can be registered.",
            code="managed_not_available",
        )
    user, template, repos = new.remote_user, new.template, new.repos
    source: Template | CopySource | None = None if template is None else Template(template)
    if new.copy_of is not None:
        original, like = computer_and_machine(db, caller, new.copy_of)
        source = CopySource(new.copy_of)
        user, template = user or original.remote_user, like.template
        repos = repos or like.repos
    template = template or templates.chosen(offered)
    if template is None or template not in offered:
        raise BadRequest(
            f"There are these templates: {', '.join(sorted(offered))}.", code="unknown_template"
        )
    urls = model.addresses_of(repos)
    steps = model.steps(clones=bool(urls), installs=new.installs_dependencies)
    return Wish(template, user_of(user or _USER), urls, source, steps)


_USER = "dev"
"""The account of a computer whose owner names none."""


def _computer(caller: Caller, name: str, wish: Wish, now: int) -> Computer:
    return Computer(
        computer_id=ids.new("cmp"),
        name=name,
        owner_kind=caller.principal_kind,
        owner_id=caller.principal_id,
        provider="managed",
        status="provisioning",
        created_at=now,
        remote_user=wish.user,
        host_id=ids.new_uuid(),
        hostname=None,
        provisioning_steps=wish.steps,
        source=wish.source,
    )


def _managed(org: ids.OrgId, computer: Computer, wish: Wish, now: int) -> model.Managed:
    return model.Managed(
        org_id=org,
        computer_id=computer.computer_id,
        template=wish.template,
        account=wish.user,
        reference=None,
        agent=None,
        repos=wish.repos,
        power="running",
        deadline_at=now + model.DEADLINE_S * 1000,
        last_active_at=now,
        failure=None,
        failed_at=None,
    )
