"""What needs a person: each a sentence and the page on which something can be done about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Literal, NamedTuple

from stationmaster import clock, days
from stationmaster.alerts import destinations
from stationmaster.errors import Forbidden
from stationmaster.jobs import service as jobs
from stationmaster.limits import asking
from stationmaster.limits import service as limits
from stationmaster.limits.model import period_of
from stationmaster.pipelines.scanning import finding_store as findings
from stationmaster.readiness import levels
from stationmaster.readiness import service as readiness
from stationmaster.web.figures.folds import total
from stationmaster.web.figures.view import View

FAILED_DAYS = 7
_NAMED_MAX = 3
_LISTED_MAX = 1000


class Need(NamedTuple):
    """Something that needs a person; `link` is the path of the page about it."""

    urgency: Literal["now", "soon"]
    text: str
    link: str


def of(view: View) -> list[Need]:
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
    through = today - timedelta(days=1) if today > period.start else None
    usage = limits.usage(services.db, org, period, through, after="", count=_LISTED_MAX)
    names = {
        state: sorted(
            standing.email or standing.name or standing.principal_id
            for standing in usage.standings
            if standing.state == state
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
    requests = asking.requests(view.db, view.caller)
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
        model: calls for model, (calls,) in total(answer.rows, ("unpriced_calls",)).items() if calls
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
