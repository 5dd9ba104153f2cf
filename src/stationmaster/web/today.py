"""The running day on pages: provisional figures, which no total and no comparison includes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from starlette.requests import Request

from stationmaster.access.model import Caller
from stationmaster.analytics.today import Figures
from stationmaster.credits.dollars import PER_DOLLAR
from stationmaster.web.agent_names import agent_name
from stationmaster.web.blocks import Card, Column, Row, Table, Value
from stationmaster.web.reports import call_of
from stationmaster.web.requests import services_of

CALL = "/api/platform/v1/today"
OWN_CALL = "/api/platform/v1/me/today"
COLUMNS = (
    Column("Dollars", "usd"),
    Column("Credits", "credits", is_wide=True),
    Column("Sessions"),
    Column("Tool calls", is_wide=True),
    Column("Commits", is_wide=True),
)


class SoFar(NamedTuple):
    """The running day (UTC), when it was counted (ms), and its figures: of all, by agent, and by
    person (id, name) where people are shown by name. `call` answers the same."""

    day: date
    counted_at: int
    figures: Figures
    agents: Sequence[tuple[str, Figures]]
    people: Sequence[tuple[str, str, Figures]]
    call: str

    @property
    def dollars(self) -> float | None:
        return dollars(self.figures)


def of_organization(request: Request, caller: Caller) -> SoFar:
    """What everybody did. Raises Forbidden where the privacy mode does not show it."""
    counted = services_of(request).today.of_organization(caller.org_id)
    people = [(each.user_id, each.email or each.user_id, each.figures) for each in counted.people]
    call = call_of(request, CALL)
    return SoFar(counted.day, counted.counted_at, counted.figures, counted.agents, people, call)


def of_caller(request: Request, caller: Caller) -> SoFar:
    """What the caller did."""
    counted = services_of(request).today.of_caller(caller)
    call = call_of(request, OWN_CALL)
    return SoFar(counted.day, counted.counted_at, counted.figures, counted.agents, (), call)


def dollars(figures: Figures) -> float | None:
    """None where work was done of which no model call was reported."""
    if not figures.model_calls and (figures.sessions or figures.git_commits):
        return None
    return figures.amount / PER_DOLLAR


def cards(so_far: SoFar) -> list[Card]:
    """The figures of the day, each a card."""
    figures = so_far.figures
    counts = {
        "Credits": figures.billable_tokens,
        "Sessions": figures.sessions,
        "Tool calls": figures.tool_calls,
        "Commits": figures.git_commits,
        "Pull requests": figures.git_prs_created,
    }
    return [
        Card("Dollars", dollars(figures), "usd"),
        *(Card(name, value) for name, value in counts.items()),
    ]


def tables(so_far: SoFar) -> Mapping[str, Table]:
    """The figures of the day by agent, and by person where people are shown."""
    by_agent = [
        Row(agent, _values(figures), label=agent_name(agent)) for agent, figures in so_far.agents
    ]
    by_person = [
        Row(name, _values(figures), f"/people/{user}") for user, name, figures in so_far.people
    ]
    empty = "Nothing has arrived today."
    return {
        name: Table(name, title, of, COLUMNS, rows, so_far.call, empty=empty)
        for name, title, of, rows in (
            ("today-by-agent", "By agent", "Agent", by_agent),
            ("today-by-person", "By person", "Person", by_person),
        )
        if rows or name == "today-by-agent"
    }


def _values(figures: Figures) -> Sequence[Value]:
    is_silent = dollars(figures) is None
    return (
        dollars(figures),
        None if is_silent else figures.billable_tokens,
        *(figures.sessions, figures.tool_calls, figures.git_commits),
    )
