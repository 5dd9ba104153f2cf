"""`jobs`: durable work, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Limit, Wide
from stationmaster.cli.printing import output
from stationmaster.cli.repositories import repos
from stationmaster.cli.typed import choice

jobs = groups.group()

_PATH = "/api/platform/v1/jobs"
_COLUMNS = (
    "requestedAt: requested (moment), kind, repository|subject: repository, state, "
    "error|step: step or error, jobId: id, attempts (wide), subject: repository id (wide), "
    "startedAt: started (moment wide), finishedAt: finished (moment wide), "
    "requestedBy: requested by (wide)"
)
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
    rows = [{**job, "repository": addresses.get(job["subject"])} for job in listed]
    output.as_rows(_COLUMNS, rows, wide=wide, empty="No jobs match.")


@jobs.command("show")
def show_job(connection: Connection, job: Id) -> output.Shown:
    """Show one job."""
    api = connection.api()
    record = api.get(f"{_PATH}/{quote(job, safe='')}")
    yield record
    output.as_record(
        _COLUMNS, {**record, "repository": repos.addresses(api).get(record["subject"])}
    )


@jobs.command("cancel")
def cancel_job(connection: Connection, job: Id) -> output.Shown:
    """Cancel a job; a running one ends at its next step."""
    record = connection.api().send("POST", f"{_PATH}/{quote(job, safe='')}/cancel")
    yield from output.as_answer(record, f"{job} is {record['state']}.")
