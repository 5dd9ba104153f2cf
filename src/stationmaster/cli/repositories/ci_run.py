"""What `ci-scan` does, apart from its options: reading or asking, printing, uploading."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stationmaster.children import calling, limits
from stationmaster.cli.announcing import announce
from stationmaster.cli.configuring import configure
from stationmaster.cli.printing import ci_report, output
from stationmaster.cli.typed import choice
from stationmaster.errors import BadRequest
from stationmaster.pipelines.scanning import child, model
from stationmaster.repos import targets

if TYPE_CHECKING:
    from stationmaster.cli.api import Api
    from stationmaster.settings import Settings

_ADDRESS = "/api/v0/automations/ci/scan"
_REPOSITORIES = "/api/platform/v1/repositories"


def run(
    target: str | None = None,
    data_dir: Path | None = None,
    org: str | None = None,
    url: str | None = None,
    key: str | None = None,
    agents_only: bool = False,
    sarif: bool = False,
    fail_on: str | None = None,
    upload: bool = False,
    force: bool = False,
    json: bool = False,
) -> None:
    """List CI workflows, their agents and findings, as the options of `ci-scan` define."""
    _check(target, fail_on, for_one=sarif or upload, for_all=force or (bool(url) and not upload))
    settings = configure(data_dir, url=url, key=key)
    if target is None:
        scan = _registered(settings, org, force=force, agents_only=agents_only)
    else:
        announce(target)
        scan = _read(target, settings, agents_only=agents_only)
    if sarif:
        _print_sarif(scan)
    elif json:
        output.as_json(scan)
    else:
        ci_report.show(scan, of_many=target is None, agents_only=agents_only)
        _remark(scan)
    if upload:
        _upload(scan, settings, org)
    if fail_on is not None and ci_report.worst(ci_report.scanned(scan), fail_on):
        sys.exit(1)


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
    with targets.opened(target, settings) as snapshot:
        standing = targets.standing(target, snapshot)
        if standing.url is None:
            origin = model.Origin(targets.root_of(target).name, None)
        else:
            origin = model.origin(standing.url, snapshot.commit)
        scanned = msgspec.json.decode(
            calling.call(limits.of(settings), child.answer, snapshot.source, origin)
        )
        members = {
            "repoUrl": standing.url,
            "commitHash": snapshot.commit,
            "branch": snapshot.branch,
            "hasLocalChanges": standing.has_local_changes,
            "hasNonRemoteCommits": standing.has_non_remote_commits,
            "summary": scanned["summary"],
        }
    shown = [workflow for workflow in scanned["workflows"] if workflow["agents"] or not agents_only]
    return {"workflows": shown, "actions": scanned["actions"], **members}


def _registered(
    settings: Settings, org: str | None, *, force: bool, agents_only: bool
) -> dict[str, Any]:
    parameters = {"forceRefresh": str(force).lower(), "agentsOnly": str(agents_only).lower()}
    answer: dict[str, Any] = _api(settings, org).get(_ADDRESS, **parameters)
    return answer


def _api(settings: Settings, org: str | None) -> Api:
    # Its library of HTTP takes as long to load as a repository to read, which needs no server.
    from stationmaster.cli.api import Api

    return Api(settings, org)


def _print_sarif(scan: dict[str, Any]) -> None:
    from stationmaster.pipelines.model import Finding
    from stationmaster.pipelines.scanning import sarif

    rows = ci_report.findings_of(ci_report.scanned(scan))
    findings = msgspec.convert(rows, list[Finding])
    output.as_json(sarif.document(findings, scan["repoUrl"], scan["commitHash"]))


def _upload(scan: dict[str, Any], settings: Settings, org: str | None) -> None:
    """A server answers with what it has read itself, so it gets the address to read."""
    address = scan["repoUrl"]
    if address is None:
        raise BadRequest(
            "the repository has no remote `origin`, so no server could read it", code="no_address"
        )
    api = _api(settings, org)
    repository = api.send("POST", _REPOSITORIES, {"url": address})
    (seen,) = api.get(_ADDRESS, repository=repository["url"], forceRefresh="true")["repositories"]
    output.remark(
        f"{repository['url']} is registered as {repository['repoId']}, and {seen['status']} there."
    )


def _remark(scan: dict[str, Any]) -> None:
    """What the tables do not show: what is no workflow, and repositories without a scan."""
    for row in scan.get("summary", {}).get("ignored", ()):
        output.remark(f"ignored: {row['path']}: {row['reason']}")
    for row in scan.get("repositories", ()):
        if row["status"] != "scanned":
            output.remark(f"{row['status']}: {row['repoUrl']} {row.get('error', '')}".rstrip())
    if scan.get("truncated"):
        output.remark(
            "not all repositories were checked in time; run the command again for the rest"
        )
    if scan.get("hasLocalChanges"):
        output.remark("the folder has changes that are not committed; they were not read")
