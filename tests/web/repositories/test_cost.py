"""What agents cost in one repository: the API's figures of that repository alone."""

from __future__ import annotations

import csv
import html
import io
import re
from decimal import Decimal

import httpx

from stationmaster.access import privacy
from tests.support.builders import a_caller, a_member
from tests.support.patience import PATIENCE_S
from tests.web.conftest import Office
from tests.web.repositories.test_listing import registered
from tests.web.worked import work

URL = "https://example.com/acme/App"


def test_figures_are_the_apis_of_the_repository_alone(office: Office, owner: str) -> None:
    bearer = {"Authorization": f"Bearer {work(office)}"}
    path = f"/repositories/{registered(office, owner, URL)}/cost"
    with office.visitor(owner) as visitor:
        page = visitor.get(path).text
        tables = {
            name: list(csv.DictReader(io.StringIO(visitor.get(f"{path}?csv={name}").text)))
            for name in ("by-agent", "by-model", "work")
        }
    [shown] = re.findall(r'id="work-call">(.*?)</code>', page, re.DOTALL)
    [call] = re.findall(r'"(http[^"]*)"', html.unescape(shown))
    answer = httpx.get(call, headers=bearer, timeout=PATIENCE_S).json()

    assert "repository=example.com%2Facme%2Fapp" in call
    total = Decimal(answer["meta"]["totals"]["cost_usd"])
    for name in ("by-agent", "by-model"):
        dollars = sum(Decimal(row["Dollars"] or 0) for row in tables[name])
        assert abs(dollars - total) < Decimal("1e-9"), name
    assert [row["Agent"] for row in tables["by-agent"]] == ["claude-code"]
    commits = {row["Day"]: row["Commits"] for row in tables["work"]}
    assert answer["data"]
    for row in answer["data"]:
        assert Decimal(commits[row["date"]]) == row["git_commits"]


def test_costs_are_for_managers_and_follow_the_privacy_mode(office: Office, owner: str) -> None:
    work(office)
    path = f"/repositories/{registered(office, owner, URL)}/cost"
    with office.visitor(office.person("member")) as visitor:
        assert visitor.get(path).status_code == 403
    db = office.server.services.db
    boss = a_member(db, office.org, "boss@example.com", "owner")
    privacy.put(db, office.org, "off", 5, by=a_caller(db, office.org, boss))
    with office.visitor(owner) as visitor:
        page = visitor.get(path)

    assert page.status_code == 200
    assert "ada@example.com" not in page.text


def test_without_work_in_it_the_page_says_the_next_step(office: Office, owner: str) -> None:
    path = f"/repositories/{registered(office, owner, URL)}/cost"
    with office.visitor(owner) as visitor:
        assert "Make a key" in visitor.get(path).text
