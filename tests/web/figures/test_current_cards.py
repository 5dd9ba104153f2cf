"""Cards of people, coverage, limits, one's own usage and the running day have the API's figures."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.signing_in import ways as signin
from stationmaster.web.charts.figures import exact
from tests.support.builders import a_key, a_member, an_event
from tests.web.conftest import PASSWORD, Office
from tests.web.worked import work

_CARD = re.compile(
    r'<span class="name">([^<]+)</span>\s*(?:</?a[^>]*>)?<b(?: title="([^"]*)")?>([^<]*)<',
    re.DOTALL,
)
OURS = "/api/platform/v1"


@pytest.fixture
def api(office: Office) -> Iterator[httpx.Client]:
    """With an owner's key; ada has worked on three days, and today through the API."""
    with office.server.client(work(office)) as client:
        of: dict[str, Any] = {"user_email": "ada@example.com", "ts": clock.now_ms()}
        call = an_event(model="claude-sonnet-4-5", input_tokens=90_000, output_tokens=10, **of)
        events = [call, an_event(kind="git_commit", **of)]
        client.post(
            f"{OURS}/events",
            json={"events": [_plain(each) for each in events]},
        ).raise_for_status()
        yield client


def _plain(event: Any) -> dict[str, Any]:
    names = ("event_id", "kind", "ts", "product", "source", "session_id", "user_email")
    names += ("model", "input_tokens", "output_tokens")
    return {name: value for name in names if (value := getattr(event, name)) is not None}


def cards(client: httpx.Client, address: str) -> dict[str, str]:
    """The exact figure of each card by its name."""
    page = client.get(address)
    assert page.status_code == 200, page.text
    found = _CARD.findall(page.text)
    return {name: html.unescape(whole or short).strip() for name, whole, short in found}


def asked(client: httpx.Client, path: str, **params: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(path, params=params).raise_for_status().json()
    return answer


def test_coverage_has_the_people_of_each_state(
    office: Office, owner: str, api: httpx.Client
) -> None:
    states = asked(api, f"{OURS}/coverage")["peopleByState"]
    with office.visitor(owner) as visitor:
        shown = cards(visitor, "/coverage")

    assert {name.lower(): shown[name] for name in ("Active", "Quiet", "Stopped", "Never")} == {
        state: str(count) for state, count in states.items()
    }


def test_people_have_the_numbers_of_coverage_and_of_active_users(
    office: Office, owner: str, api: httpx.Client
) -> None:
    today = clock.today()
    span = {"startDate": f"{today - timedelta(days=30)}", "endDate": f"{today - timedelta(days=1)}"}
    users = asked(api, "/api/v1/analytics/users", **span)["data"]
    listed = asked(api, f"{OURS}/coverage", limit="100")["people"]
    people = [person for person in listed if person["kind"] != "service"]
    with office.visitor(owner) as visitor:
        shown = cards(visitor, "/people")

    active = {row["user_id"] for row in users}
    assert shown["Active in these days"] == str(len(active)) == "2"
    assert shown["Expected"] == str(len(people))
    assert shown["Never sent"] == str(sum(person["state"] == "never" for person in people))


def test_limits_have_the_figures_of_the_api(office: Office, owner: str, api: httpx.Client) -> None:
    limits = asked(api, f"{OURS}/limits")
    with office.visitor(owner) as visitor:
        shown = cards(visitor, "/limits")

    assert shown["Used by the organization"] == exact(limits["totalUsed"], "count")
    assert shown["Default limit"] == "none"
    assert limits["globalLimit"] is None


def test_my_usage_has_the_figures_of_the_api(office: Office, api: httpx.Client) -> None:
    db = office.server.services.db
    ada = a_member(db, office.org, "ada@example.com", "owner")
    _, link = service.make_link(db, office.org, ada.user_id, by=None)
    signin.with_link(db, link, PASSWORD)
    today = clock.today()
    span = {"startDate": f"{today - timedelta(days=30)}", "endDate": f"{today - timedelta(days=1)}"}
    with office.server.client(a_key(db, office.org, ada)) as client:
        totals = asked(client, f"{OURS}/me/usage", **span)["meta"]["totals"]
    with office.visitor("ada@example.com") as visitor:
        shown = cards(visitor, "/me")

    assert shown["Dollars"] == exact(float(totals["cost_usd"]), "usd")
    assert shown["Credits"] == exact(totals["billable_tokens"], "credits")
    assert shown["Sessions"] == exact(totals["sessions"], "count") == "3"
    assert shown["Commits"] == exact(totals["git_commits"], "count")


@pytest.mark.parametrize("path", ["/", "/people", "/spend"])
def test_the_running_day_has_the_figures_of_the_api(
    office: Office, owner: str, api: httpx.Client, path: str
) -> None:
    today = asked(api, f"{OURS}/today")
    with office.visitor(owner) as visitor:
        shown = cards(visitor, f"{path}?range=today")
        text = visitor.get(f"{path}?range=today&csv=today-by-agent").text
    [agent] = csv.DictReader(io.StringIO(text))

    figures = today["figures"]
    assert shown["Dollars"] == exact(float(figures["costUsd"]), "usd")
    assert shown["Credits"] == exact(figures["credits"], "count")
    assert shown["Commits"] == str(figures["commits"]) == "1"
    assert float(agent["Dollars"]) == float(figures["costUsd"]) > 0
    assert agent["Sessions"] == str(figures["sessions"])
