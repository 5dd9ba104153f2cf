"""`/sessions`: sessions of agents, latest first; `/sessions/ID`: one of them, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from stationmaster.access import privacy
from stationmaster.analytics import model, person_ids, sessions, timelines
from stationmaster.pricing.credits.dollars import PER_DOLLAR, text
from stationmaster.web.figures.blocks import Column, Row, Table
from stationmaster.web.figures.period import Period
from stationmaster.web.figures.view import View
from stationmaster.web.frame.pages import AnyVisit, csv_file, listing, router

PATH = "/sessions"
PER_PAGE = 50
AFTER = "after"
"""The parameter of where a page begins."""
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


class StepMark(NamedTuple):
    """A step in the picture, in units of which there are 1,000 along."""

    x: float
    y: int
    width: float
    slot: int


@routes.get(PATH)
def show_sessions(visit: AnyVisit) -> Response:
    """Those of the organization for owners and managers, for everybody else their own."""
    is_own = not visit.is_manager
    view = View(visit, DIMENSIONS[1:] if is_own else DIMENSIONS, is_own=is_own)
    listed = sessions.Page([], None)
    only_programs = False
    shown = _days(view)
    if view.first_day is not None:
        query = sessions.judged(visit.db, _asked(view, shown), visit.caller)
        only_programs = query.only_programs
        if view.period is not None:
            visit.services.freshness.ensure(visit.org, model.DayRange(*view.period), facts=True)
        if shown.last == view.filters.today:
            # Counting the running day stores its sessions.
            visit.services.today.of_caller(visit.caller)
        listed = sessions.page(visit.db, query)
    table = _table(view, shown, listed.sessions)
    if view.is_today and visit.request.query_params.get("csv") == table.name:
        return csv_file(table, f"{table.name}_{shown.last}")
    after = None
    if listed.cursor is not None:
        address = view.link()
        after = f"{address}{'&' if '?' in address else '?'}{urlencode({AFTER: listed.cursor})}"
    return view.answer(
        "sessions.html",
        {"sessions": lambda _: table},
        table=table,
        after=after,
        is_first=AFTER not in visit.request.query_params,
        only_programs=only_programs,
    )


@routes.get(PATH + "/{session_id}")
def show_session(visit: AnyVisit, session_id: str) -> Response:
    session = sessions.one(visit.db, visit.org, session_id, visit.caller)
    timeline = visit.services.timeline(visit.org, session)
    call = visit.call(f"/api/platform/v1/sessions/{session_id}")
    return visit.lists(
        "session.html",
        f"{PATH}/{session_id}",
        _tables(session, timeline, call),
        session=session,
        dollars=_dollars(session),
        per_dollar=PER_DOLLAR,
        exact_dollars=text,
        lasted=lasted(session.started_at, session.ended_at),
        timeline=timeline,
        marks=marks(session, timeline),
        lanes=list(dict.fromkeys(LANES.values())),
        leads_to_person=visit.is_manager and not privacy.of(visit.db, visit.org).is_grouped,
    )


def marks(session: sessions.Session, timeline: timelines.Timeline) -> list[StepMark]:
    """The picture's steps: where each begins, and for how long it ran."""
    span = max(session.ended_at - session.started_at, 1)

    def mark(step: timelines.SessionStep) -> StepMark:
        is_bad = step.outcome != "ok"
        lane, _, slot = FAILED if is_bad else LANES[step.kind]
        width = max(_WIDTH * (step.duration_ms or 0) / span, _MARK)
        x = min(_WIDTH * (step.at - session.started_at) / span, _WIDTH - _MARK)
        return StepMark(round(x, 1), lane * _LANE + 2, round(min(width, _WIDTH - x), 1), slot)

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


def _days(view: View) -> Period:
    """The chosen days; today follows the closed ones, except where dates were chosen."""
    period, today = view.filters.period, view.filters.today
    is_open = view.filters.preset != "dates" and period.last == today - timedelta(days=1)
    return Period(period.first, today) if is_open else period


def _asked(view: View, shown: Period) -> sessions.SessionQuery:
    only = view.filters.only
    after = view.request.query_params.get(AFTER)
    person = view.caller.principal_id if view.is_own else only.get("person")
    db = view.db
    return sessions.SessionQuery(
        view.org,
        *shown,
        users=() if person is None else person_ids.of(db, view.org, person),
        repository=only.get("repository"),
        agent=only.get("agent"),
        model=only.get("model"),
        after=None if after is None else sessions.parse_cursor(after),
        size=PER_PAGE,
    )


def _table(view: View, shown: Period, listed: Sequence[sessions.Session]) -> Table:
    path = "/api/platform/v1/me/sessions" if view.is_own else "/api/platform/v1/sessions"
    query = [("startDate", f"{shown.first}"), ("endDate", f"{shown.last}")]
    query += [*([] if view.is_own else view.filters.only.items()), ("limit", f"{PER_PAGE}")]
    if after := view.request.query_params.get(AFTER):
        query.append(("cursor", after))
    rows = [_row(session, view.filters.today) for session in listed]
    call = view.call(path, query)
    empty = "No session in these days with these filters."
    return Table(
        "sessions", "Sessions", "Session", COLUMNS, rows, call, empty=empty, shown_max=PER_PAGE
    )


def _dollars(session: sessions.Session) -> float | None:
    """None where no call was reported or none has a price."""
    figures = session.figures
    is_known = figures["model_calls"] > figures["unpriced_calls"]
    return session.amount / PER_DOLLAR if is_known else None


def _row(session: sessions.Session, today: date) -> Row:
    row, figures = session.latest, session.figures
    values = (
        _dollars(session),
        figures["tool_calls"],
        figures["git_commits"],
        row.agent,
        row.user_email or row.user_id,
        row.repository,
    )
    name = f"{datetime.fromtimestamp(session.ended_at / 1000, UTC):%Y-%m-%d %H:%M}"
    label = f"{name} so far" if session.rows[-1][0] == today else ""
    return Row(name, values, f"{PATH}/{row.session_id}", label=label)


_TOKENS = (
    "0.input_tokens: Input, 0.output_tokens: Output, 0.cache_read_tokens: From cache, "
    "0.cache_write_tokens: To cache"
)


def _tables(session: sessions.Session, timeline: timelines.Timeline, call: str) -> list[Table]:
    """Its steps, models and tools; `call` answers all of them."""
    steps = [(step, None if step.amount is None else text(step.amount)) for step in timeline.steps]
    of_steps = (
        "0.at: Time (UTC), 0.kind: Step, 0.is_subagent: Subagent, 0.name: Name, "
        f"0.outcome: Outcome, 0.duration_ms: Took (ms), 1: Dollars, {_TOKENS}"
    )
    models = [(part, text(part.amount)) for part in session.models]
    of_models = f"0.model: Model, 0.calls: Calls, {_TOKENS}, 1: Dollars"
    of_tools = "tool: Tool, calls: Calls, failed: Failed, refused: Refused"
    return [
        listing("steps", "Steps of the session", of_steps, steps, call),
        listing("models", "Models", of_models, models, call),
        listing("tools", "Tools", of_tools, session.tools, call),
    ]
