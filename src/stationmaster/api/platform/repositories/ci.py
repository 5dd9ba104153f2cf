"""What is wrong in CI workflows, across repositories."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.requests import Request

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.ids import RepoId
from stationmaster.pipelines.model import Severity
from stationmaster.pipelines.scanning import dismissals, findings, owners
from stationmaster.pipelines.scanning.finding_store import Reason, State
from stationmaster.pipelines.scanning.findings import Place, Wanted

routes = router("/api/platform/v1/ci", "CI scan")


class CiDismissal(wire.Answer):
    """Who dismissed a finding, when (Unix milliseconds) and why. `by` is a user or a service
    account."""

    at: int
    by: str
    reason: Reason
    comment: str | None


class NewDismissal(wire.Question):
    """Why a finding is accepted."""

    reason: Reason
    comment: Annotated[
        str | None, Field(max_length=dismissals.COMMENT_MAX, pattern=wire.ONE_LINE)
    ] = None


class CiFinding(wire.Answer):
    """Something wrong at a place of a commit. `rule` is stable, and so is `fingerprint`: the same
    fault of the same file keeps it while lines around it move. `suppressed` names the comment that
    accepts it, `dismissal` the person. A fixed finding is shown as the last commit with it had it;
    `fixedAt` is when a scan first did not have it. Times are Unix milliseconds.
    """

    repo_id: RepoId
    repo_url: str
    commit_hash: str
    provider: str
    workflow_path: str
    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    url: str | None
    job: str | None
    step: str | None
    message: str
    evidence: str
    impact: str
    fix: str
    fingerprint: str
    suppressed: str | None
    state: State
    first_seen_at: int
    fixed_at: int | None
    dismissal: CiDismissal | None


class CiFindings(wire.Answer):
    """The worst first, then by address, path and line."""

    findings: list[CiFinding]
    pagination: wire.Pagination


@routes.get("/findings")
async def list_findings(
    request: Request,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[str | None, Query(max_length=12_000, pattern="^[A-Za-z0-9_-]+$")] = None,
    severity: Annotated[Severity | None, Query(description="So severe or worse.")] = None,
    rule: Annotated[str | None, Query(pattern="^[a-z0-9-]{1,100}$")] = None,
    repository: Annotated[
        str | None, Query(max_length=1000, description="Only of the repository at this address.")
    ] = None,
    suppressed: Annotated[
        bool | None, Query(description="Only what a comment accepts, or only what none does.")
    ] = None,
    state: Annotated[
        State | None, Query(description="Of this state; by default of all but `fixed`.")
    ] = None,
) -> CiFindings:
    """List what is wrong in the CI workflows of the registered repositories, from stored scans."""
    db = services_of(request).db
    wanted = Wanted(severity, rule, suppressed, repository, state)
    found = await blocking.work(
        lambda: findings.page(db, caller.org_id, wanted, limit=limit + 1, after=cursor)
    )
    shown, pagination = wire.paged(found, limit, findings.cursor)
    return CiFindings(findings=[_shown(each) for each in shown], pagination=pagination)


@routes.put(
    "/repositories/{repo_id}/findings/{fingerprint}/dismissal",
    status_code=204,
    responses=problems("Problem", 409),
)
async def dismiss_finding(
    request: Request,
    repo_id: wire.Identifier,
    fingerprint: wire.Identifier,
    new: NewDismissal,
    caller: callers.Manager,
) -> None:
    """Dismiss a finding, with a reason. It stays dismissed in later scans, by its fingerprint.

    409 (`finding_fixed`) for one that the newest scan does not have any more.
    """
    await blocking.work(
        dismissals.dismiss,
        services_of(request).db,
        caller,
        RepoId(repo_id),
        fingerprint,
        new.reason,
        new.comment,
    )


@routes.delete(
    "/repositories/{repo_id}/findings/{fingerprint}/dismissal",
    status_code=204,
    responses=problems("Problem", 409),
)
async def reopen_finding(
    request: Request,
    repo_id: wire.Identifier,
    fingerprint: wire.Identifier,
    caller: callers.Manager,
) -> None:
    """Open a dismissed finding again; 204 also for one that is not dismissed."""
    db = services_of(request).db
    await blocking.work(dismissals.reopen, db, caller, RepoId(repo_id), fingerprint)


def _shown(place: Place) -> CiFinding:
    repository, found, row = place.repository, place.finding, place.row
    files_url = owners.origin(repository.url, place.commit).files_url
    return CiFinding(
        repo_id=repository.repo_id,
        repo_url=repository.url,
        commit_hash=place.commit,
        provider=row.provider,
        workflow_path=row.workflow_path,
        rule=found.rule,
        severity=found.severity,
        path=found.path,
        line=found.line,
        column=found.column,
        url=None if files_url is None else f"{files_url}/{quote(found.path)}#L{found.line}",
        job=found.job,
        step=found.step,
        message=found.message,
        evidence=found.evidence,
        impact=found.impact,
        fix=found.fix,
        fingerprint=found.fingerprint,
        suppressed=found.suppressed,
        state=row.state,
        first_seen_at=row.first_seen_at,
        fixed_at=row.fixed_at,
        dismissal=None
        if row.dismissal is None
        else CiDismissal(**msgspec.structs.asdict(row.dismissal)),
    )
