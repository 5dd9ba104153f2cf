"""Who and what sends data, and what is missing of it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Caller, PrincipalKind, Scope
from stationmaster.analytics.coverage import days as coverage_days
from stationmaster.analytics.coverage import findings
from stationmaster.analytics.coverage import privacy as coverage_privacy
from stationmaster.analytics.coverage import report as coverage
from stationmaster.analytics.coverage.report import State
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.spending import costs
from stationmaster.api import blocking, callers, wire
from stationmaster.api.answers import told
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.pricing import current

routes = router("/api/platform/v1/coverage", "Coverage")

_DAYS_MAX = 92
_PEOPLE_MAX = 1000
"""More than other lists, because everything but the people is read anew for each page."""
Days = Annotated[int, Query(ge=1, le=_DAYS_MAX, description="Closed days that are looked at.")]
PageOfPeople = Annotated[
    int, Query(ge=1, le=_PEOPLE_MAX, description="The length of a page of people.")
]
PersonBefore = Annotated[
    str | None, Query(pattern=wire.ID, description="The person before the page.")
]
_OF_PRODUCT = Field(validation_alias="product", serialization_alias="agent")


class _Answer(wire.Answer):
    """Made of what has the same attributes."""

    model_config = ConfigDict(from_attributes=True)


class CoverageThresholds(_Answer):
    """Whole days without data from which on a sender is `quiet`, and `stopped`; and how far, of
    what was counted, a source may be off before that is a problem.
    """

    quiet_days: int = coverage.QUIET_DAYS
    stopped_days: int = coverage.STOPPED_DAYS
    share: float = findings.SHARE_MAX
    sessions: int = findings.SESSIONS_MIN


class SenderAnswer(_Answer):
    """An agent on a machine, by the source that its data comes from; what was last seen first.

    `since` and `lastSeen` are times of events in Unix milliseconds. `unknown` are records of this
    `version` whose names are not known, `refused` ones that cannot be true. `machine` is `unnamed`
    for data that names none, `others` for machines beyond what is kept of one person.
    """

    machine: str
    agent: str
    source: str
    version: str
    since: int
    last_seen: int
    events: int
    unknown: int
    refused: int


class PersonCoverage(_Answer):
    """A member, a service account, or an observed user whom only telemetry names.

    Nulls: who never sent has no times; a service account has no e-mail, a person no name.
    """

    id: str
    kind: Literal["member", "service", "observed"]
    email: str | None
    name: str | None
    state: State
    since: int | None
    last_seen: int | None
    days_silent: int | None
    events: int
    senders: list[SenderAnswer]


class AgentCoverage(_Answer):
    """An agent that is expected (setting `STATIONMASTER_EXPECTED_AGENTS`), or that sends; `people`
    without programs.
    """

    agent: str
    is_expected: bool
    state: State
    people: int
    machines: int
    since: int | None
    last_seen: int | None
    events: int


class UnknownRecordsAnswer(_Answer):
    """`isNew` where the version before sent none."""

    agent: str
    version: str
    since: int
    records: int
    is_new: bool


class SilentKeyAnswer(_Answer):
    """A valid key that was never used, so that nothing was ever sent with it."""

    key_id: str
    name: str
    principal_kind: PrincipalKind
    principal_id: str
    scope: Scope
    created_at: int


class DropAnswer(_Answer):
    """Records of a day (of receipt, UTC) by reason: `unknown_record`, `unknown_source`, `invalid`
    (refused), `closed_day` (late, its day is erased), `corrupt`; `clock_skew` were kept, at the
    time of receipt.
    """

    day: str
    agent: str
    reason: str
    records: int


class QualityAnswer(_Answer):
    """Model calls, tool calls and messages of an agent, as they arrived, and how many of them
    nobody can place: `withoutAutonomy` is of the `calls`, the tool calls.
    """

    agent: str = _OF_PRODUCT
    events: int
    without_session: int
    without_repository: int
    without_client: int
    calls: int
    without_autonomy: int
    clock_skew: int


class ComparedSession(_Answer):
    session_id: str
    told: int
    counted: int


class ComparisonAnswer(_Answer):
    """A source's own figure of the sessions that another source told of, too.

    `difference` adds up by how much each of the `differing` sessions is off; `flagged` is the part
    that the source announces itself, as estimates or figures too low; `share` the rest of it, of
    what was counted.
    """

    agent: str = _OF_PRODUCT
    source: str
    figure: str
    sessions: int
    differing: int
    told: int
    counted: int
    difference: int
    flagged: int
    share: float
    worst: list[ComparedSession]


class CoverageDays(_Answer):
    """The closed days (UTC) that drops, quality and sources are of; drops also of today."""

    first: str
    last: str


class PeopleByState(_Answer):
    active: int
    quiet: int
    stopped: int
    never: int


class CoverageAnswer(_Answer):
    """`problems` are sentences for a person. Lists but `people` are whole, up to a bound.

    `peopleByState` is null where an organization that shows nobody alone has too few in a state.
    """

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


class AgentDayAnswer(_Answer):
    """Model calls, tool calls and messages as they arrived."""

    day: str
    events: int


class AgentDaysAnswer(_Answer):
    agent: str
    days: list[AgentDayAnswer]


class PersonDayAnswer(_Answer):
    day: str
    credits: int


class PersonDaysAnswer(_Answer):
    id: str
    days: list[PersonDayAnswer]


class SentDaysAnswer(_Answer):
    """Days without data are left out. Where people are not shown by name only programs are listed
    among `people`; where nobody is shown alone both lists are empty."""

    days: CoverageDays
    agents: list[AgentDaysAnswer]
    people: list[PersonDaysAnswer]
    pagination: wire.Pagination


@routes.get("", response_model=CoverageAnswer)
async def get_coverage(
    request: Request,
    response: Response,
    caller: callers.Manager,
    days: Days = 30,
    limit: PageOfPeople = wire.PAGE_MAX,
    cursor: PersonBefore = None,
) -> Response:
    """Which members, machines and agents send data, which stopped, which never did; what was
    dropped, what events lack, and where sources disagree. People are paged, by id."""
    services = services_of(request)
    asked = coverage.closed_days(days)
    await services.bring_up_to_date(caller.org_id, asked)
    found = await blocking.work(_read, services, caller.org_id, asked, limit, cursor or "")
    return told(found, response)


@routes.get("/days", response_model=SentDaysAnswer)
async def get_days(
    request: Request,
    response: Response,
    caller: callers.Manager,
    days: Days = 30,
    limit: PageOfPeople = wire.PAGE_MAX,
    cursor: PersonBefore = None,
) -> Response:
    """On which closed days each agent and each person sent data. People are paged, by id."""
    services = services_of(request)
    asked = coverage.closed_days(days)
    await services.bring_up_to_date(caller.org_id, asked)
    sent = await blocking.work(_sent, services.db, caller.org_id, asked, limit, cursor or "")
    return told(sent, response)


@routes.get("/me")
async def get_own_coverage(request: Request, caller: callers.Reader) -> PersonCoverage:
    """What sends the caller's own data, since when; for every role, however people are shown."""
    db = services_of(request).db
    return await blocking.work(_own, db, caller)


