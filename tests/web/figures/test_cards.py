"""The cards of pages have the figures of the API."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import httpx
import pytest

from stationmaster import clock, ids
from stationmaster.web.charts.figures import Unit, exact
from tests.web.conftest import Office
from tests.web.repositories.test_listing import registered
from tests.web.worked import work

_CARD = re.compile(
    r'<span class="name">([^<]+)</span>\s*(?:<a [^>]*>)?<b title="([^"]*)">', re.DOTALL
)
Answer = Mapping[str, Any]


class Figure(NamedTuple):
    """Which answer a card shows what of."""

    report: str
    read: Callable[[Answer], Any]
    unit: Unit = "count"


def total(field: str) -> Callable[[Answer], Any]:
    return lambda answer: answer["meta"]["totals"][field]


def summed(field: str) -> Callable[[Answer], Any]:
    return lambda answer: sum(row[field] for row in answer["data"])


def last(field: str) -> Callable[[Answer], Any]:
    return lambda answer: answer["data"][-1][field]


V1, OURS = "/api/v1/analytics", "/api/platform/v1/analytics"
SPENT = {
    "Dollars": Figure(f"{OURS}/spend", total("cost_usd"), "usd"),
    "Credits": Figure(f"{OURS}/spend", total("billable_tokens"), "credits"),
    "Sessions": Figure(f"{OURS}/spend", total("sessions")),
    "Commits": Figure(f"{OURS}/spend", total("git_commits")),
    "Pull requests": Figure(f"{OURS}/spend", total("git_prs_created")),
}
CARDS: Mapping[str, Mapping[str, Figure]] = {
    "/": {name: figure for name, figure in SPENT.items() if name != "Sessions"},
    "/spend": {
        "Dollars": SPENT["Dollars"],
        "Credits": SPENT["Credits"],
        "Dollars a session": Figure(f"{OURS}/spend", total("cost_per_session"), "usd"),
        "Dollars a commit": Figure(f"{OURS}/spend", total("cost_per_commit"), "usd"),
        "Dollars a pull request": Figure(f"{OURS}/spend", total("cost_per_pull_request"), "usd"),
        "Input from caches": Figure(f"{OURS}/cache", total("read_share"), "share"),
    },
    "/use": {
        "People in a month": Figure(f"{V1}/activity", last("monthly_active_users")),
        "People in a week": Figure(f"{V1}/activity", last("weekly_active_users")),
        "Sessions": Figure(f"{V1}/activity", summed("sessions")),
        "Prompts": Figure(f"{V1}/activity", summed("user_messages")),
        "Tool calls": Figure(f"{V1}/tools", summed("tool_calls")),
    },
    "/output": {
        "Commits": Figure(f"{V1}/productivity", summed("git_commits")),
        "Pull requests": Figure(f"{V1}/productivity", summed("git_prs_created")),
        "Files edited": Figure(f"{V1}/productivity", summed("files_edited")),
        "Lines added": Figure(f"{OURS}/edits", total("lines_added")),
        "Edits accepted": Figure(f"{OURS}/edits", total("acceptance_rate"), "share"),
    },
    "/people/ADA": SPENT,
    "/teams/Platform": SPENT,
    "/repositories/APP/cost": {name: each for name, each in SPENT.items() if name != "Credits"},
}
"""Every page of figures with its cards."""
OF = {
    "/people/ADA": {"user": "ada@example.com"},
    "/teams/Platform": {"team": "Platform"},
    "/repositories/APP/cost": {"repository": "example.com/acme/app"},
}
"""What the API is asked about where a page is about a part."""


@pytest.mark.parametrize("path", CARDS)
def test_every_card_has_the_figure_of_the_api(office: Office, owner: str, path: str) -> None:
    key = work(office)
    today = clock.today()
    # The overview's cards are of the calendar month, the others of 30 days.
    first = today.replace(day=1) if path == "/" else today - timedelta(days=30)
    span = {"startDate": f"{first}", "endDate": f"{today - timedelta(days=1)}"}
    address = path.replace("ADA", ids.user_of_email(office.org, "ada@example.com"))
    if "APP" in path:
        address = path.replace("APP", registered(office, owner, "https://example.com/acme/App"))
    with office.visitor(office.person("manager")) as visitor:
        shown = dict(_CARD.findall(visitor.get(address).text))

    expected = {}
    with httpx.Client(
        base_url=office.server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60
    ) as client:
        for name, figure in CARDS[path].items():
            if first == today:
                # On the first of a month no day of it is closed.
                expected[name] = exact(0.0, figure.unit)
                continue
            asked = client.get(figure.report, params={**span, **OF.get(path, {})})
            value = figure.read(asked.raise_for_status().json())
            expected[name] = exact(None if value is None else float(value), figure.unit)
    assert {name: html.unescape(shown[name]) for name in expected} == expected
