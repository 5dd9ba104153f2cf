"""What readiness reports lead to: evaluations on demand, history, differences, advice, a badge."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.api import blocking, callers, wire
from stationmaster.api.organization import Evaluation
from stationmaster.api.platform.jobs import JobRecord, record
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.readiness import advice, evaluation, model, service
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.difference import Change
from stationmaster.readiness.forms import badge
from stationmaster.readiness.levels import level_of
from stationmaster.readiness.model import LEVELS
from stationmaster.repos import service as repos

routes = router("/api/platform/v1/readiness", "Readiness")


class ReadinessCriterion(wire.Answer):
    """What reports judge. `kinds` are those of applications that it counts for, null for all.

    `needs`: the tree of a commit, its history, the hosting service, or a run. Of an extra, levels
    take no notice.
    """

    id: str
    title: str
    level: int
    pillar: str
    scope: model.Scope
    looks_for: str
    remedy: str
    needs: list[str]
    kinds: list[str] | None
    requires: str | None
    is_extra: bool


class ReadinessCriteria(wire.Answer):
    criteria: list[ReadinessCriterion]


class Fix(wire.Answer):
    """A criterion that fails, and what would correct it. `opens` is the level that it alone would
    open, null where it takes more. `applications` are those that fail, `ecosystems` theirs, `files`
    what to add or change.
    """

    criterion: str
    title: str
    level: int
    rationale: str
    remedy: str
    opens: int | None
    scope: model.Scope
    applications: list[str]
    ecosystems: list[str]
    files: list[str]


class NextLevel(wire.Answer):
    """The least number of criteria that must newly pass for the next level, and the most worthwhile
    choice that suffices. `level` is null at the highest; `steps` is empty where nothing of the
    present level could be judged.
    """

    level: int | None
    passes: int
    steps: list[Fix]


class Fixes(wire.Answer):
    """The most worthwhile first, at most three."""

    fixes: list[Fix]
    next: NextLevel


class ChangedCriterion(wire.Answer):
    """null where a report has none of it."""

    criterion: str
    before: Evaluation | None
    after: Evaluation | None


class ReadinessDifference(wire.Answer):
    """What changed between two reports. With `otherCriteria` they were judged by different editions
    of the criteria, so that not every change is one of the repository.
    """

    level_before: int
    level_after: int
    other_criteria: bool
    better: list[ChangedCriterion]
    worse: list[ChangedCriterion]
    other: list[ChangedCriterion]


class ReadinessPoint(wire.Answer):
    """One report of a history. `createdAt` is Unix milliseconds."""

    report_id: UUID
    created_at: int
    commit_hash: str | None
    criteria_version: int | None
    level: int
    level_name: str
    percentage: float | None


class ReadinessHistory(wire.Answer):
    """Newest first."""

    reports: list[ReadinessPoint]


@routes.get("/criteria")
async def list_readiness_criteria(_caller: callers.Member) -> ReadinessCriteria:
    """List every criterion: what it looks for, where it counts, what to do where it fails."""
    return ReadinessCriteria(
        criteria=[
            ReadinessCriterion(
                id=criterion.id,
                title=criterion.title,
                level=criterion.level,
                pillar=criterion.pillar,
                scope=criterion.scope,
                looks_for=criterion.looks_for,
                remedy=criterion.remedy,
                needs=sorted(criterion.needs),
                kinds=None if criterion.kinds is None else sorted(criterion.kinds),
                requires=criterion.requires,
                is_extra=criterion.is_extra,
            )
            for criterion in CRITERIA.values()
        ]
    )


@routes.get("/reports/{report_id}/fixes")
async def list_readiness_fixes(request: Request, report_id: UUID, caller: callers.Member) -> Fixes:
    """What would bring a repository nearest to its next level, and all that it takes."""
    db = services_of(request).db
    found = await blocking.work(service.read, db, caller.org_id, str(report_id))
    plan = advice.plan(found)
    return Fixes(
        fixes=[Fix(**fix._asdict()) for fix in advice.fixes(found)],
        next=NextLevel(
            level=plan.level,
            passes=plan.passes,
            steps=[Fix(**step._asdict()) for step in plan.steps],
        ),
    )


@routes.get("/reports/{report_id}/difference")
async def get_readiness_difference(
    request: Request,
    report_id: UUID,
    caller: callers.Member,
    since: Annotated[
        UUID | None, Query(description="The earlier report; the one before by default.")
    ] = None,
) -> ReadinessDifference:
    """What changed since an earlier report on the same repository."""
    db = services_of(request).db
    earlier = None if since is None else str(since)
    found = await blocking.work(service.difference, db, caller.org_id, str(report_id), earlier)
    return ReadinessDifference(
        level_before=found.level_before,
        level_after=found.level_after,
        other_criteria=found.other_criteria,
        better=[_change(each) for each in found.better],
        worse=[_change(each) for each in found.worse],
        other=[_change(each) for each in found.other],
    )


@routes.get("/repositories/{repo_id}/history")
async def get_readiness_history(
    request: Request,
    repo_id: wire.Identifier,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    start_after: Annotated[UUID | None, Query(alias="startAfter")] = None,
) -> ReadinessHistory:
    """What the reports on a repository came to. `startAfter` is the last one of the page before."""
    db = services_of(request).db
    after = None if start_after is None else str(start_after)
    found = await blocking.work(
        lambda: service.history(db, caller.org_id, RepoId(repo_id), start_after=after, count=limit)
    )
    return ReadinessHistory(
        reports=[
            ReadinessPoint(
                report_id=UUID(each.report_id),
                created_at=each.created_at,
                commit_hash=each.commit_hash,
                criteria_version=each.criteria_version,
                level=each.standing.level,
                level_name=LEVELS[each.standing.level],
                percentage=each.standing.overall.percentage,
            )
            for each in found
        ]
    )


@routes.get(
    "/repositories/{repo_id}/badge.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
async def get_readiness_badge(
    request: Request, repo_id: wire.Identifier, caller: callers.Member
) -> Response:
    """A picture of the level that the newest report on a repository comes to."""
    db = services_of(request).db
    found = await blocking.work(service.newest, db, caller.org_id, RepoId(repo_id))
    picture = badge.svg(level_of(model.scores_of(found.report)))
    return Response(picture, media_type="image/svg+xml")


@routes.post("/repositories/{repo_id}/evaluate", status_code=202)
async def evaluate_repository(
    request: Request, repo_id: wire.Identifier, caller: callers.Manager
) -> JobRecord:
    """Evaluate a registered repository at its newest commit: a job, whose end is a new report if it
    says anything new.
    """
    db, org, repo = services_of(request).db, caller.org_id, RepoId(repo_id)
    await blocking.work(repos.get, db, org, repo)
    return record(await blocking.work(lambda: jobs.ask(db, org, evaluation.JOB, repo, by=caller)))


def _change(each: Change) -> ChangedCriterion:
    return ChangedCriterion(
        criterion=each.criterion, before=_told(each.before), after=_told(each.after)
    )


def _told(each: model.Evaluation | None) -> Evaluation | None:
    if each is None:
        return None
    return Evaluation(
        numerator=each.numerator,
        denominator=each.denominator,
        rationale=each.rationale,
        state=each.state,
    )
