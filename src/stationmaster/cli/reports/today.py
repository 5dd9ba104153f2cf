"""`today` and `sessions`: the running day so far, and sessions of agents one by one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column

sessions = groups.group()

_API = "/api/platform/v1"
_FIGURES = {
    "costUsd": table.dollars("dollars"),
    "credits": Column("credits"),
    "sessions": Column("sessions"),
    "modelCalls": Column("model calls"),
    "toolCalls": Column("tool calls"),
    "commits": Column("commits"),
}
_LISTED = {
    "endedAt": table.moment("last at work"),
    "agent": Column("agent"),
    "email": Column("person"),
    "repository": Column("repository"),
    "costUsd": table.dollars("dollars"),
    "calls": Column("model calls"),
    "toolCalls": Column("tool calls"),
    "commits": Column("commits"),
    "id": Column("id"),
}
_STEPS = {
    "at": table.moment("time"),
    "kind": Column("step"),
    "name": Column("name"),
    "outcome": Column("outcome"),
    "durationMs": Column("ms"),
    "costUsd": Column("dollars"),
    "inputTokens": Column("input"),
    "outputTokens": Column("output"),
}


def register(app: typer.Typer) -> None:
    """Add the command `today` and the group `sessions`."""
    app.command("today")(show_today)
    app.add_typer(sessions, name="sessions")


def show_today(
    connection: Connection,
    mine: Annotated[bool, typer.Option("--mine", help="Only what you did yourself.")] = False,
    json: Json = False,
) -> None:
    """Show the figures of the running UTC day, at most a minute old."""
    answer = connection.api().get(f"{_API}{'/me' if mine else ''}/today")
    if json:
        output.as_json(answer)
        return
    output.say(
        f"{answer['date']} (UTC) so far, as of {output.moment(answer['countedAt'])}: provisional."
    )
    rows = [{"agent": "all", **answer["figures"]}, *answer["agents"]]
    columns = {"agent": Column("agent"), **_FIGURES}
    output.as_list("agents", columns, rows, json)


@sessions.command("list")
def list_sessions(
    connection: Connection,
    person: Annotated[str | None, typer.Option(help="An e-mail address or a user id.")] = None,
    repository: Annotated[str | None, typer.Option(help="A repository's address.")] = None,
    agent: Annotated[str | None, typer.Option(help="An agent.")] = None,
    model: Annotated[str | None, typer.Option(help="A model.")] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 20,
    json: Json = False,
) -> None:
    """List the sessions of the last 30 closed days, the latest first."""
    api = connection.api()
    if mine:
        answer = api.get(f"{_API}/me/sessions", limit=limit)
    else:
        answer = api.get(
            f"{_API}/sessions",
            person=person,
            repository=repository,
            agent=agent,
            model=model,
            limit=limit,
        )
    if json:
        output.as_json(answer)
        return
    rows = [{**each["usage"], **each} for each in answer["sessions"]]
    empty = "There was no session in the last 30 closed days."
    output.as_list("sessions", _LISTED, rows, json, empty=empty)


@sessions.command("show")
def show_session(
    connection: Connection,
    session_id: Annotated[str, typer.Argument(help="The id of a session.")],
    json: Json = False,
) -> None:
    """Show the timeline of a session: names and figures."""
    answer: dict[str, Any] = connection.api().get(f"{_API}/sessions/{session_id}")
    if json:
        output.as_json(answer)
        return
    empty = "No single steps of it are known."
    output.as_list("steps", _STEPS, answer["timeline"]["steps"], json, empty=empty)
