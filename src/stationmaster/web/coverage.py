"""`/coverage`: who and what sends data, as pictures of days; what is dropped or contradictory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from stationmaster import days
from stationmaster.access import privacy
from stationmaster.access import service as access
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.analytics.coverage import days as coverage_days
from stationmaster.analytics.coverage import findings
from stationmaster.analytics.coverage import privacy as coverage_privacy
from stationmaster.analytics.coverage import report as coverage
from stationmaster.analytics.coverage.days import AgentDays
from stationmaster.analytics.coverage.privacy import Shown
from stationmaster.analytics.coverage.report import STATES, AgentSeen, Coverage, Person, State
from stationmaster.analytics.model import DayRange
from stationmaster.errors import NotFound
from stationmaster.web.charts.axes import label
from stationmaster.web.figures.agent_names import agent_name
from stationmaster.web.figures.blocks import Column, Row, Table, Value
from stationmaster.web.figures.view import csv_file
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import listing, moment
from stationmaster.web.frame.pages import Address, page, router
from stationmaster.web.frame.requests import (
    SignedIn,
    bring_up_to_date,
    services_of,
    visited_address,
)

PATH = "/coverage"
RANGES = {"30": "Last 30 days", "7": "Last 7 days", "90": "Last 90 days"}
PER_PAGE = 50
LEVELS = 4
"""Shades of a day in a picture; a day without data is empty."""
REASONS = {
    "unknown_record": "Records of names that this version does not know: update Stationmaster.",
    "unknown_source": "Data of a sender that is no known agent: check what is pointed at here.",
    "invalid": "Refused because they cannot be true or are malformed: check the sender's version.",
    "closed_day": "Received after their day was erased by the retention setting.",
    "corrupt": "Damaged on the way or in storage: `stationmaster doctor` names what is damaged.",
    "clock_skew": "The sender's clock is wrong: kept, at the time of receipt. Set that clock.",
}
"""Why records became no event, and what to do."""

routes = router()


class Strip(NamedTuple):
    """The days of one row as a picture: the path of each shade, and the same in words."""

    paths: Sequence[tuple[int, str]]
    text: str
    days: int


class Line(NamedTuple):
    """A person or program with their days."""

    person: Person
    name: str
    strip: Strip | None
    """None where their days are not shown."""


class Found(NamedTuple):
    """What the API answers about a range, and its tables by name."""

    asked: DayRange
    shown: Shown
    agents: list[AgentDays]
    are_days_shown: bool
    tables: dict[str, Table]


@routes.get(PATH)
def show_coverage(
    request: Request,
    caller: SignedIn,
    days: str = "30",
    state: str = "",
    start: int = 0,
    csv: str = "",
) -> Response:
    """The last closed days; people of one state, or all, those who stopped first."""
    require(caller, *menu.MANAGERS)
    days = days if days in RANGES else "30"
    state = state if state in STATES else ""
    found = _found(request, caller, int(days))
    asked = found.asked
    people = _ordered(found.shown.people, state)
    if csv:
        table = _table(request, caller, found, csv, people)
        return csv_file(table, f"{csv}_{asked.first}_{asked.last}")
    start = min(max(start, 0), len(people))
    return page(
        "coverage.html",
        caller,
        request,
        view=Address(PATH, {"days": days, "state": state}, {"days": "30"}),
        ranges=RANGES,
        days=days,
        state=state,
        states=STATES,
        asked=asked,
        labels=(label(asked.first), label(asked.last)),
        coverage=found.shown.coverage,
        problems=findings.problems(found.shown.coverage, found.shown.people),
        agents=_agents(found),
        leads_to_people=found.are_days_shown,
        lines=_lines(request, caller, found, people[start : start + PER_PAGE]),
        count=len(people),
        start=start,
        next_start=start + PER_PAGE if start + PER_PAGE < len(people) else None,
        tables=found.tables,
        reasons=REASONS,
        thresholds=(coverage.QUIET_DAYS, coverage.STOPPED_DAYS),
    )


def _found(request: Request, caller: Caller, number: int) -> Found:
    """The coverage of so many closed days, after these are current."""
    services, org = services_of(request), caller.org_id
    asked = coverage.closed_days(number)
    bring_up_to_date(request, caller, asked)
    shown = coverage_privacy.read(services.db, services.settings, org, asked)
    sent = coverage_days.agents(services.db, org, asked)
    call = f"{visited_address(request)}/api/platform/v1/coverage"
    # The days of everyone are many: they are read for CSV alone.
    people = _days_table("people-days", [])
    agents = _days_table("agents-days", [(each.agent, each.days) for each in sent])
    by_day = [each._replace(call=f"{call}/days?days={number}") for each in (people, agents)]
    holders = access.names(services.db, org)
    listed = [_seen(shown.coverage.agents, sent), _everyone([])]
    listed = [each._replace(call=f"{call}?days={number}") for each in listed]
    tables = [*_tables(shown.coverage, f"{call}?days={number}", holders), *by_day, *listed]
    are_days_shown = not privacy.of(services.db, org).is_grouped
    return Found(asked, shown, sent, are_days_shown, {table.name: table for table in tables})


def _table(
    request: Request, caller: Caller, found: Found, name: str, people: Sequence[Person]
) -> Table:
    """A whole table of the page, with `people` of the chosen state. Raises NotFound."""
    if name not in found.tables:
        raise NotFound("There is no such table on this page.")
    if name == "people":
        return _everyone(_lines(request, caller, found, people))
    if name != "people-days":
        return found.tables[name]
    db, org = services_of(request).db, caller.org_id
    users = coverage_days.active(db, org, found.asked)
    sent = coverage_days.people(db, org, found.asked, users)
    return _days_table(name, [(each.id, each.days) for each in sent])


def strip(values: Mapping[str, int] | None, asked: DayRange) -> Strip | None:
    """A picture of a range's days, darker where there is more; None without values."""
    if values is None:
        return None
    highest = max(values.values(), default=0)
    cells: dict[int, list[str]] = {}
    for place, day in enumerate(days.span(asked.first, asked.last)):
        value = values.get(f"{day}")
        if value is not None:
            shade = 1 if not highest else 1 + round((LEVELS - 1) * (value / highest) ** 0.5)
            cells.setdefault(shade, []).append(f"M{place}.1 0h.8v1h-.8z")
    text = f"Data on {len(values)} of {asked.days} days"
    if values:
        text += f", last on {label(date.fromisoformat(max(values)))}"
    paths = [(shade, "".join(parts)) for shade, parts in sorted(cells.items())]
    return Strip(paths, text, len(values))


