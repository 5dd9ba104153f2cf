"""`computers`: this machine and others as computers of the organization."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import groups
from stationmaster.cli.api import UNREACHABLE, Api
from stationmaster.cli.options import Connection, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.client import computer
from stationmaster.computers import model
from stationmaster.errors import BadRequest, OperatorError, StationmasterError

if TYPE_CHECKING:
    from stationmaster.client.computer import Machine

computers = groups.group()

_PATH = "/api/v0/computers"
_COLUMNS = (
    "own: , name, status, hostname: host, remoteUser: user, providerType: provider, id (wide), "
    "ownerId: owner (wide), createdAt: created (moment wide)"
)
_NUMBER_MAX = 99
"""How many machines of one host name get a name of their own accord."""

Computer = Annotated[str, typer.Argument(help="Its name, or its id.")]


@computers.command("register")
def register_computer(
    connection: Connection,
    name: Annotated[str | None, typer.Argument(help="Its name; by default the host name.")] = None,
    user: Annotated[
        str | None, typer.Option(help="The account that sessions use; by default yours.")
    ] = None,
    yes: Yes = False,
) -> output.Shown:
    """Register this machine as your computer, once."""
    settings = connection.settings()
    folder = settings.client_dir
    machine = unregistered(folder)
    computer_name = model.derived(computer.hostname()) if name is None else model.name_of(name)
    body = {
        "remoteUser": model.user_of(user or computer.user()),
        "hostId": machine.host_id,
        "machineHash": machine.machine_hash,
        "hostname": computer.hostname(),
    }
    where = settings.url or settings.data_dir
    confirm(f"Register this machine as {computer_name} at {where}?", yes, or_fail=True)
    # Before the request: should its answer get lost, the machine still has the same host id.
    computer.save(folder, machine)
    candidates = [computer_name]
    if name is None:
        candidates += [
            model.numbered(computer_name, number) for number in range(2, _NUMBER_MAX + 1)
        ]
    made = _register(Api(settings, connection.org), candidates, body)
    gained = computer.Registration(
        made["id"], made["name"], made.pop("machineCredential"), settings.url
    )
    computer.save(folder, msgspec.structs.replace(machine, registration=gained))
    if made["name"] != computer_name:
        output.remark(
            f"You have a computer named {computer_name} already; this one is {made['name']}."
        )
    yield made
    output.remark(f"This machine is computer {made['name']} ({made['id']}).")
    output.remark("Next, to reach it from elsewhere: stationmaster computers serve")


@computers.command("list")
def list_computers(connection: Connection, wide: Wide = False) -> output.Shown:
    """List the computers that you may see; `*` marks this machine."""
    settings = connection.settings()
    answer = Api(settings, connection.org).get(_PATH)
    yield answer
    own = _own_id(settings.client_dir)
    rows = [{**row, "own": "*" if row["id"] == own else ""} for row in answer["computers"]]
    empty = "No computers are registered: `stationmaster computers register`."
    output.as_rows(_COLUMNS, rows, wide=wide, empty=empty)


@computers.command("show")
def show_computer(connection: Connection, name: Computer) -> output.Shown:
    """Show a computer."""
    record = find(connection.api(), name)
    yield record
    steps = record.pop("provisioningSteps", [])
    output.as_table(("", ""), [(member, _cell(member, value)) for member, value in record.items()])
    if steps:
        output.as_rows("name: step, status, error", steps)


@computers.command("remove")
def remove_computer(
    connection: Connection,
    name: Annotated[
        str | None, typer.Argument(help="A computer's name or id; by default this machine.")
    ] = None,
    yes: Yes = False,
) -> output.Shown:
    """Remove a computer at the server, then its registration on this machine."""
    settings = connection.settings()
    folder = settings.client_dir
    own = _own_id(folder)
    api = Api(settings, connection.org)
    removed = own if name is None else str(find(api, name)["id"])
    if removed is None:
        _unregister(folder)
    else:
        confirm(
            f"Remove the computer {name or removed}? The machine itself, its agents and what they "
            "sent stay.",
            yes,
            or_fail=True,
        )
        _remove(api, removed, folder)
        if removed == own:
            computer.unregister(folder)
        output.remark(f"Computer {removed} is removed.")
    yield {"id": removed}


def unregistered(folder: Path) -> Machine:
    """This machine, with the host id of an attempt before, if there was one."""
    machine = computer.load(folder)
    if machine is None or (machine.registration is None and computer.is_copy(machine)):
        return computer.this_machine()
    if machine.registration is None:
        return machine
    if computer.is_copy(machine):
        raise OperatorError(
            f"this disk was copied from the machine that is computer {machine.registration.name}: "
            "run `stationmaster computers remove`, which leaves that one alone, then register",
            code="disk_copied",
        )
    raise OperatorError(
        f"this machine is computer {machine.registration.name} "
        f"({machine.registration.computer_id}) already; "
        "`stationmaster computers remove` ends that",
        code="registered",
    )


def _register(api: Api, candidates: list[str], body: dict[str, Any]) -> Any:
    """Under the first of the names that is free."""
    *others, last = candidates
    for name in others:
        try:
            return api.send("POST", _PATH, {"name": name, **body})
        except StationmasterError as refused:
            if refused.code != "name_taken":
                raise
    return api.send("POST", _PATH, {"name": last, **body})


def find(api: Api, name: str) -> Any:
    """A computer by its id, which no name looks like, or by its name."""
    where = "" if name.startswith("cmp_") else "/name"
    return api.get(f"{_PATH}{where}/{quote(name, safe='')}")


def _own_id(folder: Path) -> str | None:
    """The id under which this very machine is registered."""
    machine = computer.load(folder)
    if machine is None or machine.registration is None or computer.is_copy(machine):
        return None
    return machine.registration.computer_id


def _unregister(folder: Path) -> None:
    """Drop what a copied disk has brought along, or an attempt to register has left."""
    if computer.load(folder) is None:
        raise BadRequest(
            "this machine is not registered; name the computer to remove", code="not_registered"
        )
    computer.unregister(folder)
    output.remark("This machine was not registered; its incomplete registration is deleted.")


def _remove(api: Api, computer_id: str, folder: Path) -> None:
    """At the server. A failure states what is left to do."""
    try:
        api.send("DELETE", f"{_PATH}/{computer_id}")
    except StationmasterError as refused:
        remedy = {
            UNREACHABLE: "nothing was removed: repeat this when the server answers",
            "not_found": f"use a key of the person who registered {computer_id}, or "
            f"remove it here: delete {folder / computer.FILE}",
        }.get(refused.code)
        if remedy is None:
            raise
        raise OperatorError(f"{refused.detail.rstrip('.')}; {remedy}", code=refused.code) from None


def _cell(member: str, value: Any) -> object:
    if member == "createdAt":
        return output.moment(value)
    return ", ".join(value) if isinstance(value, list) else value
