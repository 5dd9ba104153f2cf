"""`/coverage`: who and what sends data, as pictures of days; what is dropped or contradictory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from starlette.responses import Response

from stationmaster import days
from stationmaster.access import privacy, service as access
from stationmaster.analytics.coverage import (
    days as coverage_days,
    findings,
    privacy as coverage_privacy,
)
from stationmaster.analytics.coverage.report import (
    QUIET_DAYS,
    STATES,
    STOPPED_DAYS,
    AgentSeen,
    Coverage,
    PersonCoverage,
    State,
    closed_days,
)
from stationmaster.analytics.model import DayRange
from stationmaster.web.charts.axes import label
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import (
    Address,
    ManagerVisit,
    Visit,
    csv_file,
    listing,
    router,
    table_of,
)

PATH = "/coverage"
RANGES = {"30": "Last 30 days", "7": "Last 7 days", "90": "Last 90 days"}
PER_PAGE = 50
LEVELS = 4
"""Shades of a day in a picture; a day without data is empty."""

routes = router()


class Strip(NamedTuple):
    """The days of one row as a picture: the path of each shade, and the same in words."""

    paths: Sequence[tuple[int, str]]
    text: str
    days: int


class CoverageLine(NamedTuple):
    """A person or program with their days."""

    person: PersonCoverage
    name: str
    strip: Strip | None
    """None where their days are not shown."""


class Loaded(NamedTuple):
    """What the API answers about a range, and its tables by name."""

    asked: DayRange
    shown: coverage_privacy.ListedCoverage
    agents: list[coverage_days.AgentDays]
    are_days_shown: bool
    tables: dict[str, Table]


@routes.get(PATH)
def show_coverage(
    visit: ManagerVisit, days: str = "30", state: str = "", start: int = 0, csv: str = ""
) -> Response:
    """The last closed days; people of one state, or all, those who stopped first."""
    days = days if days in RANGES else "30"
    state = state if state in STATES else ""
    loaded = _load(visit, int(days))
    day_range = loaded.asked
    people = _ordered(loaded.shown.people, state)
    if csv:
        table = _table(visit, loaded, csv, people)
        return csv_file(table, f"{csv}_{day_range.first}_{day_range.last}")
    start = min(max(start, 0), len(people))
    return visit.page(
        "coverage.html",
        view=Address(PATH, {"days": days, "state": state}, {"days": "30"}),
        ranges=RANGES,
        days=days,
        state=state,
        states=STATES,
        asked=day_range,
        labels=(label(day_range.first), label(day_range.last)),
        coverage=loaded.shown.coverage,
        problems=findings.problems(loaded.shown.coverage, loaded.shown.people),
        agents=_agents(loaded),
        leads_to_people=loaded.are_days_shown,
        lines=_lines(visit, loaded, people[start : start + PER_PAGE]),
        count=len(people),
        start=start,
        next_start=start + PER_PAGE if start + PER_PAGE < len(people) else None,
        tables=loaded.tables,
        thresholds=(QUIET_DAYS, STOPPED_DAYS),
    )


def _load(visit: Visit, number: int) -> Loaded:
    """The coverage of so many closed days, after these are current."""
    days = closed_days(number)
    visit.bring_up_to_date(days)
    shown = coverage_privacy.read(visit.db, visit.settings, visit.org, days)
    sent = coverage_days.agents(visit.db, visit.org, days)
    call = f"{visit.address}/api/platform/v1/coverage"
    # The days of everyone are many: they are read for CSV alone.
    people = _days_table("people-days", [])
    agents = _days_table("agents-days", [(block.agent, block.days) for block in sent])
    by_day = [block._replace(call=f"{call}/days?days={number}") for block in (people, agents)]
    holders = access.names(visit.db, visit.org)
    listed = [_seen(shown.coverage.agents, sent), _everyone([])]
    listed = [block._replace(call=f"{call}?days={number}") for block in listed]
    tables = [*_tables(shown.coverage, f"{call}?days={number}", holders), *by_day, *listed]
    are_days_shown = not privacy.of(visit.db, visit.org).is_grouped
    return Loaded(days, shown, sent, are_days_shown, {table.name: table for table in tables})


def _table(visit: Visit, loaded: Loaded, name: str, people: Sequence[PersonCoverage]) -> Table:
    """A whole table of the page, with `people` of the chosen state. Raises NotFound."""
    table = table_of(loaded.tables, name)
    if name == "people":
        return _everyone(_lines(visit, loaded, people))
    if name != "people-days":
        return table
    users = coverage_days.active(visit.db, visit.org, loaded.asked)
    sent = coverage_days.people(visit.db, visit.org, loaded.asked, users)
    return _days_table(name, [(sender.id, sender.days) for sender in sent])


def strip(values: Mapping[str, int] | None, day_range: DayRange) -> Strip | None:
    """A picture of a range's days, darker where there is more; None without values."""
    if values is None:
        return None
    highest = max(values.values(), default=0)
    cells: dict[int, list[str]] = {}
    for place, day in enumerate(days.span(day_range.first, day_range.last)):
        value = values.get(f"{day}")
        if value is not None:
            shade = 1 if not highest else 1 + round((LEVELS - 1) * (value / highest) ** 0.5)
            cells.setdefault(shade, []).append(f"M{place}.1 0h.8v1h-.8z")
    text = f"Data on {len(values)} of {day_range.days} days"
    if values:
        text += f", last on {label(date.fromisoformat(max(values)))}"
    paths = [(shade, "".join(parts)) for shade, parts in sorted(cells.items())]
    return Strip(paths, text, len(values))


