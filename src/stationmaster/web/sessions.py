"""`/sessions`: sessions of agents, latest first; `/sessions/ID`: one of them, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.analytics import sessions, timelines
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.sessions import Asked, Page, Session
from stationmaster.analytics.timelines import Step, Timeline
from stationmaster.credits.dollars import PER_DOLLAR
from stationmaster.lake.storage import Lake
from stationmaster.web import menu
from stationmaster.web.blocks import Column, Row, Table
from stationmaster.web.pages import page, router
from stationmaster.web.reports import call_of
from stationmaster.web.requests import SignedIn, services_of
from stationmaster.web.view import View

PATH = "/sessions"
PER_PAGE = 50
AFTER = "after"
"""The parameter that says where a page begins."""
DIMENSIONS = ("person", "agent", "model", "repository")
COLUMNS = (
    Column("Dollars", "usd"),
    Column("Tool calls"),
    Column("Commits"),
    Column("Agent", "text"),
    Column("Person", "text"),
    Column("Repository", "text"),
)
LANES: Mapping[str, tuple[int, str, int]] = {
    "user_message": (0, "Prompts and commands", 3),
    "slash_command": (0, "Prompts and commands", 3),
    "model_call": (1, "Model calls", 1),
    "tool_call": (2, "Tool calls", 2),
    "git_commit": (3, "Commits and pull requests", 4),
    "git_pull_request": (3, "Commits and pull requests", 4),
    "model_error": (4, "Failed and refused", 5),
}
"""The lane of each kind of step in the picture, its name, its colour."""
FAILED = LANES["model_error"]
_WIDTH, _LANE, _MARK = 1000, 20, 3

routes = router()


class Mark(NamedTuple):
    """A step in the picture, in units of which there are 1,000 along."""

    x: float
    y: int
    width: float
    slot: int


@routes.get(PATH)
def show_sessions(request: Request, caller: SignedIn) -> Response:
    """Those of the organization for owners and managers, for everybody else their own."""
    is_own = caller.role not in menu.MANAGERS
    view = View(request, caller, DIMENSIONS[1:] if is_own else DIMENSIONS, is_own=is_own)
    found = Page([], None)
    only_programs = False
    if view.period is not None and view.first_day is not None:
        asked = sessions.judged(services_of(request).db, _asked(view), caller)
        only_programs = asked.only_programs
        needed = DayRange(*view.period)
        services_of(request).freshness.ensure(caller.org_id, needed, facts=True)
        found = sessions.page(services_of(request).db, asked)
    after = None
    if found.cursor is not None:
        address = view.link()
        after = f"{address}{'&' if '?' in address else '?'}{urlencode({AFTER: found.cursor})}"
    return view.answer(
        "sessions.html",
        {"sessions": lambda view: _table(view, found.sessions)},
        after=after,
        is_first=AFTER not in request.query_params,
        only_programs=only_programs,
    )


@routes.get(PATH + "/{session_id}")
def show_session(request: Request, caller: SignedIn, session_id: str) -> Response:
    services = services_of(request)
    session = sessions.one(services.db, caller.org_id, session_id, caller)
    lake = Lake.open(services.settings)
    timeline = timelines.read(services.db, lake, caller.org_id, session.rows)
    return page(
        "session.html",
        caller,
        request,
        session=session,
        dollars=session.amount / PER_DOLLAR,
        per_dollar=PER_DOLLAR,
        lasted=lasted(session.started_at, session.ended_at),
        timeline=timeline,
        marks=marks(session, timeline),
        lanes=list(dict.fromkeys(LANES.values())),
        of_managers=caller.role in menu.MANAGERS,
        call=call_of(request, f"/api/platform/v1/sessions/{session_id}"),
    )


def marks(session: Session, timeline: Timeline) -> list[Mark]:
    """The picture's steps: where each begins, and for how long it ran."""
    span = max(session.ended_at - session.started_at, 1)

    def mark(step: Step) -> Mark:
        is_bad = step.outcome != "ok"
        lane, _, slot = FAILED if is_bad else LANES[step.kind]
        width = max(_WIDTH * (step.duration_ms or 0) / span, _MARK)
        x = min(_WIDTH * (step.at - session.started_at) / span, _WIDTH - _MARK)
        return Mark(round(x, 1), lane * _LANE + 2, round(min(width, _WIDTH - x), 1), slot)

    return [mark(step) for step in timeline.steps]


def lasted(started_at: int, ended_at: int) -> str:
    """How long something was at work: `2 d 3 h`, `1 h 5 min`, `40 s`."""
    seconds = (ended_at - started_at) // 1000
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 48:
        return f"{hours} h {minutes % 60} min"
    return f"{hours // 24} d {hours % 24} h"


def _asked(view: View) -> Asked:
    assert view.period is not None
    only = view.filters.only
    after = view.request.query_params.get(AFTER)
    return Asked(
        view.caller.org_id,
        *view.period,
        user=view.caller.principal_id if view.is_own else only.get("person"),
        repository=only.get("repository"),
        agent=only.get("agent"),
        model=only.get("model"),
        after=None if after is None else sessions.parse_cursor(after),
        size=PER_PAGE,
    )


def _table(view: View, found: Sequence[Session]) -> Table:
    assert view.period is not None
    path = "/api/platform/v1/me/sessions" if view.is_own else "/api/platform/v1/sessions"
    query = [("startDate", f"{view.period.first}"), ("endDate", f"{view.period.last}")]
    query += [*([] if view.is_own else view.filters.only.items()), ("limit", f"{PER_PAGE}")]
    if after := view.request.query_params.get(AFTER):
        query.append(("cursor", after))
    rows = [_row(session) for session in found]
    call = call_of(view.request, path, query)
    empty = "No session in these days with these filters."
    return Table(
        "sessions", "Sessions", "Session", COLUMNS, rows, call, empty=empty, shown_max=PER_PAGE
    )


def _minute(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def _row(session: Session) -> Row:
    row, figures = session.latest, session.figures
    values = (
        session.amount / PER_DOLLAR,
        figures["tool_calls"],
        figures["git_commits"],
        row.agent,
        row.user_email or row.user_id,
        row.repository,
    )
    return Row(_minute(session.ended_at), values, f"{PATH}/{row.session_id}")
