"""Levels and percentages of readiness reports."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from starlette.responses import Response

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import described
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.wire import json_answer
from stationmaster.readiness import levels, service
from stationmaster.readiness.forms.answer import spelled
from stationmaster.readiness.levels import GroupResult, LevelResult
from stationmaster.readiness.model import LEVELS, Latest

routes = router("/api/platform/v1/readiness", "Readiness")


class LevelScore(wire.Answer, record=GroupResult):
    """`percentage` of the evaluated criteria, rounded down; null if there are none.
    `notEvaluated` of the `criteria` apply and could not be evaluated."""

    level: int
    name: str


class PillarScore(wire.Answer, record=GroupResult):
    """As for levels."""

    pillar: str


class ReadinessScore(wire.Answer, record=(LevelResult, GroupResult), without=("overall",)):
    """A report's level: the highest that is open. 80 % of a level open the next. `lowest` and
    `highest` are the levels if everything that was not evaluated failed or passed.

    `percentage` is the mean of all criteria of the catalogue that were evaluated; `unknown` are
    other criteria, which are not counted.
    """

    level: int
    level_name: str
    lowest: int
    highest: int
    levels: list[LevelScore]
    pillars: list[PillarScore]


class RepositoryScore(wire.Answer, record=Latest, without=("scores",)):
    """A repository and the level of its newest report. `createdAt` is Unix milliseconds."""

    report_id: UUID
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


@routes.get("/reports/{report_id}", responses={200: described("ReadinessReport")})
@blocking.reads
def get_readiness_report(
    services: Opened, response: Response, report_id: UUID, caller: callers.Member
) -> Response:
    """One readiness report."""
    db = services.db
    body = service.get(db, caller.org_id, str(report_id))
    return json_answer(spelled(body, services.settings.vendor_spellings), response)


@routes.delete("/reports/{report_id}", status_code=204)
def delete_readiness_report(db: Db, report_id: UUID, caller: callers.Manager) -> None:
    """Delete a readiness report permanently."""
    service.delete(db, caller, str(report_id))


@routes.get("/reports/{report_id}/level")
@blocking.reads
def get_readiness_level(db: Db, report_id: UUID, caller: callers.Member) -> ReadinessScore:
    """The level of a report, and percentages per level and pillar."""
    return _score(service.standing(db, caller.org_id, str(report_id)))


@routes.get("/repositories")
def list_readiness_of_repositories(
    db: Db,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None, Query(pattern=wire.ID, description="The last repository of the previous page.")
    ] = None,
) -> RepositoryScores:
    """Repositories by id, each with the level of its newest report."""
    listed = service.repositories(db, caller.org_id, after=cursor or "", count=limit + 1)
    return wire.page(RepositoryScores, listed, limit, lambda row: row.repo_id, _repository)


@routes.get("/organization")
def get_readiness_of_organization(db: Db, caller: callers.Member) -> OrganizationScore:
    """The organization's level, and how many repositories are at each."""
    summary = service.summary(db, caller.org_id)
    return OrganizationScore(
        level=summary.level,
        level_name=None if summary.level is None else LEVELS[summary.level],
        repositories=sum(summary.repositories.values()),
        levels=[
            LevelCount(level=level, name=name, repositories=summary.repositories.get(level, 0))
            for level, name in LEVELS.items()
        ],
    )


def _repository(row: Latest) -> RepositoryScore:
    return RepositoryScore.of(row, score=_score(levels.standing(row.scores)))


def _score(standing: LevelResult) -> ReadinessScore:
    return ReadinessScore.of(
        standing,
        standing.overall,
        level_name=LEVELS[standing.level],
        levels=[
            LevelScore.of(part, level=level, name=LEVELS[level])
            for level, part in standing.levels.items()
        ],
        pillars=[PillarScore.of(part, pillar=pillar) for pillar, part in standing.pillars.items()],
    )
