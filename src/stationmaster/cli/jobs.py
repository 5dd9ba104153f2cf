"""`jobs`: durable work, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups, output
from stationmaster.cli.configure import connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url

jobs = groups.group()

_PATH = "/api/platform/v1/jobs"
_PAGE_MAX = 100
_COLUMNS = ("jobId", "kind", "subject", "state", "attempts", "requestedAt", "step", "error")

Id = Annotated[str, typer.Argument(help="A job id, as `jobs list` prints it.")]


def register(app: typer.Typer) -> None:
    app.add_typer(jobs, name="jobs")


@jobs.command("list")
def list_jobs(
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as ci-scan.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only of this repository id.")] = None,
    state: Annotated[
        str | None, typer.Option(help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """List jobs, newest first."""
    api = connect(data_dir, org, url, key)
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(found) < limit:
        wanted = {"kind": kind, "subject": subject, "state": state, "cursor": cursor}
        page = api.get(_PATH, limit=min(limit - len(found), _PAGE_MAX), **wanted)
        found += page["jobs"]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            break
    output.as_list("jobs", _COLUMNS, found, json)


@jobs.command("show")
def show_job(
    job: Id,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Show one job."""
    found = connect(data_dir, org, url, key).get(f"{_PATH}/{quote(job, safe='')}")
    if json:
        output.as_json(found)
    else:
        output.as_table(("", ""), [(name, _told(name, found[name])) for name in found])


@jobs.command("cancel")
def cancel_job(
    job: Id,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Call a job off; one that is running ends at its next step."""
    found = connect(data_dir, org, url, key).send("POST", f"{_PATH}/{quote(job, safe='')}/cancel")
    if json:
        output.as_json(found)
    else:
        output.say(f"{job} is {found['state']}.")


def _told(name: str, value: Any) -> object:
    is_time = name.endswith("At") and value is not None
    return output.moment(value) if is_time else value
