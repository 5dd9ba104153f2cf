"""`/computers`: the computers that a person may see; one with its steps and history; change and
remove it; the secrets that all get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated

from anyio import from_thread
from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import service as access
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, Secret
from stationmaster.computers import names, presence, remote_access, secrets, service
from stationmaster.computers.managed import service as managed
from stationmaster.computers.managed import store
from stationmaster.computers.model import Change, Changes, Computer
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.web.computers import figures
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/computers"
SECRETS = PATH + "/secrets"
_API = "/api/v0/computers"

routes = router()


@routes.get(PATH)
def show_computers(request: Request, caller: SignedIn) -> Response:
    """One's own, newest first; for owners and managers those of programs, too."""
    require(caller, *menu.MEMBERS)
    db = services_of(request).db
    computers = service.list_all(db, caller)
    online = presence.online(db, caller.org_id)
    owners = access.names(db, caller.org_id)
    rows = [
        (
            *(computer.name, computer.status, "yes" if computer.computer_id in online else "no"),
            *(owners.get(computer.owner_id, computer.owner_id), computer.hostname or ""),
            *(computer.remote_user or "", moment(computer.created_at)),
        )
        for computer in computers
    ]
    heads = ("Name", "State", "Connected", "Owner", "Host", "Account", "Registered (UTC)")
    return list_page(
        "computers.html",
        caller,
        request,
        PATH,
        [listing("computers", "Computers", heads, rows, call_of(request, _API))],
        computers=computers,
        online=online,
        owners=owners,
        sees_programs=caller.role in menu.MANAGERS,
        reach=remote_access.standing(db, caller),
    )


@routes.post(PATH + "/access")
def switch_access(
    request: Request,
    caller: SignedIn,
    of: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
) -> Response:
    """Switch remote access on or off, for oneself or for the organization."""
    require(caller, *menu.MEMBERS)
    whose = {"me": caller.principal_id, "organization": remote_access.EVERYBODY}
    if of not in whose or to not in ("on", "off"):
        raise BadRequest("Say which switch, and on or off.", code="bad_switch")
    remote_access.switch(services_of(request).db, caller, whose[of], is_on=to == "on")
    return see_other(PATH)


@routes.get(SECRETS)
def show_secrets(request: Request, caller: SignedIn) -> Response:
    return _secrets(request, caller)


