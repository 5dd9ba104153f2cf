"""Figures on pages are those of the API: each chart and table names the call that answers it."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import httpx
import pytest

from stationmaster.access import privacy
from stationmaster.access.model import Role
from tests.support.builders import a_caller, a_member
from tests.web.conftest import Office
from tests.web.worked import work

PAGES: Mapping[str, tuple[str, ...]] = {
    "/": ("by-day", "by-person", "by-team", "by-repository"),
    "/spend": (
        "by-day",
        "by-agent",
        "by-model",
        "by-person",
        "by-team",
        "by-repository",
    ),
}
"""Every page of figures with its charts and tables."""

FIELDS: Mapping[str, Mapping[str, str]] = {
    "/": {"Dollars": "cost_usd"},
    "/spend": {"Dollars": "cost_usd", "Credits": "billable_tokens", "Sessions": "sessions"},
}
"""The members of the API's rows behind the columns of a page's tables."""
DAILY = {("/", "by-day"): "cost_usd", ("/spend", "by-day"): "cost_usd"}
"""The member behind the values of each chart of days by group."""
QUERIES = ("", "range=7d&agent=codex", "range=7d&compare=1&repository=example.com%2Facme%2Fapp")


def _csv(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def _call(page: str, name: str) -> str:
    """The address that a page shows for a chart or table."""
    [shown] = re.findall(rf'id="{name}-call">(.*?)</code>', page, re.DOTALL)
    [address] = re.findall(r'"(http[^"]*)"', html.unescape(shown))
    return str(address)


def _sums(rows: list[dict[str, Any]], field: str, by: str) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for row in rows:
        sums[row[by]] = sums.get(row[by], Decimal(0)) + Decimal(str(row[field] or 0))
    return sums


def _close(shown: str, true: Decimal) -> bool:
    return abs(Decimal(shown or 0) - true) < Decimal("1e-9")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("path", PAGES)
def test_every_number_of_a_page_is_the_apis(office: Office, path: str, query: str) -> None:
    bearer = {"Authorization": f"Bearer {work(office)}"}
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.get(f"{path}?{query}").text
        for name in PAGES[path]:
            table = _csv(visitor.get(f"{path}?{query}&csv={name}"))
            rows = httpx.get(_call(page, name), headers=bearer).json()["data"]
            if (path, name) in DAILY:
                field = DAILY[path, name]
                days = {row["Day"]: row for row in table}
                for row in rows:
                    shown = days[row["date"]][row["group_key"]]
                    assert _close(shown, Decimal(str(row[field] or 0))), (name, row)
                continue
            assert rows, name
            [of] = {*table[0]} - {*FIELDS[path]}
            for column, field in FIELDS[path].items():
                sums = sorted(_sums(rows, field, "group_key").values())
                values = sorted((row[column] for row in table), key=lambda text: Decimal(text or 0))
                assert all(map(_close, values, sums)), (name, of, column, values, sums)
                assert len(values) == len(sums)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("role", "is_shown"), [("manager", True), ("member", False), ("guest", False)]
)
def test_figures_are_for_whom_the_api_answers(
    office: Office, path: str, role: Role, is_shown: bool
) -> None:
    with office.visitor(office.person(role)) as visitor:
        answers = [visitor.get(path), visitor.get(f"{path}?csv={PAGES[path][0]}")]

    # Who may not see the overview begins elsewhere.
    refused = 303 if path == "/" else 403
    assert {answer.status_code for answer in answers} == {200 if is_shown else refused}


@pytest.mark.parametrize("path", PAGES)
def test_a_privacy_mode_holds_on_pages(office: Office, path: str) -> None:
    db = office.server.services.db
    work(office)
    boss = a_member(db, office.org, "boss@example.com", "owner")
    privacy.put(db, office.org, "off", 5, by=a_caller(db, office.org, boss))
    with office.visitor(office.person("manager")) as visitor:
        texts = [visitor.get(path).text]
        texts += [visitor.get(f"{path}?csv={name}").text for name in PAGES[path]]

    for text in texts:
        assert "ada@example.com" not in text
        assert "ben@example.com" not in text


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_data_says_the_next_step(office: Office, path: str) -> None:
    with office.visitor(office.person("manager")) as visitor:
        text = visitor.get(path).text

    assert "No data yet" in text
    assert "Make a key" in text


@pytest.mark.parametrize("path", PAGES)
def test_an_unknown_table_is_not_found(office: Office, path: str) -> None:
    with office.visitor(office.person("manager")) as visitor:
        assert visitor.get(f"{path}?csv=nothing").status_code == 404
