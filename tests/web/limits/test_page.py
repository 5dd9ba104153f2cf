"""The page of limits: who sees it, that its figures are the API's, what its forms do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import audit, privacy
from stationmaster.access.model import Role
from stationmaster.limits import service
from stationmaster.limits.model import UserLimit
from stationmaster.web.limits import page as limits
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, a_service_account
from tests.web.conftest import Office

M = 1_000_000
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def _saturday() -> None:
    clock.freeze(day.NOW)


@pytest.fixture
def key(office: Office) -> str:
    """A manager's key, with which Ada's and Bob's Tuesday was reported."""
    db = office.server.services.db
    a_member(db, office.org, "ada@example.com")
    key = a_key(db, office.org, a_member(db, office.org, "sender@example.com", "manager"))
    with office.server.client(key) as client:
        day.send(client, day.tuesday())
    return key


@pytest.fixture
def visitor(office: Office, owner: str) -> Iterator[httpx.Client]:
    with office.visitor(owner) as visitor:
        yield visitor


def put_limit(office: Office, email: str, limit: int) -> None:
    db = office.server.services.db
    by = a_caller(db, office.org, a_member(db, office.org, "boss@example.com", "owner"))
    outcome = service.set_user_limits(db, by, [UserLimit(email, limit)])
    assert outcome.errors == []


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("manager", 200), ("member", 403), ("guest", 403)]
)
def test_owners_and_managers_see_and_change_limits(
    office: Office, owner: str, role: Role, status: int
) -> None:
    person = owner if role == "owner" else office.person(role)
    with office.visitor(person) as visitor:
        overview = visitor.get("/limits")
        form = visitor.get("/limits/organization")
        posted = visitor.post("/limits/organization", data={"credits": "2,000,000"})

    assert ("Used by the organization" in overview.text) == (status == 200)
    assert (overview.status_code, form.status_code) == (200, status)
    assert posted.status_code == (303 if status == 200 else 403)
    limit = service.global_limit(office.server.services.db, office.org)
    assert limit == (2 * M if status == 200 else None)


def test_figures_are_those_of_the_api(office: Office, key: str, visitor: httpx.Client) -> None:
    put_limit(office, "ada@example.com", M)
    with office.server.client(key) as client:
        told = client.get("/api/platform/v1/limits", params={"limit": 100}).json()
    page = visitor.get("/limits").text

    assert told["totalUsed"] > 0
    assert f"{told['totalUsed']:,} credits" in page
    assert f"{told['totalForecast']:,} credits" in page
    for row in told["principals"]:
        shown = page.partition(f'<th scope="row">{row["email"]}')[2].partition("</tr>")[0]
        assert f">{row['used']:,}</td>" in shown
        assert f">{row['forecast']:,}</td>" in shown
    listed = list(csv.DictReader(io.StringIO(visitor.get("/limits?csv=limits").text)))
    assert {(row["Who"], row["Used"], row["Of the limit"]) for row in listed} == {
        (row["email"], f"{row['used']}", "" if row["share"] is None else f"{row['share']}")
        for row in told["principals"]
    }


def test_rows_are_sorted_filtered_and_found(
    office: Office, key: str, visitor: httpx.Client
) -> None:
    db = office.server.services.db
    for number in range(limits.PER_PAGE):
        a_member(db, office.org, f"idle-{number:02}@example.com")
    put_limit(office, "idle-07@example.com", M)

    first = visitor.get("/limits?sort=used").text
    assert first.index(">ada@example.com") < first.index(">idle-00@example.com")
    assert "idle-49@example.com" not in first
    more = visitor.get("/limits?sort=used&start=50").text
    assert "idle-49@example.com" in more
    own = visitor.get("/limits?show=own").text.partition("Latest changes")[0]
    assert ("idle-07@example.com" in own, "idle-08@example.com" in own) == (True, False)
    assert "idle-08@example.com" in visitor.get("/limits?search=LE-08").text
    assert "No person fits these filters" in visitor.get("/limits?search=nobody").text


def test_who_is_near_or_over_is_counted_and_listed(
    office: Office, key: str, visitor: httpx.Client
) -> None:
    db = office.server.services.db
    event = day.an_event(
        kind="model_call", ts=day.TUESDAY, session_id="big", model=day.SONNET,
        input_tokens=900_000, user_email="ada@example.com",
    )  # fmt: skip
    with office.server.client(key) as client:
        day.send(client, [event])
    put_limit(office, "ada@example.com", M)
    a_member(db, office.org, "idle@example.com")
    page = visitor.get("/limits?show=attention").text.partition("Latest changes")[0]

    assert "1 over, 0 from 80 % on" in page
    assert (">ada@example.com" in page, ">idle@example.com" in page) == (True, False)


def test_a_limit_is_set_changed_and_taken_back(
    office: Office, owner: str, visitor: httpx.Client
) -> None:
    db = office.server.services.db
    ada = a_member(db, office.org, "ada@example.com")
    program = a_service_account(db, office.org, HOSTILE)
    for principal in (ada.user_id, program.service_account_id):
        path = f"/limits/{principal}"
        assert visitor.post(path, data={"credits": " 5 000 000 "}).status_code == 303
        assert 'value="5,000,000"' in visitor.get(path).text
        assert visitor.get(f"{path}/remove").status_code == 200
        assert visitor.post(f"{path}/remove").status_code == 303
        assert "Nothing limits it." in visitor.get(path).text

    [record, *_] = audit.page(db, office.org, limit=10, event_type=service.CHANGED)
    assert record.source == "web"
    page = visitor.get("/limits").text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    assert "removed" in page.partition("Latest changes")[2]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Enter a whole number"),
        ("a lot", "Enter a whole number"),
        ("-5", "Enter a whole number"),
        ("5", "between 1,000,000 credits (about $2.50) and"),
        ("9" * 400, "Enter a whole number"),
    ],
)
def test_what_is_no_limit_is_said_beside_the_field(
    visitor: httpx.Client, typed: str, says: str
) -> None:
    answer = visitor.post("/limits/organization", data={"credits": typed})

    assert answer.status_code == 400
    assert says in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert f'value="{typed}"' in answer.text


def test_an_unknown_principal_and_another_organizations_are_none(
    office: Office, visitor: httpx.Client
) -> None:
    db = office.server.services.db
    stranger = a_member(db, day.an_organization(db, "Initech"), "eve@example.com")
    for principal in (stranger.user_id, "user_none"):
        assert visitor.get(f"/limits/{principal}").status_code == 404
        assert visitor.post(f"/limits/{principal}", data={"credits": "2000000"}).status_code == 404


def test_where_people_are_not_shown_by_name_nobodys_use_is_shown(
    office: Office, key: str, owner: str, visitor: httpx.Client
) -> None:
    put_limit(office, "ada@example.com", M)
    db = office.server.services.db
    by = a_caller(db, office.org, a_member(db, office.org, "other@example.com", "owner"))
    privacy.put(db, office.org, "pseudonymous", None, by=by)
    page = visitor.get("/limits").text

    assert "not shown by name" in page
    assert "1,550" not in page  # what Ada used on Tuesday
