"""The pages of people and teams, and everyone's own: figures of the API, privacy, hostile names."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import privacy, reads, service
from stationmaster.access.model import Member, PrivacyMode, Role
from stationmaster.access.signing_in import ways as signin
from stationmaster.people import service as people
from tests.support.builders import a_caller, a_key, a_member
from tests.web.conftest import PASSWORD, Office
from tests.web.worked import work

HOSTILE = "<img src=x onerror=alert(1)>"
ADA, BEN = "ada@example.com", "ben@example.com"


def shown_as(office: Office, mode: PrivacyMode) -> None:
    db = office.server.services.db
    boss = a_member(db, office.org, "boss@example.com", "owner")
    privacy.put(db, office.org, mode, 2, by=a_caller(db, office.org, boss))


def table(visitor: httpx.Client, address: str) -> list[dict[str, str]]:
    answer = visitor.get(address)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def spent(office: Office, key: str, **asked: str) -> list[dict[str, Any]]:
    """The API's report on spending of the 30 days that pages show."""
    with office.server.client(key) as client:
        answer = client.get("/api/platform/v1/analytics/spend", params={**days_shown(), **asked})
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


def days_shown() -> dict[str, str]:
    today = clock.today()
    first, last = today - timedelta(days=30), today - timedelta(days=1)
    return {"startDate": f"{first}", "endDate": f"{last}"}


@pytest.mark.parametrize("path", ["/people", "/teams", "/people/user_x", "/teams/Platform"])
@pytest.mark.parametrize(("role", "status"), [("manager", 200), ("member", 403), ("guest", 403)])
def test_pages_of_others_are_for_whom_the_api_answers(
    office: Office, path: str, role: Role, status: int
) -> None:
    with office.visitor(office.person(role)) as visitor:
        answer = visitor.get(path)

    assert answer.status_code == (404 if path.endswith("user_x") and status == 200 else status)


def test_people_and_teams_have_the_figures_of_the_api(office: Office, owner: str) -> None:
    key = work(office)
    idle = a_member(office.server.services.db, office.org, "idle@example.com")
    with office.visitor(owner) as visitor:
        rows = {row["Person"]: row for row in table(visitor, "/people?csv=people")}
        teams = {row["Team"]: row for row in table(visitor, "/teams?csv=teams")}
        page = visitor.get("/people").text

    told: dict[str, list[dict[str, Any]]] = {}
    for row in spent(office, key, group_by="user"):
        told.setdefault(row["group_key"], []).append(row)
    for email in (ADA, BEN):
        mine = told[id_of(office, email)]
        cost = sum(float(row["cost_usd"]) for row in mine)
        assert float(rows[email]["Dollars"]) == pytest.approx(cost)
        assert int(float(rows[email]["Credits"])) == sum(row["billable_tokens"] for row in mine)
        assert int(float(rows[email]["Sessions"])) == sum(row["sessions"] for row in mine)
    assert (rows[ADA]["Team"], rows[ADA]["Agents"]) == ("Platform", "claude-code")
    assert rows[idle.email]["Last active"] == "never"
    by_team = spent(office, key, group_by="team")
    assert {row["group_key"] for row in by_team} == {*teams}
    assert f'href="/people/{idle.user_id}"' in page


def test_people_are_sorted_by_the_column_of_the_address(office: Office, owner: str) -> None:
    work(office)
    with office.visitor(owner) as visitor:
        by_name = [row["Person"] for row in table(visitor, "/people?csv=people&sort=name")]
        by_cost = [float(row["Dollars"]) for row in table(visitor, "/people?csv=people")]
        page = visitor.get("/people?sort=credits").text

    assert by_name == sorted(by_name)
    assert by_cost == sorted(by_cost, reverse=True)
    assert 'aria-sort="descending"><a href="/people?sort=credits"' in page