@routes.post(SECRETS)
def set_secret(
    request: Request,
    caller: SignedIn,
    name: Annotated[str, Form()] = "",
    value: Annotated[str, Form()] = "",
) -> Response:
    """Set a secret, or replace its value."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    try:
        secrets.change(services.db, services.vault, caller, {name: Secret(value)}, ())
    except BadRequest as fault:
        return _secrets(request, caller, name=name, fault=fault)
    return see_other(SECRETS)


@routes.get(SECRETS + "/{name}/remove")
def ask_to_remove_secret(request: Request, caller: SignedIn, name: str) -> Response:
    require(caller, *menu.MANAGERS)
    if name not in secrets.list_names(services_of(request).db, caller.org_id):
        raise NotFound("There is no such secret.")
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Delete the secret {name}?",
        consequence="Its value is gone for good; computers do not get it any more.",
        verb="Delete",
        back=SECRETS,
    )


@routes.post(SECRETS + "/{name}/remove")
def remove_secret(request: Request, caller: SignedIn, name: str) -> Response:
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    secrets.change(services.db, services.vault, caller, {}, (name,))
    return see_other(SECRETS)


@routes.get(PATH + "/{computer_id}")
def show_computer(request: Request, caller: SignedIn, computer_id: str) -> Response:
    return _computer(request, caller, computer_id)


@routes.post(PATH + "/{computer_id}")
def change_computer(
    request: Request,
    caller: SignedIn,
    computer_id: str,
    name: Annotated[str, Form()] = "",
    remote_user: Annotated[str, Form()] = "",
) -> Response:
    """Rename a computer, or change the account on it."""
    require(caller, *menu.MEMBERS)
    changes = Changes(name=name.strip(), remote_user=remote_user.strip())
    try:
        service.update(services_of(request).db, caller, computer_id, changes)
    except (BadRequest, Conflict) as fault:
        return _computer(request, caller, computer_id, changes=changes, fault=fault)
    return see_other(f"{PATH}/{computer_id}")


@routes.post(PATH + "/{computer_id}/retry")
def retry(request: Request, caller: SignedIn, computer_id: str) -> Response:
    """Set a managed computer up again after an error."""
    require(caller, *menu.MEMBERS)
    with suppress(Conflict):  # It was done meanwhile.
        managed.retry(services_of(request).db, caller, computer_id)
    return see_other(f"{PATH}/{computer_id}")


@routes.get(PATH + "/{computer_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, computer_id: str) -> Response:
    computer = _visible(request, caller, computer_id)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {computer.name}?",
        consequence="Its credential ends at once, and it leaves every list. Nothing on the machine "
        "itself changes; it can be registered again.",
        verb="Remove",
        back=f"{PATH}/{computer_id}",
    )


@routes.post(PATH + "/{computer_id}/remove")
def remove(request: Request, caller: SignedIn, computer_id: str) -> Response:
    require(caller, *menu.MEMBERS)
    services = services_of(request)
    service.remove(services.db, caller, computer_id)
    from_thread.run(services.relay.drop, caller.org_id, computer_id)
    return see_other(PATH)


def _computer(
    request: Request,
    caller: Caller,
    computer_id: str,
    *,
    changes: Changes | None = None,
    fault: BadRequest | Conflict | None = None,
) -> Response:
    """One computer, with the form as it was sent beside what is wrong with it."""
    computer = _visible(request, caller, computer_id)
    db = services_of(request).db
    form = changes or Changes(name=computer.name, remote_user=computer.remote_user)
    is_user = fault is not None and fault.code == "invalid_user"
    owners = access.names(db, caller.org_id)
    history = service.history(db, caller, computer_id)
    load = figures.load(request, caller, computer)
    connections = figures.connections(request, caller, computer)
    tables: list[Table | Plot] = [
        _steps(request, computer),
        figures.connections_table(connections, owners),
        _history(request, computer_id, history, owners),
    ]
    if load is not None:
        tables.append(load)
    return list_page(
        "computer.html",
        caller,
        request,
        f"{PATH}/{computer_id}",
        tables,
        status=200 if fault is None else fault.status,
        computer=computer,
        presence=presence.of(db, caller.org_id, computer_id),
        sleeps=managed.is_asleep(db, caller.org_id, computer_id),
        logs=store.logs(db, caller.org_id, computer_id),
        owners=owners,
        history=history,
        connections=connections,
        form=form,
        name_fault=None if fault is None or is_user else fault.detail,
        user_fault=fault.detail if fault is not None and is_user else None,
        name_max=names.NAME_LENGTH_MAX,
        user_max=names.USER_LENGTH_MAX,
    )


def _steps(request: Request, computer: Computer) -> Table:
    rows = [
        (
            *(step.name, step.status, moment(step.started_at), moment(step.completed_at)),
            step.error or "",
        )
        for step in computer.provisioning_steps
    ]
    heads = ("Step", "State", "Begun (UTC)", "Ended (UTC)", "Error")
    call = call_of(request, f"{_API}/{computer.computer_id}")
    return listing("steps", "Steps", heads, rows, call)


def _history(
    request: Request, computer_id: str, history: Sequence[Change], owners: Mapping[str, str]
) -> Table:
    rows = [
        (
            *(moment(each.created_at), each.cause, each.from_status or "", each.to_status),
            owners.get(each.actor_id, each.actor_id),
        )
        for each in history
    ]
    heads = ("When (UTC)", "What", "State before", "State after", "By")
    call = call_of(request, f"/api/platform/v1/computers/{computer_id}/history")
    return listing("history", "History", heads, rows, call)


def _visible(request: Request, caller: Caller, computer_id: str) -> Computer:
    """A computer that the caller may see. Raises NotFound, and Forbidden for guests."""
    require(caller, *menu.MEMBERS)
    return service.get(services_of(request).db, caller, computer_id)


def _secrets(
    request: Request, caller: Caller, *, name: str = "", fault: BadRequest | None = None
) -> Response:
    require(caller, *menu.MANAGERS)
    is_value = fault is not None and fault.detail.startswith("The value")
    secret_names = secrets.list_names(services_of(request).db, caller.org_id)
    call = call_of(request, "/api/v0/organization/computer-secrets")
    return list_page(
        "computer_secrets.html",
        caller,
        request,
        SECRETS,
        [listing("secrets", "Secrets of computers", ["Name"], [[n] for n in secret_names], call)],
        status=200 if fault is None else fault.status,
        secrets=secret_names,
        name=name,
        name_fault=None if fault is None or is_value else fault.detail,
        value_fault=fault.detail if fault is not None and is_value else None,
    )
