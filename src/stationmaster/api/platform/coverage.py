"""Who and what sends data, and what is missing of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from stationmaster.analytics.coverage import (
    days as coverage_days,
    findings,
    privacy as coverage_privacy,
    report as coverage,
)
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.spending import costs
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, Opened, router
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import coverage as rollups
from stationmaster.pricing import current

routes = router("/api/platform/v1/coverage", "Coverage")

_DAYS_MAX = 92
_PEOPLE_MAX = 1000
"""More than other lists, because everything but the people is read again for each page."""
Days = Annotated[int, Query(ge=1, le=_DAYS_MAX, description="The number of closed days.")]
PageOfPeople = Annotated[
    int, Query(ge=1, le=_PEOPLE_MAX, description="The length of a page of people.")
]
PersonBefore = Annotated[
    str | None, Query(pattern=wire.ID, description="The last person of the previous page.")
]


class CoverageThresholds(wire.Answer):
    """Whole days without data after which a sender is `quiet` or `stopped`; and the relative
    difference of a source above which it is a problem."""

    quiet_days: int = coverage.QUIET_DAYS
    stopped_days: int = coverage.STOPPED_DAYS
    share: float = findings.SHARE_MAX
    sessions: int = findings.SESSIONS_MIN


class SenderAnswer(wire.Answer, record=coverage.Sender):
    """An agent on a machine, by source; most recent first.

    `since` and `lastSeen` are times of events in Unix milliseconds. `unknown` are records of
    this `version` with unknown names, `refused` are records with impossible values. `machine`
    is `unnamed` for data without a machine, `others` for machines beyond the limit of one person.
    """


class PersonCoverage(wire.Answer, record=coverage.PersonCoverage, without=("users",)):
    """A member, a service account, or an observed user whom only telemetry names.

    Null values: times of a person who never sent data, the e-mail address of a service account,
    the name of a person.
    """

    senders: list[SenderAnswer]


class AgentCoverage(wire.Answer, record=coverage.AgentSeen):
    """An agent that is expected (setting `STATIONMASTER_EXPECTED_AGENTS`), or that sends; `people`
    without programs.
    """


class UnknownRecordsAnswer(wire.Answer, record=coverage.UnknownRecords):
    """`isNew` if the previous version sent none."""


class SilentKeyAnswer(wire.Answer, record=coverage.SilentKey):
    """A valid key that was never used."""


class DropAnswer(wire.Answer, record=coverage.DroppedRecords):
    """Records of a day (of receipt, UTC) by reason: `unknown_record`, `unknown_source`, `invalid`
    (refused), `closed_day` (late, its day is erased), `corrupt`; `clock_skew` were stored with
    the time of receipt.
    """


class QualityAnswer(wire.Answer, record=rollups.Quality):
    """Model calls, tool calls and messages of an agent, as they arrived, and how many of them
    lack a field: `withoutAutonomy` counts tool calls (`calls`)."""

    product: str = wire.sent_as("agent")


class ComparedSession(wire.Answer, record=rollups.SessionCoverage):
    pass


class ComparisonAnswer(wire.Answer, record=rollups.Comparison, without=("worst",)):
    """A figure of one source for the sessions that another source reported, too. `difference`
    is the sum of the differences of all `differing` sessions; `flagged` is the part that the
    source itself marks as estimates or lower bounds; `share` is the rest relative to what was
    counted."""

    product: str = wire.sent_as("agent")
    share: float
    worst: list[ComparedSession]


class CoverageDays(wire.Answer):
    """The closed days (UTC) of drops, quality and sources; drops also include today."""

    first: wire.DayText
    last: wire.DayText


class PeopleByState(wire.Answer):
    active: int
    quiet: int
    stopped: int
    never: int


class CoverageAnswer(wire.Answer):
    """`problems` are sentences for display. All lists except `people` are complete, up to a
    bound. `peopleByState` is null if the privacy mode hides single people and a state has too
    few."""

    days: CoverageDays
    thresholds: CoverageThresholds
    problems: list[str]
    people_by_state: PeopleByState | None
    people: list[PersonCoverage]
    agents: list[AgentCoverage]
    unknown: list[UnknownRecordsAnswer]
    silent_keys: list[SilentKeyAnswer]
    drops: list[DropAnswer]
    quality: list[QualityAnswer]
    comparisons: list[ComparisonAnswer]
    pagination: wire.Pagination


class AgentDayAnswer(wire.Answer):
    """Model calls, tool calls and messages as they arrived."""

    day: str
    events: int


class AgentDaysAnswer(wire.Answer):
    agent: str
    days: list[AgentDayAnswer]


class PersonDayAnswer(wire.Answer):
    day: str
    credits: int


class PersonDaysAnswer(wire.Answer):
    id: str
    days: list[PersonDayAnswer]


class SentDaysAnswer(wire.Answer):
    """Days without data are left out. If people are not shown by name, `people` lists only
    programs; in the modes `team-only` and `off` both lists are empty."""

    days: CoverageDays
    agents: list[AgentDaysAnswer]
    people: list[PersonDaysAnswer]
    pagination: wire.Pagination


@routes.get("", response_model=CoverageAnswer)
async def get_coverage(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    days: Days = 30,
    limit: PageOfPeople = wire.PAGE_MAX,
    cursor: PersonBefore = None,
) -> Response:
    """Members, machines and agents that send data, stopped or never started; dropped records,
    missing fields of events, and sources that disagree. People are paged, by id."""
    closed_days = coverage.closed_days(days)
    await services.bring_up_to_date(caller.org_id, closed_days)
    answer = await blocking.work(_read, services, caller.org_id, closed_days, limit, cursor or "")
    return wire.body_answer(answer, response)


@routes.get("/days", response_model=SentDaysAnswer)
async def get_days(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    days: Days = 30,
    limit: PageOfPeople = wire.PAGE_MAX,
    cursor: PersonBefore = None,
) -> Response:
    """On which closed days each agent and each person sent data. People are paged, by id."""
    closed_days = coverage.closed_days(days)
    await services.bring_up_to_date(caller.org_id, closed_days)
    sent = await blocking.work(_sent, services.db, caller.org_id, closed_days, limit, cursor or "")
    return wire.body_answer(sent, response)


@routes.get("/me")
def get_own_coverage(db: Db, caller: callers.Reader) -> PersonCoverage:
    """What sends the caller's own data, since when; for every role and privacy mode."""
    person = coverage.of_one(db, caller.org_id, caller.principal_id)
    assert person is not None  # Who calls is a member or a program.
    return PersonCoverage.of(person)


def _sent(db: Db, org: OrgId, closed_days: DayRange, limit: int, after: str) -> SentDaysAnswer:
    later = [user for user in coverage_days.active(db, org, closed_days) if user > after]
    page, pagination = wire.paged(later, limit, lambda user: user)
    return SentDaysAnswer.of(
        days=closed_days,
        agents=coverage_days.agents(db, org, closed_days),
        people=coverage_days.people(db, org, closed_days, page),
        pagination=pagination,
    )


def _read(
    services: Opened, org: OrgId, closed_days: DayRange, limit: int, after: str
) -> CoverageAnswer:
    db = services.db
    summary, people = coverage_privacy.read(db, services.settings, org, closed_days)
    card = current.card(db, services.settings, org)
    unknown_models = costs.find(db, card, org, closed_days, None).meta.unknown_models
    later = [person for person in people if person.id > after]
    page, pagination = wire.paged(later, limit, lambda agent: agent.id)
    return CoverageAnswer.of(
        summary,
        days=closed_days,
        thresholds=CoverageThresholds(),
        problems=findings.problems(summary, people) + findings.unpriced(unknown_models),
        people=coverage.with_senders(db, org, page),
        pagination=pagination,
    )