def _sent(db: Database, org: OrgId, asked: DayRange, limit: int, after: str) -> SentDaysAnswer:
    later = [user for user in coverage_days.active(db, org, asked) if user > after]
    page, pagination = wire.paged(later, limit, lambda user: user)
    return SentDaysAnswer.model_validate(
        {
            "days": CoverageDays(first=asked.texts[0], last=asked.texts[1]),
            "agents": coverage_days.agents(db, org, asked),
            "people": coverage_days.people(db, org, asked, page),
            "pagination": pagination,
        }
    )


def _own(db: Database, caller: Caller) -> PersonCoverage:
    person = coverage.of_one(db, caller.org_id, caller.principal_id)
    assert person is not None  # Who calls is a member or a program.
    return PersonCoverage.model_validate(person)


def _read(
    services: Services, org: OrgId, asked: DayRange, limit: int, after: str
) -> CoverageAnswer:
    db = services.db
    found, people = coverage_privacy.read(db, services.settings, org, asked)
    card = current.card(db, services.settings, org)
    unknown_models = costs.find(db, card, org, asked, None).meta.unknown_models
    later = [person for person in people if person.id > after]
    page, pagination = wire.paged(later, limit, lambda each: each.id)
    return CoverageAnswer.model_validate(
        {
            **found._asdict(),
            "days": CoverageDays(first=asked.texts[0], last=asked.texts[1]),
            "thresholds": CoverageThresholds(),
            "problems": findings.problems(found, people) + findings.unpriced(unknown_models),
            "people": coverage.with_senders(db, org, page),
            "pagination": pagination,
        }
    )
