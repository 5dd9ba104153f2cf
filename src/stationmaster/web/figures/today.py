"""The running day on pages: provisional figures, which no total and no comparison includes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from stationmaster.analytics.today import Figures, only_of
from stationmaster.pricing.credits.dollars import PER_DOLLAR
from stationmaster.report_names import Dimension
from stationmaster.web.figures.blocks import Card, Column, Row, Table, Value, agent_name
from stationmaster.web.frame.pages import Visit

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
    """The running day (UTC), when it was counted (ms), and its figures: of all, by agent, by
    person (id, name), and 10⁻¹² dollars by model, where people are shown by name. `call` answers
    the same."""

    day: date
    counted_at: int
    figures: Figures
    agents: Sequence[tuple[str, Figures]]
    people: Sequence[tuple[str, str, Figures]]
    models: Mapping[str, int]
    call: str

    @property
    def dollars(self) -> float | None:
        """US dollars of all; None where work was done of which no model call was reported."""
        return dollars(self.figures)


def read(visit: Visit, chosen: Mapping[Dimension, str], *, is_own: bool) -> SoFar:
    """What the caller did, or everybody, limited to one value of some dimensions. Raises Forbidden
    where the privacy mode does not show it."""
    only = only_of(visit.db, visit.org, chosen)
    if is_own:
        counted = visit.services.today.of_caller(visit.caller, only)
    else:
        counted = visit.services.today.of_organization(visit.org, only)
    listed = () if "user" in chosen else counted.people
    people = [(person.user_id, person.email or person.user_id, person.figures) for person in listed]
    call = visit.call(OWN_CALL if is_own else CALL, [*chosen.items()])
    return SoFar(*counted[:4], people, counted.models, call)


def of_group(so_far: SoFar, part: str, field: str) -> Mapping[str, float | None]:
    """A figure of the day by agent or, of dollars, by model; {} where it is not counted so."""
    if part == "model" and field == "cost_usd":
        return {name: amount / PER_DOLLAR for name, amount in so_far.models.items()}
    if part != "agent" or field not in ("cost_usd", "git_commits", "git_prs_created"):
        return {}
    if field == "cost_usd":
        return {name: dollars(figures) for name, figures in so_far.agents}
    return {name: getattr(figures, field) for name, figures in so_far.agents}


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
