"""`jobs`: durable work, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Limit, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.repositories import repos
from stationmaster.cli.typed import choice

jobs = groups.group()

_PATH = "/api/platform/v1/jobs"
_COLUMNS = {
    "requestedAt": table.moment("requested"),
    "kind": table.Column("kind"),
    "repository": table.Column("repository"),
    "state": table.Column("state"),
    "outcome": table.Column("step or error"),
    "jobId": table.Column("id"),
    "attempts": table.wide("attempts"),
    "subject": table.wide("repository id"),
    "startedAt": table.moment("started", wide=True),
    "finishedAt": table.moment("finished", wide=True),
    "requestedBy": table.wide("requested by"),
}
STATES = ("queued", "running", "succeeded", "failed", "cancelled")

Id = Annotated[str, typer.Argument(help="A job id, as `jobs list` prints it.")]


@jobs.command("list")
def list_jobs(
    connection: Connection,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as ci-scan.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only of this repository id.")] = None,
    state: Annotated[
        str | None, typer.Option(help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    limit: Limit = 20,
    wide: Wide = False,
) -> output.Shown:
    """List jobs, newest first."""
    if state is not None:
        choice("--state", state, STATES)
    api = connection.api()
    listed = api.rows(_PATH, "jobs", limit, kind=kind, subject=subject, state=state)
    yield {"jobs": listed}
    addresses = repos.addresses(api)
    rows = [_row(job, addresses) for job in listed]
    output.as_rows(_COLUMNS, rows, wide=wide, empty="No jobs match.")


@jobs.command("show")
def show_job(connection: Connection, job: Id) -> output.Shown:
    """Show one job."""
    api = connection.api()
    record = api.get(f"{_PATH}/{quote(job, safe='')}")
    yield record
    output.as_record(_COLUMNS, _row(record, repos.addresses(api)))


@jobs.command("cancel")
def cancel_job(connection: Connection, job: Id) -> output.Shown:
    """Cancel a job; a running one ends at its next step."""
    record = connection.api().send("POST", f"{_PATH}/{quote(job, safe='')}/cancel")
    yield record
    output.say(f"{job} is {record['state']}.")


def _row(job: dict[str, Any], addresses: dict[str, str]) -> dict[str, Any]:
    repository = addresses.get(job["subject"], job["subject"])
    return {**job, "repository": repository, "outcome": job["error"] or job["step"]}