def _agents(found: Found) -> list[tuple[AgentSeen, Strip | None]]:
    sent = {each.agent: dict(each.days) for each in found.agents}
    nothing: dict[str, int] | None = {} if found.are_days_shown else None
    return [
        (agent, strip(sent.get(agent.agent, nothing), found.asked))
        for agent in found.shown.coverage.agents
    ]


def _ordered(people: Sequence[Person], state: str) -> list[Person]:
    """Those of a state, or all, who needs a look first."""
    order: Mapping[State, int] = {"stopped": 0, "quiet": 1, "never": 2, "active": 3}
    chosen = [person for person in people if state in ("", person.state)]
    return sorted(chosen, key=lambda person: (order[person.state], _name(person).lower()))


def _lines(request: Request, caller: Caller, found: Found, people: Sequence[Person]) -> list[Line]:
    if not found.are_days_shown:
        return [Line(person, _name(person), None) for person in people]
    db = services_of(request).db
    users = [person.id for person in people]
    sent = coverage_days.people(db, caller.org_id, found.asked, users)
    return [
        Line(person, _name(person), strip(dict(each.days), found.asked))
        for person, each in zip(people, sent, strict=True)
    ]


def _name(person: Person) -> str:
    return person.email or person.name or person.id


def _days_table(name: str, rows: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> Table:
    """Every day with data of every row, as CSV has them."""
    of, figure = ("Who", "Credits") if name == "people-days" else ("Agent", "Events")
    cells = [Row(who, pair) for who, pairs in rows for pair in pairs]
    return Table(
        name, name.replace("-", " "), of, (Column("Day", "text"), Column(figure)), cells, ""
    )


def _seen(agents: Sequence[AgentSeen], sent: Sequence[AgentDays]) -> Table:
    """Every agent, as CSV has them."""
    days_of = {each.agent: len(each.days) for each in sent}
    rows = [
        (
            *(agent.agent, days_of.get(agent.agent, 0), agent.state, agent.people, agent.machines),
            *(moment(agent.since), moment(agent.last_seen)),
        )
        for agent in agents
    ]
    heads = ("Agent", "Days with data", "State", "People", "Machines")
    return listing("agents", "Agents", (*heads, "Since (UTC)", "Last seen (UTC)"), rows, "")


def _everyone(lines: Sequence[Line]) -> Table:
    """People and programs, as CSV has them."""
    rows = [
        (
            *(line.name, line.person.kind, line.strip.days if line.strip else None),
            *(line.person.state, moment(line.person.since), moment(line.person.last_seen)),
        )
        for line in lines
    ]
    heads = ("Who", "Kind", "Days with data", "State", "Since (UTC)", "Last seen (UTC)")
    return listing("people", "People and programs", heads, rows, "")


def _columns(*names: str) -> list[Column]:
    """Columns of figures; of text where the name begins with `=`."""
    return [
        Column(name.removeprefix("="), "text" if name.startswith("=") else "count")
        for name in names
    ]


def _tables(found: Coverage, call: str, holders: Mapping[str, str]) -> list[Table]:
    """What was dropped, what events lack, where sources disagree, and what is not understood."""
    return [
        Table(
            "drops",
            "Dropped records",
            "Agent",
            _columns("Records", "=Day of receipt", "=Reason"),
            [
                _row(drop.agent, (drop.records, drop.day, _words(drop.reason)))
                for drop in found.drops
            ],
            call,
            empty="Nothing was dropped in these days.",
        ),
        _quality(found, call),
        _sources(found, call),
        Table(
            "unknown",
            "Records of unknown names",
            "Agent",
            _columns("Records", "=Version", "=Since"),
            [
                _row(each.agent, (each.records, each.version, f"{days.of_ms(each.since)}"))
                for each in found.unknown
            ],
            call,
            empty="All records have known names.",
        ),
        Table(
            "keys",
            "Keys that were never used",
            "Key",
            _columns("=Holder", "=Scope", "=Made"),
            [
                Row(
                    each.name,
                    (
                        holders.get(each.principal_id, each.principal_id),
                        *(each.scope, f"{days.of_ms(each.created_at)}"),
                    ),
                )
                for each in found.silent_keys
            ],
            call,
            empty="Every valid key has been used.",
        ),
    ]


def _quality(found: Coverage, call: str) -> Table:
    without = ("Without session", "Without repository", "Without client")
    return Table(
        "quality",
        "What events lack",
        "Agent",
        _columns("Events", *without, "Tool calls", "Without autonomy", "Wrong clock"),
        [_row(each.product, each[1:]) for each in found.quality],
        call,
        empty="There were no events in these days.",
    )


def _sources(found: Coverage, call: str) -> Table:
    columns = _columns(
        "Differing sessions", "Sessions", "=Source", "=Figure", "Reported", "Counted"
    )
    rows = [
        _row(
            comparison.product,
            (
                *(
                    comparison.differing,
                    comparison.sessions,
                    _words(comparison.source),
                    _words(comparison.figure),
                ),
                *(comparison.told, comparison.counted, comparison.share),
            ),
        )
        for comparison in found.comparisons
        if comparison.differing
    ]
    return Table(
        "sources",
        "Where sources disagree",
        "Agent",
        [*columns, Column("Off", "share")],
        rows,
        call,
        empty="All sources report the same.",
    )


def _row(agent: str, values: Sequence[Value]) -> Row:
    """A row of an agent, by its name."""
    return Row(agent, values, label=agent_name(agent))


def _words(name: str) -> str:
    return name.replace("_", " ")
