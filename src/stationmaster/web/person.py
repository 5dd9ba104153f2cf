"""`/people/ID`, `/teams/NAME` and, for everyone about themselves, `/me`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from starlette.responses import Response

from stationmaster.analytics.coverage import report as coverage
from stationmaster.errors import NotFound
from stationmaster.limits import service as limits
from stationmaster.limits.model import PrincipalUse
from stationmaster.people import reads
from stationmaster.web import spend
from stationmaster.web.figures import trends
from stationmaster.web.figures.blocks import Card, Table
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, Visit, listing, moment, router
from stationmaster.web.limits.page import CountedPeriod, read_period
from stationmaster.web.people import PATH, TEAMS
from stationmaster.web.sessions import PATH as SESSIONS

ME = "/me"
DIMENSIONS = ("agent", "model", "repository")
ABOUT = ("by-day", "by-agent", "by-model", "by-repository")
"""Charts and tables of one person; a team's has its people, too."""

routes = router()


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
    standing, counted = _standing(view, person_id) if is_named else (None, None)
    senders = _senders(view, person_id) if is_named else ()
    return view.answer(
        "person.html",
        PERSON,
        cards=_cards,
        notes=spend.notes,
        name=name,
        sessions=_sessions(view, person_id),
        standing=standing,
        counted=counted,
        senders=senders,
        tables=[_senders_table(view, senders, call)] if is_named else [],
        shows_senders=is_named,
    )


@routes.get(TEAMS + "/{team:path}")
def show_team(visit: AnyVisit, team: str) -> Response:
    view = View(visit, ("person", *DIMENSIONS), spend.BY, part={"team": team})
    return view.answer("team.html", TEAM, cards=_cards, notes=spend.notes, name=team)


def _sessions(view: View, person_id: str) -> str | None:
    """Where somebody's sessions are listed; None where people's are not shown."""
    if view.is_own and view.caller.role not in menu.MANAGERS:
        return SESSIONS
    return f"{SESSIONS}?{urlencode({'person': person_id})}" if view.policy.is_named else None


def _resolved(view: View, person_id: str) -> str:
    """The id of a program, or of the person that an id is or belongs to. Raises NotFound."""
    if any(person.id == person_id for person in view.everyone):
        return person_id
    return reads.person(view.db, view.org, person_id).user_id


def _cards(view: View) -> list[Card]:
    card = partial(trends.card, view, "spend")
    return [
        card("Dollars", "cost_usd", "usd"),
        card("Credits", "billable_tokens", "credits"),
        card("Sessions", "sessions"),
        card("Commits", "git_commits"),
        card("Pull requests", "git_prs_created"),
    ]


def _standing(view: View, principal: str) -> tuple[PrincipalUse | None, CountedPeriod]:
    """How somebody stands against the limit that applies; None for who is no member."""
    counted = read_period(view)
    db, caller = view.db, view.caller
    try:
        return limits.standing(db, caller.org_id, *counted, principal, by=caller), counted
    except NotFound:
        return None, counted


def _senders(view: View, person_id: str) -> Sequence[coverage.Sender]:
    """What sends a person's data, what was last seen first."""
    covered = coverage.of_one(view.db, view.org, person_id)
    return () if covered is None else covered.senders


def _senders_table(visit: Visit, senders: Sequence[coverage.Sender], of: str) -> Table:
    heads = ("Machine", "Agent", "Source", "Version", "Since (UTC)", "Last seen (UTC)", "Events")
    rows = [
        (
            *(sender.machine, sender.agent, sender.source, sender.version or ""),
            *(moment(sender.since), moment(sender.last_seen), sender.events),
        )
        for sender in senders
    ]
    call = visit.call("/".join(["/api/platform/v1/coverage", of]).rstrip("/"))
    return listing("senders", "What sends the data", heads, rows, call)


PERSON: Mapping[str, Maker] = {name: spend.BLOCKS[name] for name in ABOUT}
TEAM: Mapping[str, Maker] = {**PERSON, "by-person": partial(spend.ranking, "person")}
