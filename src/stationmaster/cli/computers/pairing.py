"""`computers pair|approve|access`: a machine without a key becomes a computer by a short code, and
whether computers may be reached from elsewhere."""

from __future__ import annotations

import time
from typing import Annotated, Any

import httpx
import msgspec
import typer

from stationmaster.cli.api import UNREACHABLE, refusal
from stationmaster.cli.computers.registry import computers, unregistered
from stationmaster.cli.configuring import configure
from stationmaster.cli.options import Connection, DataDir, Url, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.client import computer, unreachable
from stationmaster.computers import model
from stationmaster.errors import BadRequest, OperatorError

_PATH = "/api/platform/v1/pairings"
_ACCESS = "/api/platform/v1/remote-access"
POLL_S = 2.0


@computers.command("pair")
def pair_computer(
    name: Annotated[str | None, typer.Argument(help="Its name; by default the host name.")] = None,
    user: Annotated[
        str | None, typer.Option(help="The account that sessions use; by default yours.")
    ] = None,
    data_dir: DataDir = None,
    url: Url = None,
) -> None:
    """Register this machine without a key: show a code that a signed-in person enters."""
    settings = configure(data_dir, url=url)
    if settings.url is None:
        raise BadRequest("name the server: --url or STATIONMASTER_URL", code="no_url")
    folder = settings.client_dir
    machine = unregistered(folder)
    body = {
        "name": model.derived(computer.hostname()) if name is None else model.name_of(name),
        "remoteUser": model.user_of(user or computer.user()),
        "hostId": machine.host_id,
        "machineHash": machine.machine_hash,
        "hostname": computer.hostname(),
    }
    computer.save(folder, machine)
    with httpx.Client(base_url=settings.url, timeout=30) as client:
        begun = _post(client, "", body)
        output.line(begun["code"])
        output.remark(
            f"Type this code within ten minutes at {settings.url.rstrip('/')}/computers/pair, or "
            f"where you are signed in: stationmaster computers approve {begun['code']}"
        )
        while (made := _post(client, "/claim", {"credential": begun["credential"]})) and (
            made["computerId"] is None
        ):
            time.sleep(POLL_S)
    gained = computer.Registration(
        made["computerId"], made["name"], begun["credential"], settings.url
    )
    computer.save(folder, msgspec.structs.replace(machine, registration=gained))
    output.remark(f"This machine is computer {made['name']} ({made['computerId']}).")
    output.remark("Next, to reach it from elsewhere: stationmaster computers serve")


@computers.command("approve")
def approve_computer(
    connection: Connection,
    code: Annotated[str, typer.Argument(help="The code that the machine shows.")],
    name: Annotated[str | None, typer.Option(help="Its name.")] = None,
    yes: Yes = False,
) -> None:
    """Approve a code: register the machine that shows it as your computer."""
    api = connection.api()
    machine = api.send("POST", f"{_PATH}/look-up", {"code": code})
    confirm(
        f"Make {machine['hostname'] or machine['name']}, account {machine['remoteUser']}, a "
        "computer of yours?",
        yes,
        or_fail=True,
    )
    made = api.send("POST", f"{_PATH}/approve", {"code": code, "name": name})
    output.remark(f"That machine is computer {made['name']} ({made['computerId']}).")


@computers.command("access")
def switch_access(
    connection: Connection,
    to: Annotated[
        str | None, typer.Argument(help="`on` or `off`; by default the state is shown.")
    ] = None,
    organization: Annotated[
        bool, typer.Option("--organization", help="Of the organization, as an owner.")
    ] = False,
    person: Annotated[
        str | None, typer.Option(help="Of a member (e-mail or id) or program, as a manager.")
    ] = None,
) -> output.Shown:
    """Show or switch remote access to computers: yours, or those of others."""
    api = connection.api()
    if to is None:
        access = api.get(_ACCESS)
    elif to not in ("on", "off") or (organization and person):
        raise BadRequest(
            "give `on` or `off`, and at most one of --organization and --person", code="bad_switch"
        )
    else:
        of = "organization" if organization else person or "me"
        access = api.send("PUT", _ACCESS, {"of": of, "isOn": to == "on"})
    yield access
    words = {True: "on", False: "off"}
    output.remark(
        f"Remote access is {words[access['organization']]} for the organization, "
        f"{words[access['own']]} for you."
    )
    for other in access["othersOff"]:
        output.remark(f"It is off for {other}.")


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of the server. Raises what it refuses with, and OperatorError."""

    try:
        answer = client.post(f"{_PATH}{path}", json=body)
    except httpx.HTTPError as fault:
        why = f"{client.base_url} cannot be reached: {unreachable.reason(fault)}"
        raise OperatorError(why, code=UNREACHABLE) from fault
    if answer.is_error:
        raise refusal(answer)
    members: dict[str, Any] = answer.json()
    return members
