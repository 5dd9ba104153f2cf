"""`/computers`: the computers that a person may see; one with its steps and history, how busy it
is, and its newest connections; change and remove it; the secrets that all get."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from anyio import from_thread
from fastapi import Form
from starlette.responses import Response

from stationmaster.access import service as access
from stationmaster.access.model import Secret
from stationmaster.computers import model, presence, remote_access, secrets, service
from stationmaster.computers.managed import service as managed, store
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.web.computers import tables
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    listing,
    router,
    see_other,
)

PATH = "/computers"
SECRETS = PATH + "/secrets"

routes = router()


@routes.get(PATH)
def show_computers(visit: MemberVisit) -> Response:
    """One's own, newest first; for owners and managers those of programs, too."""
    computers = service.list_all(visit.db, visit.caller)
    online = presence.online(visit.db, visit.org)
    owners = access.names(visit.db, visit.org)
    rows = [
        (computer, computer.computer_id in online, owners.get(computer.owner_id, computer.owner_id))
        for computer in computers
    ]
    columns = (
        "0.name: Name, 0.status: State, 1: Connected, 2: Owner, 0.hostname: Host, "
        "0.remote_user: Account, 0.created_at: Registered (UTC)"
    )
    return visit.lists(
        "computers.html",
        PATH,
        [listing("computers", "Computers", columns, rows, visit.call(tables.API))],
        computers=computers,
        online=online,
        owners=owners,
        sees_programs=visit.is_manager,
        reach=remote_access.standing(visit.db, visit.caller),
    )


@routes.post(PATH + "/access")
def switch_access(
    visit: MemberVisit, of: Annotated[str, Form()] = "", to: Annotated[str, Form()] = ""
) -> Response:
    """Switch remote access on or off, for oneself or for the organization."""
    whose = {"me": visit.caller.principal_id, "organization": remote_access.EVERYBODY}
    if of not in whose or to not in ("on", "off"):
        raise BadRequest("Select a switch, and on or off.", code="bad_switch")
    remote_access.switch(visit.db, visit.caller, whose[of], is_on=to == "on")
    return see_other(PATH)


@routes.get(SECRETS)
def show_secrets(visit: ManagerVisit) -> Response:
    return _secrets(visit)


@routes.post(SECRETS)
def set_secret(
    visit: ManagerVisit, name: Annotated[str, Form()] = "", value: Annotated[str, Form()] = ""
) -> Response:
    """Set a secret, or replace its value."""
    try:
        secrets.change(visit.db, visit.services.vault, visit.caller, {name: Secret(value)}, ())
    except BadRequest as fault:
        return _secrets(visit, name=name, fault=fault)
    return see_other(SECRETS)


@routes.get(SECRETS + "/{name}/remove")
def ask_to_remove_secret(visit: ManagerVisit, name: str) -> Response:
    if name not in secrets.list_names(visit.db, visit.org):
        raise NotFound("There is no such secret.")
    return visit.confirm("secret", name, SECRETS)


@routes.post(SECRETS + "/{name}/remove")
def remove_secret(visit: ManagerVisit, name: str) -> Response:
    secrets.change(visit.db, visit.services.vault, visit.caller, {}, (name,))
    return see_other(SECRETS)


@routes.get(PATH + "/{computer_id}")
def show_computer(visit: MemberVisit, computer_id: str) -> Response:
    return _computer(visit, computer_id)


@routes.post(PATH + "/{computer_id}")
def change_computer(
    visit: MemberVisit,
    computer_id: str,
    name: Annotated[str, Form()] = "",
    remote_user: Annotated[str, Form()] = "",
) -> Response:
    """Rename a computer, or change the account on it."""
    changes = model.Changes(name=name.strip(), remote_user=remote_user.strip())
    try:
        service.update(visit.db, visit.caller, computer_id, changes)
    except (BadRequest, Conflict) as fault:
        return _computer(visit, computer_id, changes=changes, fault=fault)
    return see_other(f"{PATH}/{computer_id}")


@routes.post(PATH + "/{computer_id}/retry")
def retry(visit: MemberVisit, computer_id: str) -> Response:
    """Set a managed computer up again after an error."""
    with suppress(Conflict):  # It was done meanwhile.
        managed.retry(visit.db, visit.caller, computer_id)
    return see_other(f"{PATH}/{computer_id}")


@routes.get(PATH + "/{computer_id}/remove")
def ask_to_remove(visit: MemberVisit, computer_id: str) -> Response:
    computer = _visible(visit, computer_id)
    return visit.confirm("computer", computer.name, f"{PATH}/{computer_id}")


@routes.post(PATH + "/{computer_id}/remove")
def remove(visit: MemberVisit, computer_id: str) -> Response:
    service.remove(visit.db, visit.caller, computer_id)
    from_thread.run(visit.services.relay.drop, visit.org, computer_id)
    return see_other(PATH)


def _computer(
    visit: Visit,
    computer_id: str,
    *,
    changes: model.Changes | None = None,
    fault: BadRequest | Conflict | None = None,
) -> Response:
    """One computer, with the form as it was sent and its faults."""
    computer = _visible(visit, computer_id)
    form = changes or model.Changes(name=computer.name, remote_user=computer.remote_user)
    is_user = fault is not None and fault.code == "invalid_user"
    owners = access.names(visit.db, visit.org)
    history = service.history(visit.db, visit.caller, computer_id)
    load = tables.load(visit, computer)
    connections = tables.connections(visit, computer)
    listed: list[Table | Plot] = [
        tables.steps(visit, computer),
        tables.connections_table(connections, owners),
        tables.history(visit, computer_id, history, owners),
    ]
    if load is not None:
        listed.append(load)
    return visit.lists(
        "computer.html",
        f"{PATH}/{computer_id}",
        listed,
        status=200 if fault is None else fault.status,
        computer=computer,
        presence=presence.of(visit.db, visit.org, computer_id),
        sleeps=managed.is_asleep(visit.db, visit.org, computer_id),
        logs=store.logs(visit.db, visit.org, computer_id),
        owners=owners,
        history=history,
        connections=connections,
        form=form,
        name_fault=None if fault is None or is_user else fault.detail,
        user_fault=fault.detail if fault is not None and is_user else None,
        name_max=model.NAME_LENGTH_MAX,
        user_max=model.USER_LENGTH_MAX,
    )


def _visible(visit: Visit, computer_id: str) -> model.Computer:
    """A computer that the caller may see. Raises NotFound, and Forbidden for guests."""
    return service.get(visit.db, visit.caller, computer_id)


def _secrets(visit: Visit, *, name: str = "", fault: BadRequest | None = None) -> Response:
    is_value = fault is not None and fault.detail.startswith("The value")
    secret_names = secrets.list_names(visit.db, visit.org)
    call = visit.call("/api/v0/organization/computer-secrets")
    return visit.lists(
        "computer_secrets.html",
        SECRETS,
        [listing("secrets", "Secrets of computers", "0: Name", [[n] for n in secret_names], call)],
        status=200 if fault is None else fault.status,
        secrets=secret_names,
        name=name,
        name_fault=None if fault is None or is_value else fault.detail,
        value_fault=fault.detail if fault is not None and is_value else None,
    )
