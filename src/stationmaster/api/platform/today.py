"""The running UTC day so far: the organization's and the caller's own."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.analytics import today
from stationmaster.api import blocking, callers, wire
from stationmaster.api.answers import told
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.credits import dollars

routes = router("/api/platform/v1", "Today")


class TodayFigures(wire.Answer):
    """`costUsd` is a decimal number as text, of the calls that have a price; `sessions` were at
    work today, whenever they began."""

    active_people: int
    sessions: int
    user_messages: int
    credits: int
    cost_usd: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    model_calls: int
    tool_calls: int
    files_changed: int
    commits: int
    pull_requests: int


class TodayAgent(TodayFigures):
    agent: str


class TodayPerson(TodayFigures):
    user_id: str
    email: str | None


class TodayAnswer(wire.Answer):
    """Provisional figures of a day (UTC) that is not over, as of `countedAt` (Unix milliseconds),
    which is at most a minute ago. Agents and people are listed, most credits first, where people
    are shown by name."""

    date: date
    counted_at: int
    is_provisional: Literal[True]
    figures: TodayFigures
    agents: list[TodayAgent]
    people: list[TodayPerson]


@routes.get("/today", response_model=TodayAnswer)
async def get_today(request: Request, response: Response, caller: callers.Manager) -> Response:
    """What the organization did so far today (UTC)."""
    counter = services_of(request).today
    return told(_shown(await blocking.work(counter.of_organization, caller.org_id)), response)


@routes.get("/me/today", response_model=TodayAnswer)
async def get_my_today(request: Request, response: Response, caller: callers.Reader) -> Response:
    """What the caller did so far today (UTC)."""
    return told(_shown(await blocking.work(services_of(request).today.of_caller, caller)), response)


def _shown(found: today.Today) -> TodayAnswer:
    return TodayAnswer(
        date=found.day,
        counted_at=found.counted_at,
        is_provisional=True,
        figures=TodayFigures(**_figures(found.figures)),
        agents=[TodayAgent(agent=name, **_figures(each)) for name, each in found.agents],
        people=[
            TodayPerson(user_id=each.user_id, email=each.email, **_figures(each.figures))
            for each in found.people
        ],
    )


def _figures(figures: today.Figures) -> dict[str, Any]:
    values: dict[str, Any] = figures._asdict()
    values["credits"] = values.pop("billable_tokens")
    values["commits"] = values.pop("git_commits")
    values["pull_requests"] = values.pop("git_prs_created")
    values["cost_usd"] = dollars.text(figures.amount)
    del values["amount"]
    return values
