"""`today` and `sessions`: the running day so far, and sessions of agents one by one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.printing import output, table

sessions = groups.group()

_API = "/api/platform/v1"
_FIGURES = {
    "costUsd": table.dollars("dollars"),
    "credits": table.Column("credits"),
    "sessions": table.Column("sessions"),
    "modelCalls": table.Column("model calls"),
    "toolCalls": table.Column("tool calls"),
    "commits": table.Column("commits"),
}
_LISTED = {
    "endedAt": table.moment("last at work"),
    "agent": table.Column("agent"),
    "email": table.Column("person"),
    "repository": table.Column("repository"),
    "costUsd": table.dollars("dollars"),
    "calls": table.Column("model calls"),
    "toolCalls": table.Column("tool calls"),
    "commits": table.Column("commits"),
    "id": table.Column("id"),
}
_STEPS = {
    "at": table.moment("time"),
    "kind": table.Column("step"),
    "name": table.Column("name"),
    "outcome": table.Column("outcome"),
    "durationMs": table.Column("ms"),
    "costUsd": table.Column("dollars"),
    "inputTokens": table.Column("input"),
    "outputTokens": table.Column("output"),
}


def today(
    connection: Connection,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own figures.")] = False,
) -> output.Shown:
    """Show the figures of the running UTC day, at most a minute old."""
    answer = connection.api().get(f"{_API}{'/me' if mine else ''}/today")
    yield answer
    output.say(
        f"{answer['date']} (UTC) so far, as of {output.moment(answer['countedAt'])}: provisional."
    )
    rows = [{"agent": "all", **answer["figures"]}, *answer["agents"]]
    columns = {"agent": table.Column("agent"), **_FIGURES}
    output.as_rows(columns, rows)


@sessions.command("list")
def list_sessions(
    connection: Connection,
    person: Annotated[str | None, typer.Option(help="An e-mail address or a user id.")] = None,
    repository: Annotated[str | None, typer.Option(help="A repository's address.")] = None,
    agent: Annotated[str | None, typer.Option(help="An agent.")] = None,
    model: Annotated[str | None, typer.Option(help="A model.")] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 20,
) -> output.Shown:
    """List the sessions of the last 30 closed days, latest first."""
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
    yield answer
    rows = [{**session["usage"], **session} for session in answer["sessions"]]
    empty = "There was no session in the last 30 closed days."
    output.as_rows(_LISTED, rows, empty=empty)


@sessions.command("show")
def show_session(
    connection: Connection, session_id: Annotated[str, typer.Argument(help="The id of a session.")]
) -> output.Shown:
    """Show the timeline of a session: names and figures."""
    answer: dict[str, Any] = connection.api().get(f"{_API}/sessions/{session_id}")
    yield answer
    empty = "No steps were reported."
    output.as_rows(_STEPS, answer["timeline"]["steps"], empty=empty)
