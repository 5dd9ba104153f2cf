"""`/people` and `/teams`: everyone, or every team, with what was used, sorted by a column; one of
them at `/people/ID`, `/teams/NAME` and, for everyone about themselves, `/me`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, urlencode

from starlette.responses import Response

from stationmaster import days
from stationmaster.analytics.coverage import report as coverage
from stationmaster.errors import NotFound
from stationmaster.limits import service as limits
from stationmaster.limits.model import PrincipalUse
from stationmaster.people import reads
from stationmaster.web import spend
from stationmaster.web.charts.axes import long_label
from stationmaster.web.figures import trends
from stationmaster.web.figures.blocks import Card, Column, Row, Table, Value
from stationmaster.web.figures.reports import ReportAnswer
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, Visit, listing, router
from stationmaster.web.limits.page import LISTED_MAX, CountedPeriod, read_period
from stationmaster.web.sessions import PATH as SESSIONS

PATH = "/people"
TEAMS = "/teams"
ME = "/me"
DIMENSIONS = ("agent", "model", "repository")
ABOUT = ("by-day", "by-agent", "by-model", "by-repository")
"""Charts and tables of one person; a team's has its people, too."""
PER_PAGE = 100
PAGES = tuple(f"{number}" for number in range(1, LISTED_MAX // PER_PAGE + 1))
USED = (
    Column("Dollars", "usd", sort="dollars"),
    Column("Credits", "credits", sort="credits"),
    Column("Sessions", sort="sessions"),
)
SHARE = Column("Of the limit", "share", sort="share")
NAMED = (Column("Team", "text"), Column("Agents", "text"), Column("Last active", "text"))
DONE = (Column("Commits", sort="commits"), Column("Pull requests", sort="requests"))
SORTS = ("dollars", "credits", "sessions", "share", "commits", "requests", "name")

routes = router()


class RowsPage(NamedTuple):
    """The rows of one page of a long table, and the numbers of the pages next to it."""

    rows: Sequence[Row]
    first: int
    before: str | None
    after: str | None


@routes.get(PATH)
def show_people(visit: AnyVisit) -> Response:
    """Everyone of the organization, whether they were active or not, where people have names."""
    view = View(visit, ("team", "agent", "repository"), {"sort": SORTS, "page": PAGES})
    return view.answer("people.html", PEOPLE, cards=_cards, notes=spend.notes, page_of=page_of)


@routes.get(TEAMS)
def show_teams(visit: AnyVisit) -> Response:
    view = View(visit, ("agent", "repository"), {"sort": SORTS, "page": PAGES})
    return view.answer("teams.html", TEAM_TABLE, notes=spend.notes, page_of=page_of)


def page_of(view: View, table: Table) -> RowsPage:
    """The rows of the page that the address names."""
    number = int(view.own["page"])
    start = (number - 1) * PER_PAGE
    rows = table.rows[start : start + PER_PAGE]
    after = f"{number + 1}" if start + PER_PAGE < len(table.rows) else None
    return RowsPage(rows, start + 1, f"{number - 1}" if number > 1 else None, after)


def _cards(view: View) -> list[Card]:
    """Who is expected and who was active, where people are shown by name."""
    if not view.policy.is_named:
        return []
    expected = [person for person in view.everyone if person.kind != "service"]
    states = [person.state for person in expected]
    active = {row["group_key"] for row in _answer(view, "user").rows}
    return [
        Card("Active in these days", sum(person.id in active for person in expected)),
        Card("Expected", len(expected), notes=["members, and other people in telemetry"]),
        Card("Stopped sending", states.count("stopped"), link="/coverage"),
        Card("Never sent", states.count("never"), link="/coverage"),
    ]


def _answer(view: View, group_by: str) -> ReportAnswer:
    return view.report("spend", group_by=group_by, per="month")


def _people(view: View) -> Table:
    """Everyone with a row of figures; those without any only where no filter is set."""
    answer = _answer(view, "user")
    used = spend.used(answer.rows)
    if view.policy.is_named:
        columns: tuple[Column, ...] = (*USED, SHARE, *NAMED)
        rows = _named_rows(view, used)
    else:
        columns = (*USED, *DONE)
        rows = [
            Row(view.people.get(key, key), figures, f"{PATH}/{quote(key)}")
            for key, figures in used.items()
        ]
    table = Table("people", "People", "Person", columns, rows, answer.call)
    return _ordered(view, table)._replace(
        empty="No person was active in these days with these filters."
    )


def _named_rows(view: View, used: Mapping[str, Sequence[float | None]]) -> list[Row]:
    assert view.period is not None
    services, org = view.services, view.org
    counted = read_period(view)
    usage = limits.usage(services.db, org, *counted, after="", count=LISTED_MAX)
    shares = {use.principal_id: use.share for use in usage.principals}
    activity = reads.activity(services.db, org, *view.period)
    rows = []
    for person in view.everyone:
        if person.id not in used and view.filters.only:
            continue
        figures: Sequence[Value] = used.get(person.id, (0, 0, 0))[:3]
        about = activity.get(person.id, reads.PersonActivity(None))
        last = None if person.last_seen is None else long_label(days.of_ms(person.last_seen))
        values = (
            about.team,
            ", ".join(sorted(about.agents)) or None,
            last or "never",
        )
        rows.append(
            Row(
                view.people[person.id],
                (*figures, shares.get(person.id), *values),
                f"{PATH}/{quote(person.id)}",
            )
        )
    return rows


def _teams(view: View) -> Table:
    answer = _answer(view, "team")
    rows = [
        Row(key, figures, f"{TEAMS}/{quote(key, safe='')}")
        for key, figures in spend.used(answer.rows).items()
    ]
    table = Table("teams", "Teams", "Team", (*USED, *DONE), rows, answer.call)
    return _ordered(view, table)


def _ordered(view: View, table: Table) -> Table:
    """The table by the column that the address names, the largest first; else by name."""
    places = {column.sort: place for place, column in enumerate(table.columns) if column.sort}
    place = places.get(view.own["sort"])
    if place is None:
        return table._replace(rows=sorted(table.rows, key=lambda row: row.name.lower()))

    def key(row: Row) -> tuple[float, str]:
        value = row.values[place]
        return -(value if isinstance(value, int | float) else 0), row.name.lower()

    return table._replace(rows=sorted(table.rows, key=key))


PEOPLE: Mapping[str, Maker] = {"people": _people}
TEAM_TABLE: Mapping[str, Maker] = {"teams": _teams}


@routes.get(ME)
def show_own(visit: AnyVisit) -> Response:
    """What the caller used, in the definitions of the managers' page."""
    view = View(visit, DIMENSIONS, spend.BY, is_own=True)
    return _person(view, visit.caller.principal_id, "My usage", "me", is_named=True)


@routes.get(PATH + "/{person_id}")
def show_person(visit: AnyVisit, person_id: str) -> Response:
    """One person as they are shown: by address, or by pseudonym alone."""
    view = View(visit, DIMENSIONS, spend.BY, part={"person": person_id})
    name = person_id
    if view.policy.is_named:
        person_id = _resolved(view, person_id)
        view.part = {"person": person_id}
        name = view.people.get(person_id, person_id)
    elif not person_id.startswith(("anon_", "svc_")):
        raise NotFound("There is no such person.")
    return _person(view, person_id, name, "", is_named=view.policy.is_named)


def _person(view: View, person_id: str, name: str, call: str, *, is_named: bool) -> Response:
    """The page of a person. `call` ends the address of the operation that answers their senders."""
    use, counted = _use(view, person_id) if is_named else (None, None)
    senders = _senders(view, person_id) if is_named else ()
    return view.answer(
        "person.html",
        PERSON,
        cards=_person_cards,
        notes=spend.notes,
        name=name,
        sessions=_sessions(view, person_id),
        use=use,
        counted=counted,
        senders=senders,
        tables=[_senders_table(view, senders, call)] if is_named else [],
        shows_senders=is_named,
    )


@routes.get(TEAMS + "/{team:path}")
def show_team(visit: AnyVisit, team: str) -> Response:
    view = View(visit, ("person", *DIMENSIONS), spend.BY, part={"team": team})
    return view.answer("team.html", TEAM, cards=_person_cards, notes=spend.notes, name=team)


def _sessions(view: View, person_id: str) -> str | None:
    """Where a person's sessions are listed; None where people's are not shown."""
    if view.is_own and view.caller.role not in menu.MANAGERS:
        return SESSIONS
    return f"{SESSIONS}?{urlencode({'person': person_id})}" if view.policy.is_named else None


def _resolved(view: View, person_id: str) -> str:
    """The id of a program, or of the person that an id is or belongs to. Raises NotFound."""
    if any(person.id == person_id for person in view.everyone):
        return person_id
    return reads.person(view.db, view.org, person_id).user_id


def _person_cards(view: View) -> list[Card]:
    card = partial(trends.card, view, "spend")
    return [
        card("Dollars", "cost_usd", "usd"),
        card("Credits", "billable_tokens", "credits"),
        card("Sessions", "sessions"),
        card("Commits", "git_commits"),
        card("Pull requests", "git_prs_created"),
    ]


def _use(view: View, principal: str) -> tuple[PrincipalUse | None, CountedPeriod]:
    """A person's use of the limit that applies; None for one who is no member."""
    counted = read_period(view)
    db, caller = view.db, view.caller
    try:
        return limits.principal_use(db, caller.org_id, *counted, principal, by=caller), counted
    except NotFound:
        return None, counted


def _senders(view: View, person_id: str) -> Sequence[coverage.Sender]:
    """What sends a person's data, what was last seen first."""
    covered = coverage.of_one(view.db, view.org, person_id)
    return () if covered is None else covered.senders


def _senders_table(visit: Visit, senders: Sequence[coverage.Sender], of: str) -> Table:
    columns = (
        "machine: Machine, agent: Agent, source: Source, version: Version, since: Since (UTC), "
        "last_seen: Last seen (UTC), events: Events"
    )
    call = visit.call("/".join(["/api/platform/v1/coverage", of]).rstrip("/"))
    return listing("senders", "What sends the data", columns, senders, call)


PERSON: Mapping[str, Maker] = {name: spend.BLOCKS[name] for name in ABOUT}
TEAM: Mapping[str, Maker] = {**PERSON, "by-person": partial(spend.ranking, "person")}
