"""`ci-scan`: the CI workflows of a repository that is named, or of all that are registered."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from stationmaster.cli.announcing import announce
from stationmaster.cli.api import Api
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import ci_report, output
from stationmaster.cli.typed import choice
from stationmaster.errors import BadRequest
from stationmaster.settings import Settings

_ADDRESS = "/api/v0/automations/ci/scan"
_REPOSITORIES = "/api/platform/v1/repositories"

Target = Annotated[
    str | None,
    typer.Argument(help="A repository: a folder or an address; without it, all registered ones."),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        help="Exit with 1 on a finding of this severity or a worse one: "
        f"{', '.join(ci_report.SEVERITIES)}."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command `ci-scan`."""
    app.command("ci-scan")(ci_scan)


def ci_scan(
    connection: Connection,
    target: Target = None,
    agents_only: Annotated[
        bool, typer.Option("--agents-only", help="Only workflows that run a coding agent.")
    ] = False,
    sarif: Annotated[
        bool, typer.Option("--sarif", help="Print the findings as SARIF 2.1.0.")
    ] = False,
    fail_on: FailOn = None,
    upload: Annotated[
        bool, typer.Option("--upload", help="Register the repository, and have it scanned there.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Look at every registered repository again.")
    ] = False,
    json: Json = False,
) -> None:
    """List CI workflows, the agents that they run, and security findings."""
    _check(
        target,
        fail_on,
        for_one=sarif or upload,
        for_all=force or (bool(connection.url) and not upload),
    )
    settings = connection.settings()
    if target is None:
        found = _registered(settings, connection.org, force=force, agents_only=agents_only)
    else:
        announce(target)
        found = _read(target, settings, agents_only=agents_only)
    if sarif:
        _print_sarif(found)
    elif json:
        output.as_json(found)
    else:
        ci_report.show(found, of_many=target is None, agents_only=agents_only)
        _remark(found)
    if upload:
        _upload(found, settings, connection.org)
    if fail_on is not None and ci_report.worst(ci_report.scanned(found), fail_on):
        raise typer.Exit(1)


def _check(target: str | None, fail_on: str | None, *, for_one: bool, for_all: bool) -> None:
    """Raise BadRequest for options that do not go together."""
    if fail_on is not None and fail_on not in ci_report.SEVERITIES:
        choice("--fail-on", fail_on, ci_report.SEVERITIES)
    if target is None and for_one:
        raise BadRequest("--sarif and --upload are for one repository: name it", code="usage")
    if target is not None and for_all:
        raise BadRequest(
            "a repository that is named is always read again, and here: leave out --force, and "
            "--url without --upload",
            code="usage",
        )


def _read(target: str, settings: Settings, *, agents_only: bool) -> dict[str, Any]:
    from stationmaster.children import limits as children
    from stationmaster.children.calling import call
    from stationmaster.pipelines.scanning import child, owners
    from stationmaster.repos import targets

    with targets.opened(target, settings) as snapshot:
        standing = targets.standing(target, snapshot)
        if standing.url is None:
            origin = owners.Origin(targets.root_of(target).name, None)
        else:
            origin = owners.origin(standing.url, snapshot.commit)
        limits = children.of(settings)
        scanned = msgspec.json.decode(call(limits, child.answer, snapshot.source, origin))
        told = {
            "repoUrl": standing.url,
            "commitHash": snapshot.commit,
            "branch": snapshot.branch,
            "hasLocalChanges": standing.has_local_changes,
            "hasNonRemoteCommits": standing.has_non_remote_commits,
            "summary": scanned["summary"],
        }
    shown = [each for each in scanned["workflows"] if each["agents"] or not agents_only]
    return {"workflows": shown, "actions": scanned["actions"], **told}


def _registered(
    settings: Settings, org: str | None, *, force: bool, agents_only: bool
) -> dict[str, Any]:
    asked = {"forceRefresh": str(force).lower(), "agentsOnly": str(agents_only).lower()}
    answer: dict[str, Any] = Api(settings, org).get(_ADDRESS, **asked)
    return answer


def _print_sarif(found: dict[str, Any]) -> None:
    from stationmaster.pipelines.model import Finding
    from stationmaster.pipelines.scanning import sarif

    told = ci_report.findings_of(ci_report.scanned(found))
    findings = msgspec.convert(told, list[Finding])
    output.as_json(sarif.document(findings, found["repoUrl"], found["commitHash"]))


def _upload(found: dict[str, Any], settings: Settings, org: str | None) -> None:
    """A server answers with what it has read itself, so it is told where to read."""
    address = found["repoUrl"]
    if address is None:
        raise BadRequest(
            "the repository has no remote `origin`, so no server could read it", code="no_address"
        )
    api = Api(settings, org)
    known = api.send("POST", _REPOSITORIES, {"url": address})
    (seen,) = api.get(_ADDRESS, repository=known["url"], forceRefresh="true")["repositories"]
    output.say(f"{known['url']} is registered as {known['repoId']}, and {seen['status']} there.")


def _remark(found: dict[str, Any]) -> None:
    """What the tables do not show: what is no workflow, and repositories without a scan."""
    for each in found.get("summary", {}).get("ignored", ()):
        output.say(f"ignored: {each['path']}: {each['reason']}")
    for each in found.get("repositories", ()):
        if each["status"] != "scanned":
            output.say(f"{each['status']}: {each['repoUrl']} {each.get('error', '')}".rstrip())
    if found.get("truncated"):
        output.say("not all repositories were looked at in time; ask again for the rest")
    if found.get("hasLocalChanges"):
        output.say("the folder has changes that are not committed; they were not read")
