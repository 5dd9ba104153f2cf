"""The running UTC day so far: the organization's and the caller's own."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, cast

from fastapi import Query
from pydantic import BeforeValidator
from starlette.responses import Response

from stationmaster.analytics import today
from stationmaster.analytics.model import FILTER_LENGTH_MAX
from stationmaster.api import callers, wire
from stationmaster.api.routing import Opened, router
from stationmaster.api.wire import body_answer
from stationmaster.pricing.credits import dollars
from stationmaster.report_names import Dimension

routes = router("/api/platform/v1", "Today")

_Filter = Annotated[
    str | None, Query(min_length=1, max_length=FILTER_LENGTH_MAX, pattern=wire.ONE_LINE)
]
_User = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=FILTER_LENGTH_MAX,
        pattern=wire.ONE_LINE,
        description="A user's id or e-mail address.",
    ),
]


_Dollars = Annotated[str, BeforeValidator(dollars.text)]


class TodayFigures(wire.Answer, record=today.Figures):
    """`costUsd` is a decimal number as text, of the calls that have a price; `sessions` were
    active today, whenever they began."""

    billable_tokens: int = wire.sent_as("credits")
    amount: _Dollars = wire.sent_as("costUsd")
    git_commits: int = wire.sent_as("commits")
    git_prs_created: int = wire.sent_as("pullRequests")


class TodayAgent(TodayFigures):
    agent: str


class TodayPerson(TodayFigures):
    user_id: str
    email: str | None


class TodayModel(wire.Answer):
    """`costUsd` is of the calls that have a price."""

    model: str
    cost_usd: _Dollars


class TodayAnswer(wire.Answer):
    """Provisional figures of a day (UTC) that is not over, as of `countedAt` (Unix milliseconds),
    which is at most a minute ago. Agents, models and people are listed, most credits or dollars
    first, if people are shown by name."""

    date: date
    counted_at: int
    is_provisional: Literal[True]
    figures: TodayFigures
    agents: list[TodayAgent]
    models: list[TodayModel]
    people: list[TodayPerson]


@routes.get("/today", response_model=TodayAnswer)
def get_today(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    agent: _Filter = None,
    repository: _Filter = None,
    team: _Filter = None,
    user: _User = None,
) -> Response:
    """Figures of today (UTC) so far, of the organization or a part of it. Parts are shown if
    people are shown by name."""
    org = caller.org_id
    chosen = _chosen(agent=agent, repository=repository, team=team, user=user)
    only = today.only_of(services.db, org, chosen)
    return body_answer(_shown(services.today.of_organization(org, only)), response)


@routes.get("/me/today", response_model=TodayAnswer)
def get_my_today(
    services: Opened,
    response: Response,
    caller: callers.Reader,
    agent: _Filter = None,
    repository: _Filter = None,
) -> Response:
    """The caller's figures of today (UTC) so far, with one agent or in one repository."""
    only = today.only_of(services.db, caller.org_id, _chosen(agent=agent, repository=repository))
    return body_answer(_shown(services.today.of_caller(caller, only)), response)


def _chosen(**values: str | None) -> dict[Dimension, str]:
    return {cast(Dimension, name): value for name, value in values.items() if value is not None}


def _shown(counted: today.Today) -> TodayAnswer:
    by_cost = sorted(counted.models.items(), key=lambda pair: (-pair[1], pair[0]))
    return TodayAnswer.of(
        counted,
        date=counted.day,
        is_provisional=True,
        agents=[TodayAgent.of(figures, agent=name) for name, figures in counted.agents],
        models=[TodayModel.of(model=name, cost_usd=amount) for name, amount in by_cost],
        people=[TodayPerson.of(person, person.figures) for person in counted.people],
    )
