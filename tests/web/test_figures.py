"""Figures on pages are those of the API: each chart and table names the call that answers it."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import itemgetter
from typing import Any, NamedTuple

import httpx
import pytest

from stationmaster.access import privacy
from stationmaster.access.model import Role
from tests.support.builders import a_caller, a_member
from tests.support.patience import PATIENCE_S
from tests.web.conftest import Office
from tests.web.worked import work

SPENT = {"Dollars": "cost_usd", "Credits": "billable_tokens", "Sessions": "sessions"}
GIT = {
    "Commits": "git_commits",
    "Pull requests": "git_prs_created",
    "Files created": "files_created",
    "Files edited": "files_edited",
}
RUNS = {"Calls": "calls", "Failed": "failed", "Refused": "refused"}


class Days(NamedTuple):
    """A chart of days: the member of the API's rows behind each series; "" for a series of each
    group."""

    fields: Mapping[str, str]


class Groups(NamedTuple):
    """A table, or a chart of other places than days: the member behind each column, added up by
    group; of entries that rows list under `listed`, by what `name` says."""

    fields: Mapping[str, str]
    listed: str | None = None
    name: Callable[[Mapping[str, Any]], str] = itemgetter("group_key")


PAGES: Mapping[str, Mapping[str, Days | Groups]] = {
    "/": {
        "by-day": Days({"": "cost_usd"}),
        "by-person": Groups({"Dollars": "cost_usd"}),
        "by-team": Groups({"Dollars": "cost_usd"}),
        "by-repository": Groups({"Dollars": "cost_usd"}),
    },
    "/spend": {
        "by-day": Days({"": "cost_usd"}),
        "caches": Groups({"Tokens read": "cache_read_tokens"}),
        "by-agent": Groups(SPENT),
        "by-model": Groups(SPENT),
        "by-person": Groups(SPENT),
        "by-team": Groups(SPENT),
        "by-repository": Groups(SPENT),
    },
    "/use": {
        "active": Days(
            {
                "that day": "daily_active_users",
                "in 7 days": "weekly_active_users",
                "in 30 days": "monthly_active_users",
            }
        ),
        "sessions": Days({"": "sessions"}),
        "turns": Days({"mean": "autonomy_ratio_avg", "median": "autonomy_ratio_p50"}),
        "hours": Groups({"model calls": "calls"}),
        "tools": Groups(RUNS),
        "mcp-servers": Groups(RUNS),
        "skills": Groups({"Uses": "count"}, "skills_by_name", itemgetter("name")),
        "commands": Groups({"Uses": "count"}, "slash_commands_by_name", itemgetter("name")),
        "hooks": Groups({"Runs": "runs", "Failed": "failed"}),
    },
    "/output": {
        "commits": Days({"": "git_commits"}),
        "pull-requests": Days({"": "git_prs_created"}),
        "lines": Days({"added": "lines_added", "removed": "lines_removed"}),
        "by-agent": Groups(GIT),
        "by-repository": Groups(GIT),
        "by-team": Groups(GIT),
        "by-language": Groups(
            {
                "Lines added": "lines_added",
                "Lines removed": "lines_removed",
                "Accepted edits": "accepted",
                "Rejected": "rejected",
            }
        ),
    },
}
"""Every page of figures with its charts and tables. A page that is made joins here."""
QUERIES = (
    "",
    "range=7d&agent=claude-code",
    "range=7d&compare=1&repository=example.com%2Facme%2Fapp",
)


def _csv(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def _call(page: str, name: str) -> str:
    """The address that a page shows for a chart or table."""
    found = re.findall(rf'id="{name}-call">(.*?)</code>', page, re.DOTALL)
    assert len(found) == 1, name
    [shown] = found
    [address] = re.findall(r'"(http[^"]*)"', html.unescape(shown))
    return str(address)


def _number(value: Any) -> Decimal:
    return Decimal(str(value or 0))


def _check_days(table: list[dict[str, str]], rows: list[dict[str, Any]], spec: Days) -> None:
    days = {line["Day"]: line for line in table}
    for row in rows:
        for series, field in spec.fields.items():
            shown = days[row["date"]][series or row["group_key"]]
            assert abs(_number(shown) - _number(row[field])) < Decimal("1e-9"), row


def _check_groups(table: list[dict[str, str]], rows: list[dict[str, Any]], spec: Groups) -> None:
    """The same figures in every column; names of people are texts of their own."""
    entries = rows if spec.listed is None else [each for row in rows for each in row[spec.listed]]
    for column, field in spec.fields.items():
        sums: dict[str, Decimal] = {}
        for entry in entries:
            # What names no server is no server.
            if entry.get("group_key") != "unknown" or "MCP server" not in table[0]:
                name = spec.name(entry)
                sums[name] = sums.get(name, Decimal(0)) + _number(entry[field])
        expected = sorted(value for value in sums.values() if value)
        shown = sorted(filter(None, (_number(line[column]) for line in table)))
        assert len(shown) == len(expected), (column, shown, expected)
        for value, true in zip(shown, expected, strict=True):
            assert abs(value - true) < Decimal("1e-9"), (column, shown, expected)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("path", PAGES)
def test_every_number_of_a_page_is_the_apis(office: Office, path: str, query: str) -> None:
    bearer = {"Authorization": f"Bearer {work(office)}"}
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.get(f"{path}?{query}").text
        for name, spec in PAGES[path].items():
            rows = httpx.get(_call(page, name), headers=bearer, timeout=PATIENCE_S).json()["data"]
            table = _csv(visitor.get(f"{path}?{query}&csv={name}"))
            assert rows, name
            assert table, name
            if isinstance(spec, Days):
                _check_days(table, rows, spec)
            else:
                _check_groups(table, rows, spec)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("role", "is_shown"), [("manager", True), ("member", False), ("guest", False)]
)
def test_figures_are_for_whom_the_api_answers(
    office: Office, path: str, role: Role, is_shown: bool
) -> None:
    with office.visitor(office.person(role)) as visitor:
        answers = [visitor.get(path), visitor.get(f"{path}?csv={next(iter(PAGES[path]))}")]

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
