"""`computers`: this machine and others as computers of the organization."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import asking, groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.client import computer
from stationmaster.computers import names
from stationmaster.errors import BadRequest, OperatorError, StationmasterError

if TYPE_CHECKING:
    from stationmaster.cli.api import Api
    from stationmaster.client.computer import Machine

computers = groups.group()

_PATH = "/api/v0/computers"
_COLUMNS = (
    "",
    "name",
    "status",
    "host",
    "user",
    "provider",
    table.wide("id"),
    table.wide("owner"),
    table.moment("created", wide=True),
)
_NUMBER_MAX = 99
"""How many machines of one host name get a name of their own accord."""

Computer = Annotated[str, typer.Argument(help="Its name, or its id.")]


def register(app: typer.Typer) -> None:
    """Add the group `computers`, with the commands that other modules define."""
    # Its commands are of the same group.
    from stationmaster.cli.computers import (  # noqa: F401
        doctor,
        managed,
        pairing,
        remote,
        sessions,
    )

    app.add_typer(computers, name="computers")


@computers.command("register")
def register_computer(
    connection: Connection,
    name: Annotated[
        str | None, typer.Argument(help="What to call it; by default after its host name.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="The account that sessions use; by default yours.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Register this machine as a computer of yours; once per machine."""
    from stationmaster.cli.api import Api

    settings = connection.settings()
    folder = settings.client_dir
    machine = unregistered(folder)
    wanted = names.derived(computer.hostname()) if name is None else names.name_of(name)
    body = {
        "remoteUser": names.user_of(user or computer.user()),
        "hostId": machine.host_id,
        "machineHash": machine.machine_hash,
        "hostname": computer.hostname(),
    }
    where = settings.url or settings.data_dir
    asking.confirm(f"Register this machine as {wanted} at {where}?", yes, or_fail=True)
    # Before the request: should its answer get lost, the machine still has the same host id.
    computer.save(folder, machine)
    candidates = [wanted]
    if name is None:
        candidates += [names.numbered(wanted, number) for number in range(2, _NUMBER_MAX + 1)]
    made = _register(Api(settings, connection.org), candidates, body)
    gained = computer.Registration(
        made["id"], made["name"], made.pop("machineCredential"), settings.url
    )
    computer.save(folder, msgspec.structs.replace(machine, registration=gained))
    if made["name"] != wanted:
        output.say(f"You have a computer named {wanted} already; this one is {made['name']}.")
    if json:
        output.as_json(made)
    else:
        output.say(f"This machine is computer {made['name']} ({made['id']}).")
        output.say("Next, to reach it from elsewhere: stationmaster computers serve")


@computers.command("list")
def list_computers(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """List the computers that you may see; `*` marks this machine."""
    from stationmaster.cli.api import Api

    settings = connection.settings()
    found = Api(settings, connection.org).get(_PATH)
    if json:
        output.as_json(found)
        return
    own = _own_id(settings.client_dir)
    rows = [_row(each, own) for each in found["computers"]]
    empty = "No computers are registered: `stationmaster computers register`."
    output.as_table(_COLUMNS, rows, wide=wide, empty=empty)


@computers.command("show")
def show_computer(connection: Connection, name: Computer, json: Json = False) -> None:
    """Everything that is known of a computer."""

    found = find(connection.api(), name)
    if json:
        output.as_json(found)
        return
    steps = found.pop("provisioningSteps", [])
    output.as_table(("", ""), [(member, _cell(member, value)) for member, value in found.items()])
    if steps:
        columns = ("step", "status", "error")
        output.as_table(columns, [(s["name"], s["status"], s.get("error")) for s in steps])


@computers.command("remove")
def remove_computer(
    connection: Connection,
    name: Annotated[
        str | None, typer.Argument(help="A computer's name or id; by default this machine.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Remove a computer: at the server first, then what this machine knows of it."""
    from stationmaster.cli.api import Api

    settings = connection.settings()
    folder = settings.client_dir
    own = _own_id(folder)
    api = Api(settings, connection.org)
    removed = own if name is None else str(find(api, name)["id"])
    if removed is None:
        _forget(folder)
    else:
        asking.confirm(
            f"Remove the computer {name or removed}? The machine itself, its agents and what they "
            "sent stay.",
            yes,
            or_fail=True,
        )
        _remove(api, removed, folder)
        if removed == own:
            computer.forget(folder)
        output.say(f"Computer {removed} is removed.")
    if json:
        output.as_json({"id": removed})


def unregistered(folder: Path) -> Machine:
    """This machine, with the host id of an attempt before, if there was one."""
    known = computer.load(folder)
    if known is None or (known.registration is None and computer.is_copy(known)):
        return computer.this_machine()
    if known.registration is None:
        return known
    if computer.is_copy(known):
        raise OperatorError(
            f"this disk was copied from the machine that is computer {known.registration.name}: "
            "run `stationmaster computers remove`, which leaves that one alone, then register",
            code="disk_copied",
        )
    raise OperatorError(
        f"this machine is computer {known.registration.name} "
        f"({known.registration.computer_id}) already; "
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
    known = computer.load(folder)
    if known is None or known.registration is None or computer.is_copy(known):
        return None
    return known.registration.computer_id


def _forget(folder: Path) -> None:
    """Drop what a copied disk has brought along, or an attempt to register has left."""
    if computer.load(folder) is None:
        raise BadRequest(
            "this machine is not registered; name the computer to remove", code="not_registered"
        )
    computer.forget(folder)
    output.say("This machine was no computer; what it had of a registration is deleted.")


def _remove(api: Api, computer_id: str, folder: Path) -> None:
    """At the server. A failure says what is left to do."""
    from stationmaster.cli.api import UNREACHABLE

    try:
        api.send("DELETE", f"{_PATH}/{computer_id}")
    except StationmasterError as refused:
        remedy = {
            UNREACHABLE: "nothing was removed: repeat this when the server answers",
            "not_found": f"use the key of whoever registered {computer_id}, or forget it here: "
            f"delete {folder / computer.FILE}",
        }.get(refused.code)
        if remedy is None:
            raise
        raise OperatorError(f"{refused.detail.rstrip('.')}; {remedy}", code=refused.code) from None


def _row(found: dict[str, Any], own: str | None) -> list[object]:
    return [
        "*" if found["id"] == own else "",
        found["name"],
        found["status"],
        found.get("hostname"),
        found.get("remoteUser"),
        found["providerType"],
        found["id"],
        found["ownerId"],
        found["createdAt"],
    ]


def _cell(member: str, value: Any) -> object:
    if member == "createdAt":
        return output.moment(value)
    return ", ".join(value) if isinstance(value, list) else value
