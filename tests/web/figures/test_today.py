"""The running day on pages: hatched in charts, in no sum, and the figures of the API."""

from __future__ import annotations

import csv
import io
from typing import Any

import httpx
import pytest

from stationmaster import clock
from tests.support.builders import a_sent_event
from tests.web.conftest import Office
from tests.web.worked import work

TODAY = "/api/platform/v1/today"
SPENT: dict[str, Any] = {"model": "claude-sonnet-4-5", "input_tokens": 400_000}


@pytest.fixture
def key(office: Office) -> str:
    """Of the owner of an organization in which ada works today, too."""
    text = work(office)
    with office.server.client(text) as client:
        call = a_sent_event("today", clock.today()) | {
            "kind": "model_call",
            "ts": clock.now_ms(),
            "product": "claude-code",
            "user_email": "ada@example.com",
            "team": "Platform",
            **SPENT,
        }
        commit = call | {"event_id": "f" * 32, "kind": "git_commit", "commit_sha": "abc1234"}
        answer = client.post("/api/platform/v1/events", json={"events": [call, commit]})
        assert answer.json()["accepted"] == 2, answer.text
    return text


def rows(visitor: httpx.Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(visitor.get(address).text)))


@pytest.mark.parametrize("path", ["/", "/spend", "/teams/Platform", "/spend?agent=claude-code"])
def test_the_running_day_is_the_last_bar_and_in_no_sum(
    office: Office, owner: str, key: str, path: str
) -> None:
    asked = {"/teams/Platform": "team=Platform", "/spend?agent=claude-code": "agent=claude-code"}
    with office.server.client(key) as client:
        today = client.get(f"{TODAY}?{asked.get(path, '')}").json()
    with office.visitor(owner) as visitor:
        joint = "&" if "?" in path else "?"
        *closed, last = rows(visitor, f"{path}{joint}range=7d&csv=by-day&compare=1")
        page = visitor.get(f"{path}{joint}range=7d").text

    assert [agent["agent"] for agent in today["agents"]] == ["claude-code"]
    assert last["Day"] == f"{clock.today()} (so far)"
    assert float(last["claude-code"]) == float(today["figures"]["costUsd"]) > 1
    assert last["Period before"] == ""
    assert len(closed) == 7
    total = sum(float(row["claude-code"] or 0) for row in closed)
    assert "by-day-h" in page
    assert f"Today so far, in no total: ${float(last['claude-code']):,.2f}" in page
    assert 0 < total < 1


def test_commits_of_the_running_day_are_the_last_bar(office: Office, owner: str, key: str) -> None:
    with office.visitor(owner) as visitor:
        last = rows(visitor, "/output?range=7d&csv=commits")[-1]

    assert (last["Day"], last["claude-code"]) == (f"{clock.today()} (so far)", "1")


@pytest.mark.parametrize("query", ["range=last-month", "range=7d&model=claude-sonnet-4-5"])
def test_ranges_that_are_over_and_filters_by_model_have_no_running_day(
    office: Office, owner: str, key: str, query: str
) -> None:
    with office.visitor(owner) as visitor:
        days = rows(visitor, f"/spend?{query}&csv=by-day")

    assert not [row for row in days if "so far" in row["Day"]]


def test_one_model_a_bar_has_the_running_day_too(office: Office, owner: str, key: str) -> None:
    with office.visitor(owner) as visitor:
        last = rows(visitor, "/spend?range=7d&by=model&csv=by-day")[-1]

    assert float(last["claude-sonnet-4-5"]) > 1
