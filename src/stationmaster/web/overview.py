"""`/`: the state of the organization's agents this month, and what needs a person: each a
sentence and the page on which something can be done about it.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Literal, NamedTuple

from starlette.responses import Response

from stationmaster import clock, days
from stationmaster.alerts import destinations
from stationmaster.errors import Forbidden
from stationmaster.jobs import service as jobs
from stationmaster.limits import budget_requests, service as limits
from stationmaster.limits.model import period_of
from stationmaster.pipelines.scanning import finding_store as findings
from stationmaster.readiness import levels, service as readiness
from stationmaster.web import spend
from stationmaster.web.charts.figures import Unit, short
from stationmaster.web.figures import folds
from stationmaster.web.figures.blocks import Card, Table
from stationmaster.web.figures.period import Period
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, router, see_other

PATH = "/"
TOP = 5
"""Rows of each ranking."""

routes = router()


@routes.get(PATH)
def show_overview(visit: AnyVisit) -> Response:
    """The page, or the first page of a person who may not see the figures of all."""
    if not visit.is_manager:
        return see_other(menu.home(visit.caller))
    view = View(visit, own=spend.BY)
    return view.answer(
        "overview.html",
        BLOCKS,
        cards=_cards,
        notes=spend.notes,
        needs=_needs(view) if view.has_figures else [],
    )


def _cards(view: View) -> list[Card]:
    answer = view.report("spend", of=asked(view.filters.today))
    rows = {date.fromisoformat(row["date"]): row for row in answer.rows}
    month_name = f"{view.filters.today:%B} so far"

    def figure(field: str) -> tuple[Course, list[float | None]]:
        values = {day: folds.number(row[field]) or 0.0 for day, row in rows.items()}
        return course(values, view.filters.today), folds.course(answer.rows, view.days(), field)

    def card(title: str, field: str, unit: Unit = "count") -> Card:
        measure, by_day = figure(field)
        forecast = [] if measure.forecast is None else [f"forecast {short(measure.forecast, unit)}"]
        return Card(
            title,
            measure.so_far,
            unit,
            measure.before,
            is_compared=measure.before is not None,
            days=by_day,
            notes=[month_name, *(forecast if unit in ("usd", "credits") else ())],
        )

    return [
        card("Dollars", "cost_usd", "usd")._replace(link="/spend?range=month"),
        card("Credits", "billable_tokens", "credits")._replace(link="/spend?range=month"),
        _people(view),
        card("Commits", "git_commits")._replace(link="/output?range=month"),
        card("Pull requests", "git_prs_created")._replace(link="/output?range=month"),
    ]


def _people(view: View) -> Card:
    """Who was active in the 30 days up to the last closed one."""
    rows = view.report("activity").rows
    expected = [person for person in view.everyone if person.kind != "service"]
    of = f", of {len(expected)} expected" if view.policy.is_named else ""
    return Card(
        "People active",
        rows[-1]["monthly_active_users"] if rows else None,
        link="/use",
        days=folds.course(rows, view.days(), "daily_active_users"),
        notes=[f"in 30 days{of}"],
    )


def _top(dimension: str, view: View) -> Table:
    table = spend.ranking(dimension, view)
    rows = [row._replace(values=row.values[:1]) for row in table.rows]
    return table._replace(
        columns=table.columns[:1], rows=rows, shown_max=TOP, more=f"/spend#by-{dimension}"
    )


BLOCKS: Mapping[str, Maker] = {
    "by-day": spend.BLOCKS["by-day"],
    **{
        f"by-{dimension}": partial(_top, dimension)
        for dimension in ("person", "team", "repository")
    },
}


FAILED_DAYS = 7
_NAMED_MAX = 3
_LISTED_MAX = 1000


class Need(NamedTuple):
    """Something that needs a person; `link` is the path of the page about it."""

    urgency: Literal["now", "soon"]
    text: str
    link: str


def _needs(view: View) -> list[Need]:
    """All that needs a person, what cannot wait first."""
    needs = [
        *_limits(view),
        *_requests(view),
        *_findings(view),
        *_failed(view),
        *_destinations(view),
        *_senders(view),
        *_unpriced(view),
        *_levels(view),
    ]
    return sorted(needs, key=lambda need: need.urgency != "now")


def _limits(view: View) -> Iterator[Need]:
    """Credit limits that are used up, and those that soon will be."""
    services, org, today = view.services, view.org, clock.today()
    period = period_of(today, services.settings.credit_reset_day)
    usage = limits.usage(
        services.db, org, period, period.through(today), after="", count=_LISTED_MAX
    )
    names = {
        state: sorted(
            principal.email or principal.name or principal.principal_id
            for principal in usage.principals
            if principal.state == state
        )
        for state in ("over", "near")
    }
    over, near = names["over"], names["near"]
    if over:
        yield Need("now", f"{_names(over)} used all of the credit limit", "/limits")
    if near:
        yield Need("soon", f"{_names(near)} used over 80 % of the credit limit", "/limits")


def _requests(view: View) -> Iterator[Need]:
    """Requests for more of a budget that wait for a decision."""
    requests = budget_requests.requests(view.db, view.caller)
    waiting = sum(row.state == "open" for row in requests)
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        yield Need("now", f"{_count(waiting, 'request')} for more of a budget {verb}", "/limits")


def _findings(view: View) -> Iterator[Need]:
    """Critical findings in CI workflows."""
    counts = {
        repo: severities["critical"]
        for repo, severities in findings.counts(view.db, view.org).items()
    }
    hit = [repo for repo, count in counts.items() if count]
    if hit:
        link = f"/repositories/{hit[0]}/ci" if len(hit) == 1 else "/repositories"
        where = "one repository" if len(hit) == 1 else f"{len(hit)} repositories"
        text = f"{_count(sum(counts.values()), 'critical CI finding')} in {where}"
        yield Need("now", text, link)


def _failed(view: View) -> Iterator[Need]:
    since = clock.now_ms() - FAILED_DAYS * days.MS_PER_DAY
    failed = jobs.failing(view.db, view.org, since)
    if failed:
        kinds = ", ".join(sorted({job.kind.replace("-", " ") for job in failed})[:_NAMED_MAX])
        text = f"{_count(len(failed), 'background job')} failed: {kinds}"
        yield Need("now", text, "/settings/jobs?state=failed")


def _destinations(view: View) -> Iterator[Need]:
    """Destinations to which alerts are not sent any more, because they failed."""
    places = destinations.list_all(view.db, view.org)
    names = [place.name for place in places if not place.is_enabled and place.reason != "person"]
    if names:
        yield Need("now", f"Alerts are no longer sent to {_names(names)}", "/settings/alerts")


def _senders(view: View) -> Iterator[Need]:
    """Who sent data and stopped, and who never sent any."""
    shown = [person for person in view.everyone if view.policy.is_named or person.kind == "service"]
    stopped = [view.people[person.id] for person in shown if person.state == "stopped"]
    never = [view.people[person.id] for person in shown if person.state == "never"]
    if stopped:
        yield Need("soon", f"{_names(sorted(stopped))} stopped sending data", "/coverage")
    if never:
        yield Need("soon", f"{_names(sorted(never))} never sent data", "/coverage")


def _unpriced(view: View) -> Iterator[Need]:
    """Models whose calls are in no sum of dollars."""
    try:
        answer = view.report("spend", group_by="model", per="month")
    except Forbidden:
        return
    models = {
        model: calls
        for model, (calls,) in folds.total(answer.rows, ("unpriced_calls",)).items()
        if calls
    }
    if models:
        ranked = sorted(models, key=lambda model: -(models[model] or 0))
        calls = _count(int(sum(value or 0 for value in models.values())), "call")
        yield Need("soon", f"{calls} without a price: {_names(ranked)}", "/spend#by-model")


def _levels(view: View) -> Iterator[Need]:
    """Repositories whose newest report has a lower level than the one before."""
    db, org = view.db, view.org
    for latest in readiness.repositories(db, org, after="", count=_LISTED_MAX):
        before = readiness.level_before(db, org, latest)
        level = levels.level_of(latest.scores)
        if before is not None and level < before:
            name = latest.repo_url.rpartition("://")[2]
            yield Need(
                "soon",
                f"{name} fell from level {before} to level {level}",
                f"/repositories/{latest.repo_id}/readiness",
            )


def _names(names: Sequence[str]) -> str:
    listed = ", ".join(names[:_NAMED_MAX])
    return listed + (f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


LEARNED_DAYS = 28
"""Closed days from which an open day is expected: four of each weekday."""


class Course(NamedTuple):
    """A figure of the month. `forecast` is for all its days, `before` of the same days of the
    month before; None where no day is there to go by."""

    so_far: float
    forecast: float | None
    before: float | None


def asked(today: date) -> Period:
    """The closed days from which a month's course is made: the month before and what follows."""
    start = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    return Period(min(start, today - timedelta(days=LEARNED_DAYS)), today - timedelta(days=1))


def course(values: Mapping[date, float], today: date) -> Course:
    """The course of a figure by closed day. A day without one between others counts as zero."""
    first = today.replace(day=1)
    so_far = sum(value for day, value in values.items() if first <= day < today)
    start = (first - timedelta(days=1)).replace(day=1)
    end = start + (today - first)
    same = [value for day, value in values.items() if start <= day < min(end, first)]
    return Course(so_far, _forecast(values, today, so_far), sum(same) if same else None)


def _forecast(values: Mapping[date, float], today: date, so_far: float) -> float | None:
    """What was used, and for each open day the mean of its weekday."""
    if not values:
        return None
    since = max(min(values), today - timedelta(days=LEARNED_DAYS))
    learned = [since + timedelta(days=n) for n in range((today - since).days)]
    if not learned:
        return None
    overall = sum(values.get(day, 0.0) for day in learned) / len(learned)
    days_of_month = calendar.monthrange(today.year, today.month)[1]
    expected = so_far
    for number in range(today.day, days_of_month + 1):
        weekday = today.replace(day=number).weekday()
        same = [values.get(day, 0.0) for day in learned if day.weekday() == weekday]
        expected += sum(same) / len(same) if same else overall
    return expected
