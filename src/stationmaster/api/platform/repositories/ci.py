"""What is wrong in CI workflows, across repositories."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query
from pydantic import Field

from stationmaster.api import callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router
from stationmaster.ids import RepoId
from stationmaster.pipelines.model import Finding, Severity
from stationmaster.pipelines.scanning import finding_store, findings, model
from stationmaster.pipelines.scanning.findings import FindingFilter, RepositoryFinding

routes = router("/api/platform/v1/ci", "CI scan")


class CiDismissal(wire.Answer, record=finding_store.Dismissal):
    """Who dismissed a finding, when (Unix milliseconds) and why. `by` is a user or a service
    account."""


class NewDismissal(wire.Question):
    """Why a finding is accepted."""

    reason: finding_store.Reason
    comment: Annotated[
        str | None, Field(max_length=finding_store.COMMENT_MAX, pattern=wire.ONE_LINE)
    ] = None


class CiFinding(
    wire.Answer,
    record=(Finding, finding_store.Row),
    without=("suppressed_line", "finding", "commit"),
):
    """A problem at a place of a commit. `rule` is stable, and so is `fingerprint`: it stays the
    same while lines around the problem move. `suppressed` names the comment that
    accepts it, `dismissal` the person. A fixed finding is shown as in the last commit that had
    it; `fixedAt` is the time of the first scan without it. Times are Unix milliseconds.
    """

    repo_url: str
    commit_hash: str
    url: str | None
    dismissal: CiDismissal | None


class CiFindings(wire.Answer):
    """Most severe first, then by address, path and line."""

    findings: list[CiFinding]
    pagination: wire.Pagination


@routes.get("/findings")
def list_findings(
    db: Db,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[str | None, Query(max_length=12_000, pattern="^[A-Za-z0-9_-]+$")] = None,
    severity: Annotated[
        Severity | None, Query(description="This severity or a higher one.")
    ] = None,
    rule: Annotated[str | None, Query(pattern="^[a-z0-9-]{1,100}$")] = None,
    repository: Annotated[
        str | None, Query(max_length=1000, description="Only of the repository at this address.")
    ] = None,
    suppressed: Annotated[
        bool | None,
        Query(description="Only findings that a comment accepts, or only those without one."),
    ] = None,
    state: Annotated[
        finding_store.State | None,
        Query(description="Only this state; by default all except `fixed`."),
    ] = None,
) -> CiFindings:
    """List findings in the CI workflows of the registered repositories, from stored scans."""
    conditions = FindingFilter(severity, rule, suppressed, repository, state)
    places = findings.page(db, caller.org_id, conditions, limit=limit + 1, after=cursor)
    return wire.page(CiFindings, places, limit, findings.cursor, _shown)


@routes.put(
    "/repositories/{repo_id}/findings/{fingerprint}/dismissal",
    status_code=204,
    responses=problems(409),
)
def dismiss_finding(
    db: Db,
    repo_id: wire.Identifier,
    fingerprint: wire.Identifier,
    new: NewDismissal,
    caller: callers.Manager,
) -> None:
    """Dismiss a finding, with a reason. It stays dismissed in later scans, by its fingerprint.

    409 (`finding_fixed`) for one that the newest scan no longer has.
    """
    finding_store.dismiss(db, caller, RepoId(repo_id), fingerprint, new.reason, new.comment)


@routes.delete(
    "/repositories/{repo_id}/findings/{fingerprint}/dismissal",
    status_code=204,
    responses=problems(409),
)
def reopen_finding(
    db: Db, repo_id: wire.Identifier, fingerprint: wire.Identifier, caller: callers.Manager
) -> None:
    """Open a dismissed finding again; 204 also for one that is not dismissed."""
    finding_store.reopen(db, caller, RepoId(repo_id), fingerprint)


def _shown(place: RepositoryFinding) -> CiFinding:
    repository, finding = place.repository, place.finding
    files_url = model.origin(repository.url, place.commit).files_url
    return CiFinding.of(
        finding,
        place.row,
        repo_url=repository.url,
        commit_hash=place.commit,
        url=None if files_url is None else f"{files_url}/{quote(finding.path)}#L{finding.line}",
    )