def _agents(loaded: Loaded) -> list[tuple[AgentSeen, Strip | None]]:
    sent = {agent_days.agent: dict(agent_days.days) for agent_days in loaded.agents}
    nothing: dict[str, int] | None = {} if loaded.are_days_shown else None
    return [
        (agent, strip(sent.get(agent.agent, nothing), loaded.asked))
        for agent in loaded.shown.coverage.agents
    ]


def _ordered(people: Sequence[PersonCoverage], state: str) -> list[PersonCoverage]:
    """Those of a state, or all, who needs a look first."""
    order: Mapping[State, int] = {"stopped": 0, "quiet": 1, "never": 2, "active": 3}
    chosen = [person for person in people if state in ("", person.state)]
    return sorted(chosen, key=lambda person: (order[person.state], _name(person).lower()))


def _lines(visit: Visit, loaded: Loaded, people: Sequence[PersonCoverage]) -> list[CoverageLine]:
    if not loaded.are_days_shown:
        return [CoverageLine(person, _name(person), None) for person in people]
    users = [person.id for person in people]
    sent = coverage_days.people(visit.db, visit.org, loaded.asked, users)
    return [
        CoverageLine(person, _name(person), strip(dict(person_days.days), loaded.asked))
        for person, person_days in zip(people, sent, strict=True)
    ]


def _name(person: PersonCoverage) -> str:
    return person.email or person.name or person.id


def _days_table(name: str, rows: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> Table:
    """Every day with data of every row, as CSV has them."""
    of, figure = ("Who", "Credits") if name == "people-days" else ("Agent", "Events")
    columns = f"0: {of}, 1: Day, 2: {figure} (count)"
    cells = [(who, *pair) for who, pairs in rows for pair in pairs]
    return listing(name, name.replace("-", " "), columns, cells, "")


def _seen(agents: Sequence[AgentSeen], sent: Sequence[coverage_days.AgentDays]) -> Table:
    """Every agent, as CSV has them."""
    days_of = {agent_days.agent: len(agent_days.days) for agent_days in sent}
    rows = [(agent, days_of.get(agent.agent, 0)) for agent in agents]
    columns = (
        "0.agent: Agent, 1: Days with data, 0.state: State, 0.people: People, "
        "0.machines: Machines, 0.since: Since (UTC), 0.last_seen: Last seen (UTC)"
    )
    return listing("agents", "Agents", columns, rows, "")


def _everyone(lines: Sequence[CoverageLine]) -> Table:
    """People and programs, as CSV has them."""
    columns = (
        "name: Who, person.kind: Kind, strip.days: Days with data, person.state: State, "
        "person.since: Since (UTC), person.last_seen: Last seen (UTC)"
    )
    return listing("people", "People and programs", columns, lines, "")


def _tables(coverage: Coverage, call: str, holders: Mapping[str, str]) -> list[Table]:
    """What was dropped, what events lack, where sources disagree, and what is not understood."""
    keys = [(key, holders.get(key.principal_id, key.principal_id)) for key in coverage.silent_keys]
    return [
        listing(
            "drops",
            "Dropped records",
            "agent: Agent, records: Records (count), day: Day of receipt, reason: Reason (words)",
            coverage.drops,
            call,
            empty="Nothing was dropped in these days.",
        ),
        listing(
            "quality",
            "What events lack",
            "product: Agent, events: Events (count), without_session: Without session (count), "
            "without_repository: Without repository (count), "
            "without_client: Without client (count), calls: Tool calls (count), "
            "without_autonomy: Without autonomy (count), clock_skew: Wrong clock (count)",
            coverage.quality,
            call,
            empty="There were no events in these days.",
        ),
        listing(
            "sources",
            "Where sources disagree",
            "product: Agent, differing: Differing sessions (count), sessions: Sessions (count), "
            "source: Source (words), figure: Figure (words), told: Reported (count), "
            "counted: Counted (count), share: Off (share)",
            [comparison for comparison in coverage.comparisons if comparison.differing],
            call,
            empty="All sources report the same.",
        ),
        listing(
            "unknown",
            "Records of unknown names",
            "agent: Agent, records: Records (count), version: Version, since: Since (day)",
            coverage.unknown,
            call,
            empty="All records have known names.",
        ),
        listing(
            "keys",
            "Keys that were never used",
            "0.name: Key, 1: Holder, 0.scope: Scope, 0.created_at: Made (day)",
            keys,
            call,
            empty="Every valid key has been used.",
        ),
    ]