def test_a_person_and_their_own_page_have_the_same_figures(office: Office, owner: str) -> None:
    key = work(office)
    with_password(office, BEN)
    ben = id_of(office, BEN)
    with office.visitor(owner) as visitor:
        theirs = visitor.get(f"/people/{ben}")
        tables = [visitor.get(f"/people/{ben}?csv={name}").text for name in ("by-day", "by-model")]
    with office.visitor(BEN) as visitor:
        home = visitor.get("/")
        mine = visitor.get("/me")
        own = [visitor.get(f"/me?csv={name}").text for name in ("by-day", "by-model")]
        others = visitor.get(f"/me?person={id_of(office, ADA)}&csv=by-model").text

    assert home.headers["location"] == "/me"
    assert (theirs.status_code, mine.status_code) == (200, 200)
    assert own == tables
    rows = list(csv.DictReader(io.StringIO(own[1])))
    told = spent(office, key, group_by="model", user=ben, period="month")
    assert {row["Model"] for row in rows} == {row["group_key"] for row in told}
    assert sum(float(row["Dollars"] or 0) for row in rows) == pytest.approx(
        sum(float(row["cost_usd"] or 0) for row in told)
    )
    assert others == own[1]
    assert ADA not in mine.text
    assert "example.com/acme/app" not in mine.text
    assert 'href="/sessions"' in mine.text
    assert f'href="/sessions?person={ben}"' in theirs.text
    with office.server.client(key_of(office, BEN)) as client:
        [shown] = re.findall(r'id="by-model-call">.*?"(http[^"]*)"', mine.text, re.DOTALL)
        answer = client.get(html.unescape(shown))
    assert answer.status_code == 200
    assert {row["group_key"] for row in answer.json()["data"]} == {row["Model"] for row in rows}


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_ones_own_figures_are_there_in_every_privacy_mode(
    office: Office, mode: PrivacyMode
) -> None:
    work(office)
    with_password(office, BEN)
    with office.visitor(BEN) as visitor:
        before = visitor.get("/me?csv=by-day").text
        shown_as(office, mode)
        after = visitor.get("/me?csv=by-day").text

    assert before == after
    assert "codex" in after


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_a_privacy_mode_holds_on_every_page_and_file(office: Office, mode: PrivacyMode) -> None:
    work(office)
    ada = id_of(office, ADA)
    shown_as(office, mode)
    with office.visitor(office.person("manager")) as visitor:
        answers = [
            visitor.get(path)
            for path in (
                "/people", "/people?csv=people", "/people?csv=people&sort=name", "/teams",
                "/teams?csv=teams", f"/people/{ada}", f"/people/{ada}?csv=by-day",
                "/teams/Platform", "/teams/Platform?csv=by-person",
            )
        ]  # fmt: skip

    for answer in answers:
        assert ADA not in answer.text
        assert BEN not in answer.text
        assert answer.status_code < 500
    assert answers[5].status_code == 404
    if mode == "pseudonymous":
        assert "anon_" in answers[1].text
    else:
        assert answers[1].status_code == 403


def test_a_pseudonym_has_a_page_without_machines_or_limit(office: Office) -> None:
    work(office)
    shown_as(office, "pseudonymous")
    with office.visitor(office.person("manager")) as visitor:
        [name, *_] = [row["Person"] for row in table(visitor, "/people?csv=people")]
        page = visitor.get(f"/people/{name}").text
        models = visitor.get(f"/people/{name}?csv=by-model").text

    assert f"<h1>{name}</h1>" in page
    assert "Credit limit" not in page
    assert "What sends" not in page
    assert len(models.splitlines()) > 1


def test_hostile_names_are_text(office: Office, owner: str) -> None:
    db = office.server.services.db
    work(office)
    boss = a_caller(db, office.org, member_of(office, owner))
    people.set_team(db, office.org, member_of(office, ADA).user_id, HOSTILE, by=boss)
    with office.visitor(owner) as visitor:
        pages = [visitor.get(p) for p in ("/people", "/teams", f"/teams/{HOSTILE}", "/people/x")]

    assert [page.status_code for page in pages] == [200, 200, 200, 404]
    for page in pages:
        assert "<img src=x" not in page.text
    assert "&lt;img src=x" in pages[0].text


def with_password(office: Office, email: str) -> None:
    db = office.server.services.db
    _, link = service.make_link(db, office.org, member_of(office, email).user_id, by=None)
    signin.with_link(db, link, PASSWORD)


def key_of(office: Office, email: str) -> str:
    return a_key(office.server.services.db, office.org, member_of(office, email))


def member_of(office: Office, email: str) -> Member:
    members = reads.list_members(office.server.services.db, office.org)
    [member] = [member for member in members if member.email == email]
    return member


def id_of(office: Office, email: str) -> str:
    return member_of(office, email).user_id
