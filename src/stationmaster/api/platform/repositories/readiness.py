"""Levels and percentages of readiness reports."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.api import blocking, callers, wire
from stationmaster.api.answers import json_answer
from stationmaster.api.organization import ReadinessReport, spelled
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.readiness import levels, service
from stationmaster.readiness.levels import Standing
from stationmaster.readiness.model import LEVELS

routes = router("/api/platform/v1/readiness", "Readiness")


class LevelScore(wire.Answer):
    """`percentage` of what was evaluated, rounded down; null where nothing was. `notEvaluated` of
    the `criteria` apply and could not be judged.
    """

    level: int
    name: str
    percentage: float | None
    evaluated: int
    criteria: int
    not_evaluated: int


class PillarScore(wire.Answer):
    """Like the scores of levels."""

    pillar: str
    percentage: float | None
    evaluated: int
    criteria: int
    not_evaluated: int


class ReadinessScore(wire.Answer):
    """A report's level: the highest that is open. 80 % of a level open the next. `lowest` and
    `highest` are the levels if everything that was not evaluated failed or passed.

    `percentage` is the mean of all criteria of the catalogue that were evaluated; `unknown` are
    the others, which count nowhere.
    """

    level: int
    level_name: str
    lowest: int
    highest: int
    percentage: float | None
    evaluated: int
    criteria: int
    not_evaluated: int
    levels: list[LevelScore]
    pillars: list[PillarScore]
    unknown: list[str]


class RepositoryScore(wire.Answer):
    """A repository and what its newest report comes to. `createdAt` is Unix milliseconds."""

    repo_id: str
    repo_url: str
    report_id: UUID
    created_at: int
    score: ReadinessScore


class RepositoryScores(wire.Answer):
    repositories: list[RepositoryScore]
    pagination: wire.Pagination


class LevelCount(wire.Answer):
    level: int
    name: str
    repositories: int


class OrganizationScore(wire.Answer):
    """The mean level of the repositories, rounded down; null without any report."""

    level: int | None
    level_name: str | None
    repositories: int
    levels: list[LevelCount]


@routes.get("/reports/{report_id}", response_model=ReadinessReport)
async def get_readiness_report(
    request: Request, response: Response, report_id: UUID, caller: callers.Member
) -> Response:
    """One readiness report."""
    services = services_of(request)
    db = services.db
    found = await blocking.read(db, service.get, db, caller.org_id, str(report_id))
    return json_answer(spelled(found, services.settings.vendor_spellings), response)


@routes.delete("/reports/{report_id}", status_code=204)
async def delete_readiness_report(
    request: Request, report_id: UUID, caller: callers.Manager
) -> None:
    """Delete a readiness report for good."""
    await blocking.work(service.delete, services_of(request).db, caller, str(report_id))


@routes.get("/reports/{report_id}/level")
async def get_readiness_level(
    request: Request, report_id: UUID, caller: callers.Member
) -> ReadinessScore:
    """The level of a report, and percentages per level and pillar."""
    db = services_of(request).db
    return _score(await blocking.read(db, service.standing, db, caller.org_id, str(report_id)))


@routes.get("/repositories")
async def list_readiness_of_repositories(
    request: Request,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None, Query(pattern=wire.ID, description="The repository before the page.")
    ] = None,
) -> RepositoryScores:
    """Repositories by id, each with what its newest report comes to."""
    return await blocking.work(
        _repositories, services_of(request).db, caller.org_id, limit, cursor or ""
    )


@routes.get("/organization")
async def get_readiness_of_organization(
    request: Request, caller: callers.Member
) -> OrganizationScore:
    """The organization's level, and how many repositories are at each."""
    found = await blocking.work(service.summary, services_of(request).db, caller.org_id)
    return OrganizationScore(
        level=found.level,
        level_name=None if found.level is None else LEVELS[found.level],
        repositories=sum(found.repositories.values()),
        levels=[
            LevelCount(level=level, name=name, repositories=found.repositories.get(level, 0))
            for level, name in LEVELS.items()
        ],
    )


def _repositories(db: Database, org: OrgId, limit: int, after: str) -> RepositoryScores:
    found = service.repositories(db, org, after=after, count=limit + 1)
    page, pagination = wire.paged(found, limit, lambda each: each.repo_id)
    return RepositoryScores(
        repositories=[
            RepositoryScore(
                repo_id=each.repo_id,
                repo_url=each.repo_url,
                report_id=UUID(each.report_id),
                created_at=each.created_at,
                score=_score(levels.standing(each.scores)),
            )
            for each in page
        ],
        pagination=pagination,
    )


def _score(standing: Standing) -> ReadinessScore:
    return ReadinessScore(
        level=standing.level,
        level_name=LEVELS[standing.level],
        lowest=standing.lowest,
        highest=standing.highest,
        **standing.overall._asdict(),
        levels=[
            LevelScore(level=level, name=LEVELS[level], **part._asdict())
            for level, part in standing.levels.items()
        ],
        pillars=[
            PillarScore(pillar=pillar, **part._asdict())
            for pillar, part in standing.pillars.items()
        ],
        unknown=standing.unknown,
    )
