"""`ci-scan`: the CI workflows of a local repository, or of an organization's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from stationmaster.cli import output
from stationmaster.cli.api import Api
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.errors import BadRequest

_ADDRESS = "/api/v0/automations/ci/scan"
_COLUMNS = ("repository", "file", "workflow", "starts on", "jobs", "agents", "")


def register(app: typer.Typer) -> None:
    app.command("ci-scan")(ci_scan)


def ci_scan(
    path: Annotated[
        Path | None,
        typer.Argument(help="A local repository; without it, all that are registered."),
    ] = None,
    agents_only: Annotated[
        bool, typer.Option("--agents-only", help="Only workflows that run a coding agent.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Look at every registered repository again.")
    ] = False,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """List the CI workflows of a local repository, or of all registered ones."""
    if path is not None:
        if force or url is not None:
            raise BadRequest("a local repository is always read anew, and here: leave out --force "
                             "and --url", code="usage")  # fmt: skip
        found = {"workflows": _local(path, agents_only)}
    else:
        asked = {"forceRefresh": str(force).lower(), "agentsOnly": str(agents_only).lower()}
        found = Api(configure(data_dir, url=url, key=key), org).get(_ADDRESS, **asked)
    if json:
        output.as_json(found)
        return
    output.as_table(_COLUMNS, [_row(each) for each in found["workflows"]])
    _remark(found)


def _local(path: Path, agents_only: bool) -> list[dict[str, Any]]:
    from stationmaster.ciscan.scan import Origin, scan
    from stationmaster.repos.reading import open_path

    with open_path(path) as snapshot:
        found = scan(snapshot, Origin(path.resolve().name, None))
    shown = [each for each in found if each.agents or not agents_only]
    return [msgspec.to_builtins(each) for each in shown]


def _row(workflow: dict[str, Any]) -> Sequence[object]:
    parse = workflow["parse"]
    place = f" (line {parse['line']})" if "line" in parse else ""
    return (
        workflow["repoFullName"],
        workflow["filePath"],
        workflow["workflowName"],
        ", ".join(workflow["triggerEvents"]),
        len(workflow["jobs"]),
        ", ".join(workflow["agents"]),
        f"{parse['error']}{place}" if "error" in parse else "",
    )


def _remark(found: dict[str, Any]) -> None:
    """What the table does not show: repositories without a scan, and those still to come."""
    for each in found.get("repositories", ()):
        if each["status"] != "scanned":
            output.say(f"{each['status']}: {each['repoUrl']} {each.get('error', '')}".rstrip())
    if found.get("truncated"):
        output.say("not all repositories were looked at in time; ask again for the rest")
