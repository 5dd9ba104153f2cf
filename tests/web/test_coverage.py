"""The page of coverage: its pictures and tables have what the API answers, and nothing more."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import date

import httpx
import pytest
from sqlalchemy import insert

from stationmaster import clock, ids
from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode, Role
from stationmaster.analytics.model import DayRange
from stationmaster.db.tables.access import members
from stationmaster.people import service as people
from stationmaster.web.coverage import strip
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, a_service_account
from tests.web.conftest import Office

HOSTILE = "<img src=x onerror=alert(1)>"
DAYS = DayRange(date(2026, 11, 17), date(2026, 11, 20))


@pytest.fixture(autouse=True)
def _saturday() -> None:
    clock.freeze(day.NOW)


@pytest.fixture
def key(office: Office) -> str:
    """A manager's key, with which Ada's and Bob's Tuesday was reported."""
    db = office.server.services.db
    a_member(db, office.org, "ada@example.com")
    a_service_account(db, office.org, HOSTILE)
    key = a_key(db, office.org, a_member(db, office.org, "sender@example.com", "manager"))
    with office.server.client(key) as client:
        day.send(client, day.tuesday())
    a_key(db, office.org, a_member(db, office.org, "silent@example.com"), name="unused")
    # Otherwise a background write between two requests changes which keys are silent.
    office.server.services.last_use.flush(db)
    return key


@pytest.fixture
def visitor(office: Office, owner: str) -> Iterator[httpx.Client]:
    with office.visitor(owner) as visitor:
        yield visitor


def rows(visitor: httpx.Client, name: str) -> list[list[str]]:
    answer = visitor.get(f"/coverage?csv={name}")
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.text)))[1:]


@pytest.mark.parametrize(("role", "status"), [("manager", 200), ("member", 403), ("guest", 403)])
def test_coverage_is_for_whom_the_api_answers(office: Office, role: Role, status: int) -> None:
    with office.visitor(office.person(role)) as visitor:
        answers = [visitor.get("/coverage"), visitor.get("/coverage?csv=people-days")]

    assert [answer.status_code for answer in answers] == [status] * 2


def test_days_and_tables_are_those_of_the_api(
    office: Office, key: str, visitor: httpx.Client
) -> None:
    with office.server.client(key) as client:
        sent = client.get("/api/platform/v1/coverage/days").json()
        told = client.get("/api/platform/v1/coverage").json()
    page = visitor.get("/coverage").text

    people = [[p["id"], d["day"], f"{d['credits']}"] for p in sent["people"] for d in p["days"]]
    agents = [[a["agent"], d["day"], f"{d['events']}"] for a in sent["agents"] for d in a["days"]]
    assert (rows(visitor, "people-days"), rows(visitor, "agents-days")) == (people, agents)
    assert [row[1] for row in people] == ["2026-11-17"] * 2
    assert rows(visitor, "quality") == [
        [q["agent"], *(f"{q[name]}" for name in (
            "events", "withoutSession", "withoutRepository", "withoutClient", "calls",
            "withoutAutonomy", "clockSkew",
        ))]
        for q in told["quality"]
    ]  # fmt: skip
    silent = [key["name"] for key in told["silentKeys"]]
    assert [row[0] for row in rows(visitor, "keys")] == silent == ["unused"]
    assert page.count("Data on 1 of 30 days, last on 17 Nov") == 2 * len(people) + 2 * len(agents)
    for state, number in told["peopleByState"].items():
        assert f'href="/coverage?state={state}"><b>{number}</b>' in page


def test_large_numbers_have_separators(office: Office, key: str, visitor: httpx.Client) -> None:
    db, many = office.server.services.db, range(1_200)
    people = [
        {
            "org_id": office.org,
            "user_id": f"user_{number}",
            "email": f"p{number}@example.com",
            "role": "member",
            "created_at": clock.now_ms(),
        }
        for number in many
    ]
    with db.transaction() as connection:
        connection.execute(insert(members), people)
    page = visitor.get("/coverage?state=never").text

    [count] = re.findall(r'state=never"><b>([^<]*)</b>', page)
    assert re.fullmatch(r"1,20\d", count)
    assert f"1 to 50 of {count}." in page


def test_people_of_one_state_are_shown(key: str, visitor: httpx.Client) -> None:
    page = visitor.get("/coverage?state=never").text.partition("People and programs")[2]

    assert "bob@example.com" not in page
    assert "sender@example.com" in page


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_a_privacy_mode_holds(
    office: Office, key: str, visitor: httpx.Client, mode: PrivacyMode
) -> None:
    db = office.server.services.db
    boss = a_member(db, office.org, "boss@example.com", "owner")
    privacy.put(db, office.org, mode, 2, by=a_caller(db, office.org, boss))
    page = visitor.get("/coverage").text

    for hidden in ("ada@example.com", "bob@example.com", "Data on 1 of 30 days, last on 17 Nov  "):
        assert hidden not in page
    assert rows(visitor, "people-days") == []
    assert (rows(visitor, "agents-days") == []) == (mode != "pseudonymous")


def test_names_are_text_and_an_unknown_table_is_none(key: str, visitor: httpx.Client) -> None:
    page = visitor.get("/coverage")

    assert "<img src=x" not in page.text
    assert "&lt;img src=x" in page.text
    assert visitor.get("/coverage?csv=nothing").status_code == 404


def test_everyone_reads_what_sends_their_own_data(office: Office, key: str) -> None:
    db = office.server.services.db
    guest = a_member(db, office.org, "gil@example.com", "guest")
    with office.server.client(a_key(db, office.org, guest)) as client:
        own = client.get("/api/platform/v1/coverage/me").json()

    assert (own["id"], own["state"], own["senders"]) == (guest.user_id, "never", [])


def test_a_merged_person_reads_what_sends_under_all_their_ids(office: Office, key: str) -> None:
    db = office.server.services.db
    ada = a_member(db, office.org, "ada@example.com", "owner")
    with office.server.client(key) as client:
        # Counts the day, and so whom it names.
        client.get("/api/platform/v1/coverage").raise_for_status()
    former = ids.user_of_email(office.org, "bob@example.com")
    people.merge(db, office.org, former, ada.email, by=a_caller(db, office.org, ada))
    bob = a_member(db, office.org, "bob@example.com", "member")
    found = []
    for member in (ada, bob):
        with office.server.client(a_key(db, office.org, member)) as client:
            found.append(client.get("/api/platform/v1/coverage/me").json())

    assert [(one["id"], one["email"]) for one in found] == [
        (ada.user_id, "ada@example.com"),
        (bob.user_id, "bob@example.com"),
    ]
    assert found[0]["senders"] == found[1]["senders"]
    assert len(found[0]["senders"]) == 2
    assert found[0]["state"] == found[1]["state"] != "never"


def test_a_picture_is_darker_where_there_is_more() -> None:
    drawn = strip({"2026-11-17": 100, "2026-11-19": 1, "2026-11-20": 0}, DAYS)

    assert drawn is not None
    assert drawn.paths == [(1, "M2.1 0h.8v1h-.8zM3.1 0h.8v1h-.8z"), (4, "M0.1 0h.8v1h-.8z")]
    assert drawn.text == "Data on 3 of 4 days, last on 20 Nov"


def test_nothing_is_drawn_of_days_that_are_not_shown() -> None:
    empty = strip({}, DAYS)

    assert strip(None, DAYS) is None
    assert empty is not None
    assert (empty.paths, empty.text) == ([], "Data on 0 of 4 days")
