"""`jobs`: durable work, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.cli.repositories import repos
from stationmaster.cli.typed import choice

jobs = groups.group()

_PATH = "/api/platform/v1/jobs"
_PAGE_MAX = 100
_COLUMNS = {
    "requestedAt": table.moment("requested"),
    "kind": Column("kind"),
    "repository": Column("repository"),
    "state": Column("state"),
    "outcome": Column("step or error"),
    "jobId": Column("id"),
    "attempts": table.wide("attempts"),
    "subject": table.wide("repository id"),
    "startedAt": table.moment("started", wide=True),
    "finishedAt": table.moment("finished", wide=True),
    "requestedBy": table.wide("requested by"),
}
STATES = ("queued", "running", "succeeded", "failed", "cancelled")

Id = Annotated[str, typer.Argument(help="A job id, as `jobs list` prints it.")]


def register(app: typer.Typer) -> None:
    """Add the group `jobs`."""
    app.add_typer(jobs, name="jobs")


@jobs.command("list")
def list_jobs(
    connection: Connection,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as ci-scan.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only of this repository id.")] = None,
    state: Annotated[
        str | None, typer.Option(help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """List jobs, newest first."""
    if state is not None:
        choice("--state", state, STATES)
    api = connection.api()
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(found) < limit:
        wanted = {"kind": kind, "subject": subject, "state": state, "cursor": cursor}
        page = api.get(_PATH, limit=min(limit - len(found), _PAGE_MAX), **wanted)
        found += page["jobs"]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            break
    if json:
        output.as_json({"jobs": found})
        return
    addresses = repos.addresses(api)
    rows = [_row(job, addresses) for job in found]
    output.as_list("jobs", _COLUMNS, rows, json, wide=wide, empty="There are no such jobs.")


@jobs.command("show")
def show_job(connection: Connection, job: Id, json: Json = False) -> None:
    """Show one job."""
    api = connection.api()
    found = api.get(f"{_PATH}/{quote(job, safe='')}")
    if json:
        output.as_json(found)
    else:
        output.as_record(_COLUMNS, _row(found, repos.addresses(api)))


@jobs.command("cancel")
def cancel_job(connection: Connection, job: Id, json: Json = False) -> None:
    """Call a job off; one that is running ends at its next step."""
    found = connection.api().send("POST", f"{_PATH}/{quote(job, safe='')}/cancel")
    if json:
        output.as_json(found)
    else:
        output.say(f"{job} is {found['state']}.")


def _row(job: dict[str, Any], addresses: dict[str, str]) -> dict[str, Any]:
    repository = addresses.get(job["subject"], job["subject"])
    return {**job, "repository": repository, "outcome": job["error"] or job["step"]}
