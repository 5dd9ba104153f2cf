"""`/repositories/ID/readiness`: a report, the course of all, and what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from starlette.responses import Response

from stationmaster import clock
from stationmaster.errors import NotFound
from stationmaster.readiness import advice, levels, model, service as readiness
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.difference import Difference
from stationmaster.readiness.forms.rows import STATES, CriterionRow, groups as grouped
from stationmaster.repos.model import Repository
from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.figures.period import DAYS_MAX
from stationmaster.web.frame.pages import MemberVisit, Visit, listing, router
from stationmaster.web.repositories.repository import REPOSITORY, known_repository, tab_page

_API = "/api/platform/v1/readiness"
HISTORY_MAX = 30
"""Reports that are listed of a repository's history."""

routes = router()


class Changed(NamedTuple):
    """A criterion that has another result now: `before` and `after` such as `0/1`."""

    title: str
    before: str
    after: str


@routes.get(REPOSITORY + "/readiness")
def show_readiness(
    visit: MemberVisit, repo_id: str, state: str = "", report: str = "", since: str = ""
) -> Response:
    """The newest report, or another one by its id, compared with the one before or `since`."""
    repository = known_repository(visit, repo_id)
    latest = readiness.latest(visit.db, visit.org, repository.repo_id)
    if latest is None:
        return tab_page(visit, repository, "readiness", made=None)
    course = _course(
        visit, repository, readiness.course(visit.db, visit.org, repository.repo_id, 0)
    )
    made = _report(visit, repository, report or latest.report_id)
    history = readiness.history(
        visit.db, visit.org, repository.repo_id, start_after=None, count=HISTORY_MAX
    )
    others = [point for point in history if point.report_id != made.report_id]
    older = [point for point in others if point.created_at <= made.created_at]
    base = since or (older[0].report_id if older else "")
    result = levels.standing(model.scores_of(made.report))
    return tab_page(
        visit,
        repository,
        "readiness",
        made=made,
        result=result,
        levels=model.LEVELS,
        pillars=model.PILLARS,
        plan=advice.plan(made),
        groups=_groups(made, result, state),
        state=state if state in STATES else "",
        states=STATES,
        counts={
            name: sum(model.state_of(e) == name for e in made.report.values()) for name in STATES
        },
        history=history,
        others=others,
        since=base,
        changed=_changed(visit, repository, made, base) if base else None,
        course=course,
        tables=[course, _criteria(visit, made), _reports(visit, repository, history)],
        asked={"report": report, "since": since, "state": state},
    )


def _report(visit: Visit, repository: Repository, report_id: str) -> model.Report:
    made = readiness.read(visit.db, visit.org, report_id)
    if made.repo_url != repository.url:
        raise NotFound("There is no such report.")
    return made


def _changed(
    visit: Visit, repository: Repository, made: model.Report, since: str
) -> tuple[Difference, list[tuple[str, list[Changed]]]]:
    """What differs from another report on the repository, what is better first."""
    _report(visit, repository, since)
    difference = readiness.difference(visit.db, visit.org, made.report_id, since)
    groups = (
        ("Better", difference.better),
        ("Worse", difference.worse),
        ("Evaluated in one of them only", difference.other),
    )
    return difference, [
        (
            word,
            [
                Changed(
                    change.criterion
                    if change.criterion not in CRITERIA
                    else CRITERIA[change.criterion].title,
                    _result(change.before),
                    _result(change.after),
                )
                for change in changes
            ],
        )
        for word, changes in groups
        if changes
    ]


def _result(evaluation: model.Evaluation | None) -> str:
    if evaluation is None or evaluation.numerator is None:
        return "not evaluated"
    return f"{evaluation.numerator}/{evaluation.denominator}"


def _course(
    visit: Visit, repository: Repository, points: list[tuple[int, levels.LevelResult]]
) -> Plot:
    """The share of criteria that pass, day by day: each report holds until the next one."""
    days_of = [(datetime.fromtimestamp(at / 1000, UTC).date(), result) for at, result in points]
    today = clock.today()
    first = max(days_of[0][0], today - timedelta(days=DAYS_MAX - 1)) if days_of else today
    by_day: dict[date, float | None] = {}
    present: float | None = None
    for day, result in days_of:
        percentage = result.overall.percentage
        present = None if percentage is None else percentage / 100
        by_day[max(day, first)] = present
    days = [first + timedelta(days=n) for n in range((today - first).days + 1)]
    shares: list[float | None] = []
    for day in days:
        shares.append(by_day[day] if day in by_day else shares[-1] if shares else None)
    chart = Chart("readiness", "Criteria that pass", "share", days, [Series("Criteria", shares, 1)])
    return Plot(chart, visit.call(f"{_API}/repositories/{repository.repo_id}/history"), "lines")


def _criteria(visit: Visit, made: model.Report) -> Table:
    columns = "0: Criterion, 1: State, 2.numerator: Passed, 2.denominator: Of, 2.rationale: Reason"
    rows = [(name, model.state_of(result), result) for name, result in made.report.items()]
    call = visit.call(f"{_API}/reports/{made.report_id}")
    return listing("criteria", "Criteria", columns, rows, call)


def _reports(
    visit: Visit, repository: Repository, history: Sequence[readiness.HistoryPoint]
) -> Table:
    columns = (
        "created_at: Made (UTC), commit_hash: Commit, standing.level: Level, "
        "standing.overall.percentage: Percent of all criteria"
    )
    call = visit.call(f"{_API}/repositories/{repository.repo_id}/history")
    return listing("reports", "Reports", columns, history, call)


def _groups(
    made: model.Report, result: levels.LevelResult, state: str
) -> list[tuple[str, str, list[CriterionRow]]]:
    """Each level with its percentage and criteria, those of one state or all."""
    groups = [
        (
            "In no level" if level is None else f"Level {level}: {model.LEVELS[level]}",
            percentage,
            [row for row in group if state not in STATES or row.state == state],
        )
        for level, percentage, group in grouped(made, result)
    ]
    return [group for group in groups if group[2]]
