"""What is wrong in CI workflows, across repositories."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query
from starlette.requests import Request

from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.ciscan import findings, owners
from stationmaster.ciscan.findings import Place, Wanted
from stationmaster.ids import RepoId
from stationmaster.pipelines.model import Severity

routes = router("/api/platform/v1/ci", "CI scan")


class CiFinding(wire.Answer):
    """Something wrong at a place of a commit. `rule` is stable, and so is `fingerprint`: the same
    fault of the same file keeps it while lines around it move. `suppressed` tells what accepts it.
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
        bool | None, Query(description="Only what somebody has accepted, or only what nobody has.")
    ] = None,
) -> CiFindings:
    """List what is wrong in the CI workflows of the registered repositories, from stored scans."""
    db = services_of(request).db
    wanted = Wanted(severity, rule, suppressed, repository)
    found = await blocking.work(
        lambda: findings.page(db, caller.org_id, wanted, limit=limit + 1, after=cursor)
    )
    shown, pagination = wire.paged(found, limit, findings.cursor)
    return CiFindings(findings=[_shown(each) for each in shown], pagination=pagination)


def _shown(place: Place) -> CiFinding:
    repository, found = place.repository, place.finding
    files_url = owners.origin(repository.url, place.commit).files_url
    return CiFinding(
        repo_id=repository.repo_id,
        repo_url=repository.url,
        commit_hash=place.commit,
        provider=place.provider,
        workflow_path=place.workflow_path,
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
    )
