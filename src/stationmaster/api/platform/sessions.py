"""Sessions of agents: the organization's, one of them, the caller's own."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from fastapi import Query
from pydantic import BeforeValidator
from starlette.responses import Response

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.analytics import person_ids, sessions, timelines
from stationmaster.analytics.model import FILTER_LENGTH_MAX, DayRange
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Opened, router
from stationmaster.errors import BadRequest
from stationmaster.lake.rollups.sessions import ModelPart, ToolPart
from stationmaster.pricing.credits import dollars

routes = router("/api/platform/v1", "Sessions")

DEFAULT_DAYS = 30
_CURSOR_MAX = 128
_Filter = Annotated[
    str | None, Query(min_length=1, max_length=FILTER_LENGTH_MAX, pattern=wire.ONE_LINE)
]
_Start = Annotated[
    wire.Day | None,
    Query(alias="startDate", description="The first UTC day; 30 days before the last one."),
]
_End = Annotated[
    wire.Day | None, Query(alias="endDate", description="The last UTC day; yesterday.")
]
_Cursor = Annotated[
    str | None, Query(max_length=_CURSOR_MAX, description="`nextCursor` of the previous page.")
]


def _dollars(amount: int | None) -> str | None:
    return None if amount is None else dollars.text(amount)


class SessionTokens(wire.Answer):
    """`costUsd` is a decimal number as text, of the calls with a price; null if there are none."""

    credits: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: str | None
    calls: int
    unpriced_calls: int


class SessionModel(SessionTokens):
    model: str


class SessionTool(wire.Answer, record=ToolPart):
    """`failed` are among the executed `calls`, `refused` are not."""


class SessionAnswer(wire.Answer):
    """A session over all of its days; times are Unix milliseconds of its first and last event.

    `repository` and `team` are those at the beginning of its last day, `branch` is its last one.
    """

    id: str
    agent_session_id: str
    agent: str
    client: str
    user_id: str
    email: str | None
    team: str
    repository: str
    branch: str | None
    machine: str | None
    sources: list[str]
    days: list[date]
    started_at: int
    ended_at: int
    usage: SessionTokens
    models: list[SessionModel]
    tools: list[SessionTool]
    user_messages: int
    model_errors: int
    tool_calls: int
    failed_tool_calls: int
    refused_tool_calls: int
    files_changed: int
    lines_added: int
    lines_removed: int
    commits: int
    pull_requests: int


class SessionsAnswer(wire.Answer):
    """`onlyPrograms`: people's sessions are left out because of the privacy mode."""

    sessions: list[SessionAnswer]
    start_date: date
    end_date: date
    only_programs: bool
    pagination: wire.Pagination


class TimelineStep(wire.Answer, record=timelines.SessionStep):
    """`at` is in Unix milliseconds. `outcome` is `ok`, `failed`, `refused`, or the reason why a
    model call failed. Figures that were not reported are null. `costUsd` of a model call is a
    decimal number as text; null if it has no price."""

    amount: Annotated[str | None, BeforeValidator(_dollars)] = wire.sent_as("costUsd")


class TimelineAnswer(wire.Answer, record=timelines.Timeline):
    """The first 1,000 steps. `leftOut` is the number of further steps; `erasedDays` are days
    whose events are erased, `unreadDays` is the number of days beyond the first 31, which are
    not read."""

    steps: list[TimelineStep]
    erased: list[date] = wire.sent_as("erasedDays")
    unread: int = wire.sent_as("unreadDays")


class OneSessionAnswer(wire.Answer):
    session: SessionAnswer
    timeline: TimelineAnswer


@routes.get("/sessions", response_model=SessionsAnswer)
async def list_sessions(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    person: Annotated[_Filter, Query(description="A user id or an e-mail address.")] = None,
    repository: _Filter = None,
    agent: _Filter = None,
    model: _Filter = None,
    start: _Start = None,
    end: _End = None,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: _Cursor = None,
) -> Response:
    """Sessions that were active on the requested days, latest first."""
    if person is not None:
        person = ids.user_of(caller.org_id, person)
    query = _asked(services, caller, start, end, limit, cursor)
    query = query._replace(repository=repository, agent=agent, model=model)
    return await _page(services, response, caller, query, person)


