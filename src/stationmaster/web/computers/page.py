"""`/computers`: the computers that a person may see; one with its steps and history, how busy it
is, and its newest connections; change and remove it; the secrets that all get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated

from anyio import from_thread
from fastapi import Form
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import audit, service as access
from stationmaster.access.model import Secret
from stationmaster.computers import model, presence, remote_access, secrets, service
from stationmaster.computers.managed import metrics, service as managed, store
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    listing,
    moment,
    router,
    see_other,
)

PATH = "/computers"
SECRETS = PATH + "/secrets"
_API = "/api/v0/computers"

routes = router()


@routes.get(PATH)
def show_computers(visit: MemberVisit) -> Response:
    """One's own, newest first; for owners and managers those of programs, too."""
    computers = service.list_all(visit.db, visit.caller)
    online = presence.online(visit.db, visit.org)
    owners = access.names(visit.db, visit.org)
    rows = [
        (
            *(computer.name, computer.status, "yes" if computer.computer_id in online else "no"),
            *(owners.get(computer.owner_id, computer.owner_id), computer.hostname or ""),
            *(computer.remote_user or "", moment(computer.created_at)),
        )
        for computer in computers
    ]
    heads = ("Name", "State", "Connected", "Owner", "Host", "Account", "Registered (UTC)")
    return visit.lists(
        "computers.html",
        PATH,
        [listing("computers", "Computers", heads, rows, visit.call(_API))],
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
    """One computer, with the form as it was sent beside what is wrong with it."""
    computer = _visible(visit, computer_id)
    form = changes or model.Changes(name=computer.name, remote_user=computer.remote_user)
    is_user = fault is not None and fault.code == "invalid_user"
    owners = access.names(visit.db, visit.org)
    history = service.history(visit.db, visit.caller, computer_id)
    load = _load(visit, computer)
    connections = _connections(visit, computer)
    tables: list[Table | Plot] = [
        _steps(visit, computer),
        _connections_table(connections, owners),
        _history(visit, computer_id, history, owners),
    ]
    if load is not None:
        tables.append(load)
    return visit.lists(
        "computer.html",
        f"{PATH}/{computer_id}",
        tables,
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


def _steps(visit: Visit, computer: model.Computer) -> Table:
    rows = [
        (
            *(step.name, step.status, moment(step.started_at), moment(step.completed_at)),
            step.error or "",
        )
        for step in computer.provisioning_steps
    ]
    heads = ("Step", "State", "Begun (UTC)", "Ended (UTC)", "Error")
    call = visit.call(f"{_API}/{computer.computer_id}")
    return listing("steps", "Steps", heads, rows, call)


def _history(
    visit: Visit, computer_id: str, history: Sequence[model.StatusChange], owners: Mapping[str, str]
) -> Table:
    rows = [
        (
            *(moment(change.created_at), change.cause, change.from_status or "", change.to_status),
            owners.get(change.actor_id, change.actor_id),
        )
        for change in history
    ]
    heads = ("When (UTC)", "What", "State before", "State after", "By")
    call = visit.call(f"/api/platform/v1/computers/{computer_id}/history")
    return listing("history", "History", heads, rows, call)


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
        [listing("secrets", "Secrets of computers", ["Name"], [[n] for n in secret_names], call)],
        status=200 if fault is None else fault.status,
        secrets=secret_names,
        name=name,
        name_fault=None if fault is None or is_value else fault.detail,
        value_fault=fault.detail if fault is not None and is_value else None,
    )


HOURS = 24
CONNECTIONS_MAX = 20
_EVENT = "computer_connection"


def _load(visit: Visit, computer: model.Computer) -> Plot | None:
    """The shares of processors, memory and disk in use in the last 24 hours, as far as a managed
    computer was connected; None where nothing is known."""
    if computer.provider != "managed":
        return None
    start = clock.now_ms() - HOURS * 3600_000
    averages = metrics.since(visit.db, visit.org, computer.computer_id, start)
    if not averages:
        return None
    places = [f"{datetime.fromtimestamp(a.began_at / 1000, UTC):%H:%M}" for a in averages]
    values: dict[str, list[float | None]] = {
        "processors": [average.cpu_used_pct / 100 for average in averages],
        "memory": [_share(average.mem_used, average.mem_total) for average in averages],
        "disk": [_share(average.disk_used, average.disk_total) for average in averages],
    }
    series = [Series(name, of, slot) for slot, (name, of) in enumerate(values.items(), start=1)]
    chart = Chart(
        "load", "In use, of all that there is", "share", [], series, places=places, is_summed=False
    )
    call = visit.call(f"/api/v0/computers/{computer.computer_id}/metrics")
    return Plot(chart, call, "lines", "Five minutes from")


def _connections(visit: Visit, computer: model.Computer) -> list[audit.AuditRecord]:
    """The newest streams that were closed or refused, newest first."""
    return audit.page(
        visit.db, visit.org, limit=CONNECTIONS_MAX, event_type=_EVENT, target=computer.computer_id
    )


def _connections_table(rows: Sequence[audit.AuditRecord], owners: Mapping[str, str]) -> Table:
    """The same as a list that is offered as CSV."""
    heads = ("When (UTC)", "By", "Port", "Seconds", "Bytes to it", "Bytes from it", "Refused")
    cells = [
        (
            *(moment(row.created_at), _names_by(row, owners)),
            *(str(payload.get(name, "")) for name in ("port", "seconds", "bytes_in", "bytes_out")),
            str(payload.get("refused", "")),
        )
        for row in rows
        for payload in [row.payload or {}]
    ]
    return listing("connections", "Connections", heads, cells, "")


def _names_by(row: audit.AuditRecord, owners: Mapping[str, str]) -> str:
    """Who connected, by name."""
    return "" if row.actor is None else owners.get(row.actor.id, row.actor.id)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
