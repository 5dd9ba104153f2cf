"""`today` and `sessions`: the running day so far, and sessions of agents one by one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection
from stationmaster.cli.printing import output

sessions = groups.group()

_API = "/api/platform/v1"
_FIGURES = (
    "agent, costUsd: dollars (dollars), credits, sessions, modelCalls: model calls, "
    "toolCalls: tool calls, commits"
)
_LISTED = (
    "endedAt: last at work (moment), agent, email: person, repository, "
    "usage.costUsd: dollars (dollars), usage.calls: model calls, usage.toolCalls: tool calls, "
    "usage.commits: commits, id"
)
_STEPS = (
    "at: time (moment), kind: step, name, outcome, durationMs: ms, costUsd: dollars, "
    "inputTokens: input, outputTokens: output"
)


def today(
    connection: Connection,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own figures.")] = False,
) -> output.Shown:
    """Show the figures of the running UTC day, at most a minute old."""
    answer = connection.api().get(f"{_API}{'/me' if mine else ''}/today")
    yield answer
    output.remark(
        f"{answer['date']} (UTC) so far, as of {output.moment(answer['countedAt'])}: provisional."
    )
    rows = [{"agent": "all", **answer["figures"]}, *answer["agents"]]
    output.as_rows(_FIGURES, rows)


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
    empty = "There was no session in the last 30 closed days."
    output.as_rows(_LISTED, answer["sessions"], empty=empty)


@sessions.command("show")
def show_session(
    connection: Connection, session_id: Annotated[str, typer.Argument(help="The id of a session.")]
) -> output.Shown:
    """Show the timeline of a session: names and figures."""
    answer: dict[str, Any] = connection.api().get(f"{_API}/sessions/{session_id}")
    yield answer
    output.as_rows(_STEPS, answer["timeline"]["steps"], empty="No steps were reported.")
