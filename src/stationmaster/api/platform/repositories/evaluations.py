"""What readiness reports lead to: evaluations on demand, history, differences, advice, a badge."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from starlette.responses import Response

from stationmaster.api import callers, wire
from stationmaster.api.platform.jobs import JobRecord
from stationmaster.api.routing import Db, router
from stationmaster.ids import RepoId
from stationmaster.readiness import advice, evaluation, model, service
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.difference import Difference
from stationmaster.readiness.forms import texts

routes = router("/api/platform/v1/readiness", "Readiness")


_OWN = ("worth", "only_with", "evidence", "missing", "unseen", "near", "change")
"""Fields of criteria that evaluators alone read."""


class ReadinessCriterion(wire.Answer, record=Criterion, without=_OWN):
    """A criterion of readiness. `kinds` are the kinds of applications to which it applies, null
    for all.

    `needs`: the tree of a commit, its history, the hosting service, or a run. An extra counts
    in no level.
    """

    level: int
    pillar: str
    needs: list[str]
    kinds: list[str] | None


class ReadinessCriteria(wire.Answer):
    criteria: list[ReadinessCriterion]


class Fix(wire.Answer, record=advice.Fix):
    """A criterion that fails, and what would correct it. `opens` is the level that this fix
    alone would open, else null. `applications` are the failing ones, `ecosystems` theirs,
    `files` the files to add or change."""

    level: int
    opens: int | None


class NextLevel(wire.Answer):
    """The number of further criteria that must pass for the next level, and the most valuable
    choice of them. `level` is null at the highest level; `steps` is empty if nothing of the
    current level could be evaluated."""

    level: int | None
    passes: int
    steps: list[Fix]


class Fixes(wire.Answer):
    """The most valuable first, at most three."""

    fixes: list[Fix]
    next: NextLevel


class Evaluation(wire.Answer, record=model.Evaluation):
    """`numerator` of `denominator` sub-applications pass; null if it was not evaluated."""


class ChangedCriterion(wire.Answer):
    """null if a report does not have the criterion."""

    criterion: str
    before: Evaluation | None
    after: Evaluation | None


class ReadinessDifference(wire.Answer, record=Difference):
    """What changed between two reports. With `otherCriteria` they use different editions of the
    criteria, so that not every change is a change of the repository."""

    level_before: int
    level_after: int
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
    """List every criterion: what it checks, where it counts, what to do if it fails."""
    return ReadinessCriteria(
        criteria=[
            ReadinessCriterion.of(
                criterion,
                needs=sorted(criterion.needs),
                kinds=None if criterion.kinds is None else sorted(criterion.kinds),
            )
            for criterion in CRITERIA.values()
        ]
    )


@routes.get("/reports/{report_id}/fixes")
def list_readiness_fixes(db: Db, report_id: UUID, caller: callers.Member) -> Fixes:
    """The steps that bring a repository closest to its next level, and all steps that it needs."""
    report = service.read(db, caller.org_id, str(report_id))
    return Fixes.of(fixes=advice.fixes(report), next=advice.plan(report))


@routes.get("/reports/{report_id}/difference")
def get_readiness_difference(
    db: Db,
    report_id: UUID,
    caller: callers.Member,
    since: Annotated[
        UUID | None, Query(description="The earlier report; by default the previous one.")
    ] = None,
) -> ReadinessDifference:
    """What changed since an earlier report on the same repository."""
    earlier = None if since is None else str(since)
    return ReadinessDifference.of(service.difference(db, caller.org_id, str(report_id), earlier))


@routes.get("/repositories/{repo_id}/history")
def get_readiness_history(
    db: Db,
    repo_id: wire.Identifier,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    start_after: Annotated[UUID | None, Query(alias="startAfter")] = None,
) -> ReadinessHistory:
    """The levels of the reports on a repository. `startAfter` is the last one of the previous
    page."""
    after = None if start_after is None else str(start_after)
    points = service.history(db, caller.org_id, RepoId(repo_id), start_after=after, count=limit)
    return ReadinessHistory(
        reports=[
            ReadinessPoint.of(
                point,
                level=point.standing.level,
                level_name=model.LEVELS[point.standing.level],
                percentage=point.standing.overall.percentage,
            )
            for point in points
        ]
    )


@routes.get(
    "/repositories/{repo_id}/badge.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
def get_readiness_badge(db: Db, repo_id: wire.Identifier, caller: callers.Member) -> Response:
    """A picture of the level of the newest report on a repository."""
    report = service.newest(db, caller.org_id, RepoId(repo_id))
    return Response(texts.badge_of(report), media_type="image/svg+xml")


@routes.post("/repositories/{repo_id}/evaluate", status_code=202)
def evaluate_repository(db: Db, repo_id: wire.Identifier, caller: callers.Manager) -> JobRecord:
    """Evaluate a registered repository at its newest commit: a job, which stores a report if a
    verdict has changed."""
    return JobRecord.of(evaluation.ask(db, caller, RepoId(repo_id)))
