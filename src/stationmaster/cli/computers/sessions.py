"""`computers sessions`: sessions of coding agents on computers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.computers.attaching import Attached
from stationmaster.cli.computers.registry import Computer, computers, find
from stationmaster.cli.options import Connection, Json
from stationmaster.cli.printing import output
from stationmaster.errors import NotFound

sessions = groups.group()
computers.add_typer(sessions, name="sessions", help="Start, attach to, list and stop sessions.")

_LISTED = (
    "id, agent, state, prompts, permissions: permission requests, createdAt: started (moment), "
    "endedAt: ended (moment)"
)
Session = Annotated[
    str | None,
    typer.Argument(help="The id of a session; by default the newest running one."),
]


@sessions.command("start")
def start_session(
    connection: Connection,
    name: Computer,
    agent: Annotated[str, typer.Argument(help="A coding agent that the computer allows.")],
    prompt: Annotated[str | None, typer.Option(help="The first prompt.")] = None,
    workspace: Annotated[
        str | None, typer.Option(help="A folder on the computer; by default the first allowed one.")
    ] = None,
) -> output.Shown:
    """Start a coding agent on a computer."""
    api = connection.api()
    body = {"agent": agent, "workspace": workspace, "prompt": prompt}
    made = api.send("POST", _path(find(api, name)), body)
    yield made
    output.line(made["id"])
    output.remark(f"Watch and steer it: stationmaster computers sessions attach {name}")


@sessions.command("attach")
def attach_session(
    connection: Connection, name: Computer, session: Session = None, json: Json = False
) -> None:
    """Show the activity of a session; each typed line is a prompt or answers a permission request.

    `/cancel` cancels the current prompt, `/stop` ends the session, Ctrl-C only detaches.
    """
    api = connection.api()
    listed = _path(find(api, name))
    path = f"{listed}/{session or _newest(api, listed)}"
    attached = Attached(api, path, api.get(path)["updates"], as_json=json)
    with suppress(KeyboardInterrupt):
        asyncio.run(attached.run())


@sessions.command("list")
def list_sessions(connection: Connection, name: Computer) -> output.Shown:
    """List the sessions of a computer, newest first, and which agents it allows."""
    api = connection.api()
    answer = api.get(_path(find(api, name)))
    yield answer
    connected = "is connected" if answer["isConnected"] else "is not connected"
    output.remark(f"{name} {connected} and allows {', '.join(answer['agents']) or 'no agents'}.")
    output.as_rows(_LISTED, answer["sessions"])


@sessions.command("stop")
def stop_session(connection: Connection, name: Computer, session: Session = None) -> None:
    """End a session and its agent."""
    api = connection.api()
    path = _path(find(api, name))
    session_id = session or _newest(api, path)
    api.send("POST", f"{path}/{session_id}/stop")
    output.remark(f"Session {session_id} has ended.")


def _path(computer: dict[str, Any]) -> str:
    return f"/api/platform/v1/computers/{computer['id']}/sessions"


def _newest(api: Any, path: str) -> str:
    for session in api.get(path)["sessions"]:
        if session["state"] != "ended":
            return str(session["id"])
    raise NotFound(
        "this computer has no running session: `stationmaster computers sessions start`",
        code="no_session",
    )
