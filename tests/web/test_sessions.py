"""The pages of sessions: figures of the API, privacy, hostile names."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest

from stationmaster import clock, days, ids
from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from stationmaster.lake.rollups import sessions as stored
from stationmaster.people import service as people
from stationmaster.web.sessions import lasted
from tests.aggregate.lakes import event, rolled_up
from tests.spec.day import send
from tests.support.builders import a_caller, a_member, a_session, an_event
from tests.web.conftest import Office
from tests.web.worked import work

HOSTILE = "<img src=x onerror=alert(1)>"


def shown_as(office: Office, mode: PrivacyMode) -> None:
    db = office.server.services.db
    boss = a_member(db, office.org, "boss@example.com", "owner")
    privacy.put(db, office.org, mode, 2, by=a_caller(db, office.org, boss))


def test_the_list_has_the_figures_of_the_api(office: Office, owner: str) -> None:
    key = work(office)
    today = clock.today()
    span = {"startDate": f"{today - timedelta(days=30)}", "endDate": f"{today - timedelta(days=1)}"}
    with office.server.client(key) as client:
        answer = client.get("/api/platform/v1/sessions", params={**span, "limit": "50"})
    listed = answer.json()["sessions"]
    with office.visitor(owner) as visitor:
        page = visitor.get("/sessions")
        rows = list(csv.DictReader(io.StringIO(visitor.get("/sessions?csv=sessions").text)))

    assert listed
    assert [(int(row["Tool calls"]), int(row["Commits"])) for row in rows] == [
        (each["toolCalls"], each["commits"]) for each in listed
    ]
    assert [float(row["Dollars"]) for row in rows] == pytest.approx(
        [float(each["usage"]["costUsd"] or 0) for each in listed]
    )
    assert all(f"/sessions/{each['id']}" in page.text for each in listed)


def test_one_session_shows_its_timeline(office: Office, owner: str) -> None:
    key = work(office)
    with office.server.client(key) as client:
        sessions = client.get("/api/platform/v1/sessions").json()["sessions"]
        session = next(each for each in sessions if each["agent"] == "claude-code")
        answer = client.get(f"/api/platform/v1/sessions/{session['id']}").json()
    prices = [step["costUsd"] for step in answer["timeline"]["steps"] if step["costUsd"]]
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/sessions/{session['id']}")

    assert page.status_code == 200
    assert len(prices) == session["usage"]["calls"]
    assert all(f'<td class="number">${price}</td>' in page.text for price in prices)
    assert page.text.count('<rect class="s1" x=') == session["usage"]["calls"]
    for text in ("Bash", "Edit", "failed", "claude-sonnet-4-5", session["agentSessionId"]):
        assert text in page.text


def test_names_are_text_whatever_they_hold(office: Office, owner: str) -> None:
    work(office)
    first = clock.today() - timedelta(days=3)
    ended = days.start_ms(first)
    row = a_session(office.org, HOSTILE, repository=HOSTILE, branch=HOSTILE, user_email=HOSTILE)
    row = row._replace(started_at=ended, ended_at=ended, agent=HOSTILE, team=HOSTILE)
    models, tools = [(HOSTILE, *(0,) * 8)], [(HOSTILE, 1, 0, 0)]
    row = row._replace(models=json.dumps(models), tools=json.dumps(tools))
    with office.server.services.db.transaction() as connection:
        stored.replace(connection, office.org, first, [row])
    with office.visitor(owner) as visitor:
        pages = [visitor.get(path) for path in ("/sessions", f"/sessions/{row.session_id}")]

    for page in pages:
        assert page.status_code == 200
        assert "onerror" in page.text
        assert HOSTILE not in page.text


def test_members_see_their_own_sessions_alone(office: Office) -> None:
    key = work(office)
    member = office.person("member")
    with office.server.client(key) as client:
        [other, *_] = client.get("/api/platform/v1/sessions").json()["sessions"]
    with office.visitor(member) as visitor:
        page = visitor.get("/sessions")
        refused = visitor.get(f"/sessions/{other['id']}")

    assert (page.status_code, refused.status_code) == (200, 404)
    assert "My sessions" in page.text
    assert "/sessions/session_" not in page.text


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_where_people_are_not_named_no_session_of_theirs_is_listed(
    office: Office, owner: str, mode: PrivacyMode
) -> None:
    work(office)
    shown_as(office, mode)
    ben = ids.user_of_email(office.org, "ben@example.com")
    with office.visitor(owner) as visitor:
        page = visitor.get("/sessions")
        refused = visitor.get("/sessions", params={"person": ben})

    assert "/sessions/session_" not in page.text
    assert "the sessions of programs" in page.text
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("ms", "text"),
    [(40_000, "40 s"), (300_000, "5 min"), (3_900_000, "1 h 5 min"), (183_600_000, "2 d 3 h")],
)
def test_durations_are_in_two_units(ms: int, text: str) -> None:
    assert lasted(0, ms) == text


def test_today_so_far_is_provisional_and_has_the_figures_of_the_api(
    office: Office, owner: str
) -> None:
    key = work(office)
    ada = ids.user_of_email(office.org, "ada@example.com")
    with office.server.client(key) as client:
        own = {"session_id": "now", "user_email": "ada@example.com", "ts": clock.now_ms()}
        send(client, [an_event(kind="user_message", **own), an_event(kind="git_commit", **own)])
        figures = client.get("/api/platform/v1/today").json()["figures"]
    with office.visitor(owner) as visitor:
        pages = [visitor.get(path).text for path in ("/", "/people", f"/people/{ada}")]
        mine, team = (visitor.get(path).text for path in ("/me", "/teams/Platform"))

    assert (figures["sessions"], figures["commits"]) == (1, 1)
    for page in pages:
        assert "1 sessions, 0 tool calls, 1 commits" in page
        assert "Provisional" in page
    assert "0 sessions, 0 tool calls, 0 commits" in mine
    assert "Today so far" not in team


def test_the_running_day_is_a_range_of_its_own(office: Office, owner: str) -> None:
    key = work(office)
    with office.server.client(key) as client:
        own = {"session_id": "now", "user_email": "ada@example.com", "ts": clock.now_ms()}
        usage = {"model": "claude-sonnet-4-5", "input_tokens": 900_000, "output_tokens": 1}
        send(client, [an_event(kind="model_call", **usage, **own)])
        today = client.get("/api/platform/v1/today").json()
        day = today["date"]
        span = {"startDate": day, "endDate": day}
        [listed] = client.get("/api/platform/v1/sessions", params=span).json()["sessions"]
    with office.visitor(owner) as visitor:
        page = visitor.get("/spend?range=today").text
        table = visitor.get("/spend?range=today&csv=today-by-agent").text
        sessions = visitor.get("/sessions?range=today").text
        [row] = csv.DictReader(io.StringIO(visitor.get("/sessions?range=today&csv=sessions").text))
        latest = visitor.get("/sessions").text

    [agent] = csv.DictReader(io.StringIO(table))
    [figures] = today["agents"]
    assert (agent["Agent"], int(agent["Credits"])) == ("claude-code", figures["credits"])
    assert "Provisional" in page
    assert "/api/platform/v1/today" in page
    assert float(row["Dollars"]) == pytest.approx(float(listed["usage"]["costUsd"]))
    for text in (sessions, latest):
        assert f"/sessions/{listed['id']}" in text
        assert "so far</a>" in text


def test_a_person_is_found_by_a_part_of_the_address(office: Office, owner: str) -> None:
    work(office)
    ada = ids.user_of_email(office.org, "ada@example.com")
    with office.visitor(owner) as visitor:
        by_id, by_part = (
            visitor.get(f"/spend?csv=by-agent&person={typed}").text for typed in (ada, "Ada@")
        )
        vague = visitor.get("/spend?person=example").text

    assert by_part == by_id
    assert "people: type more" in vague


def test_today_is_not_shown_where_nobody_is_shown_alone(office: Office, owner: str) -> None:
    work(office)
    shown_as(office, "off")
    with office.visitor(owner) as visitor:
        assert "Provisional" not in visitor.get("/").text
        assert "Provisional" in visitor.get("/me").text


def test_pages_have_the_figures_of_a_merged_person_under_each_address(
    office: Office, owner: str
) -> None:
    work(office)
    db = office.server.services.db
    first = clock.today() - timedelta(days=4)
    old = ids.user_of_email(office.org, "ada@old.example")
    usage = {"model": "claude-sonnet-4-5", "input_tokens": 1_000_000}
    who = {"user_id": old, "user_email": "ada@old.example", "ts": days.start_ms(first)}
    events = [event("model_call", root_session_id="old", **usage, **who)]
    rolled_up(db, office.server.settings, office.org, events, first)
    boss = a_member(db, office.org, "boss@example.com", "owner")
    people.merge(db, office.org, old, "ada@example.com", by=a_caller(db, office.org, boss))
    ada = ids.user_of_email(office.org, "ada@example.com")
    with office.visitor(owner) as visitor:
        tables = [
            visitor.get(f"{path}person={user}").text
            for path in ("/spend?csv=by-model&", "/sessions?csv=sessions&")
            for user in (ada, old)
        ]
        office.person("member", "ada@old.example")
    with office.visitor("ada@old.example") as visitor:
        own = visitor.get("/me?csv=by-model").text

    assert tables[0] == tables[1] == own
    assert tables[2] == tables[3]
    assert len(tables[2].splitlines()) == 1 + 4
