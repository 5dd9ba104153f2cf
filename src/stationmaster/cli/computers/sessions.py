"""`computers sessions`: sessions of coding agents on computers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.computers.registry import Computer, computers, find
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.errors import NotFound

sessions = groups.group()
computers.add_typer(sessions, name="sessions", help="Start, attach to, list and stop sessions.")

_LISTED = {
    "id": Column("id"),
    "agent": Column("agent"),
    "state": Column("state"),
    "prompts": Column("prompts"),
    "permissions": Column("permission requests"),
    "createdAt": table.moment("started"),
    "endedAt": table.moment("ended"),
}
Session = Annotated[
    str | None,
    typer.Argument(help="The id of a session; without it the newest that has not ended."),
]


@sessions.command("start")
def start_session(
    connection: Connection,
    name: Computer,
    agent: Annotated[str, typer.Argument(help="A coding agent that the computer allows.")],
    prompt: Annotated[str | None, typer.Option(help="What it is to begin with.")] = None,
    workspace: Annotated[
        str | None, typer.Option(help="A folder there; without it the first that is allowed.")
    ] = None,
    json: Json = False,
) -> None:
    """Start a coding agent on a computer."""
    api = connection.api()
    body = {"agent": agent, "workspace": workspace, "prompt": prompt}
    made = api.send("POST", _path(find(api, name)), body)
    if json:
        output.as_json(made)
        return
    output.line(made["id"])
    output.say(f"Watch and steer it: stationmaster computers sessions attach {name}")


@sessions.command("attach")
def attach_session(
    connection: Connection, name: Computer, session: Session = None, json: Json = False
) -> None:
    """Show what happens in a session; each typed line is a prompt or answers a permission request.

    `/cancel` has the agent stop what it works on, `/stop` ends the session, Ctrl-C leaves it alone.
    """
    from stationmaster.cli.computers.attaching import Attached

    api = connection.api()
    listed = _path(find(api, name))
    path = f"{listed}/{session or _newest(api, listed)}"
    attached = Attached(api, path, api.get(path)["updates"], as_json=json)
    with suppress(KeyboardInterrupt):
        asyncio.run(attached.run())


@sessions.command("list")
def list_sessions(connection: Connection, name: Computer, json: Json = False) -> None:
    """List the sessions of a computer, newest first, and which agents it allows."""
    api = connection.api()
    found = api.get(_path(find(api, name)))
    if json:
        output.as_json(found)
        return
    connected = "is connected" if found["isConnected"] else "is not connected"
    output.say(f"{name} {connected} and allows {', '.join(found['agents']) or 'no agents'}.")
    output.as_list("sessions", _LISTED, found["sessions"], json)


@sessions.command("stop")
def stop_session(connection: Connection, name: Computer, session: Session = None) -> None:
    """End a session and its agent."""
    api = connection.api()
    path = _path(find(api, name))
    wanted = session or _newest(api, path)
    api.send("POST", f"{path}/{wanted}/stop")
    output.say(f"Session {wanted} has ended.")


def _path(computer: dict[str, Any]) -> str:
    return f"/api/platform/v1/computers/{computer['id']}/sessions"


def _newest(api: Any, path: str) -> str:
    for each in api.get(path)["sessions"]:
        if each["state"] != "ended":
            return str(each["id"])
    raise NotFound(
        "this computer has no session that goes on: `stationmaster computers sessions start`",
        code="no_session",
    )