@routes.get("/me/sessions", response_model=SessionsAnswer)
async def list_my_sessions(
    services: Opened,
    response: Response,
    caller: callers.Reader,
    start: _Start = None,
    end: _End = None,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: _Cursor = None,
) -> Response:
    """The caller's own sessions, latest first."""
    query = _asked(services, caller, start, end, limit, cursor)
    return await _page(services, response, caller, query, caller.principal_id)


@routes.get("/sessions/{session_id}", response_model=OneSessionAnswer)
async def get_session(
    services: Opened, response: Response, session_id: wire.Identifier, caller: callers.Reader
) -> Response:
    """A session and its timeline: the caller's own, or one that owners and managers may see."""
    session = await blocking.work(sessions.one, services.db, caller.org_id, session_id, caller)
    timeline = await blocking.few(services.folding, services.timeline, caller.org_id, session)
    answer = OneSessionAnswer.of(session=shown(session), timeline=timeline)
    return wire.body_answer(answer, response)


async def _page(
    services: Opened,
    response: Response,
    caller: Caller,
    query: sessions.SessionQuery,
    person: str | None,
) -> Response:
    """The answer about everyone, or about the person that a user id is or belongs to."""
    if person is not None:
        users = await blocking.work(person_ids.of, services.db, query.org, person)
        query = query._replace(users=users)
    query = await blocking.work(sessions.judged, services.db, query, caller)
    closed = min(query.last, clock.today() - timedelta(days=1))
    if query.first <= closed:
        needed = DayRange(query.first, closed)
        await blocking.work(lambda: services.freshness.ensure(query.org, needed, facts=True))
    page = await blocking.work(sessions.page, services.db, query)
    answer = SessionsAnswer(
        sessions=[shown(session) for session in page.sessions],
        start_date=query.first,
        end_date=query.last,
        only_programs=query.only_programs,
        pagination=wire.Pagination(has_more=page.cursor is not None, next_cursor=page.cursor),
    )
    return wire.body_answer(answer, response)


def _asked(
    services: Opened,
    caller: Caller,
    start: date | None,
    end: date | None,
    limit: int,
    cursor: str | None,
) -> sessions.SessionQuery:
    last = end or clock.today() - timedelta(days=1)
    first = start or last - timedelta(days=DEFAULT_DAYS - 1)
    if first > last:
        raise BadRequest(f"startDate {first} is after endDate {last}.", code="invalid_range")
    days_max = services.settings.range_days_max
    if (last - first).days >= days_max:
        raise BadRequest(f"A range may have at most {days_max} days.", code="range_too_long")
    if last > clock.today():
        raise BadRequest(f"endDate {last} has not begun yet (UTC).", code="date_not_available")
    after = None if cursor is None else sessions.parse_cursor(cursor)
    return sessions.SessionQuery(caller.org_id, first, last, after=after, size=limit)


def shown(session: sessions.Session) -> SessionAnswer:
    """A session as it is answered."""
    row, figures = session.latest, session.figures
    return SessionAnswer.of(
        session,
        row,
        id=row.session_id,
        email=row.user_email,
        days=[day for day, _ in session.rows],
        usage=_tokens(session.total),
        models=[
            SessionModel(model=part.model, **_tokens(part).model_dump()) for part in session.models
        ],
        commits=figures["git_commits"],
        pull_requests=figures["git_prs_created"],
        **{name: value for name, value in figures.items() if name in SessionAnswer.model_fields},
    )


def _tokens(part: ModelPart) -> SessionTokens:
    has_price = part.amount > 0 or part.unpriced_calls < part.calls
    return SessionTokens.of(
        part,
        credits=part.billable_tokens,
        cost_usd=dollars.text(part.amount) if has_price or not part.calls else None,
    )
