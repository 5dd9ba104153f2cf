"""Chapter Limits: the bounds of requests and of data."""

from __future__ import annotations

from typing import Any

import pytest

from stationmaster.settings import Settings
from tests.conformance.conftest import House
from tests.spec import day
from tests.support.builders import an_event
from tests.support.cast import Cast

USERS = 102


@pytest.fixture(scope="module")
def crowd(_one_house: House) -> Cast:
    """An organization in which 102 people each sent a message."""
    org = _one_house.another("crowd")
    people = [f"user{number}@example.com" for number in range(USERS)]
    events = [an_event(kind="user_message", user_email=p, session_id=p) for p in people]
    day.send(_one_house.client(of=org), events)
    return org


def users(house: House, of: Cast, **params: str) -> dict[str, Any]:
    asked = {"startDate": "2026-11-20", "endDate": "2026-11-20"} | params
    answer = house.client(of=of).get("/api/v1/analytics/users", params=asked)
    assert answer.status_code == 200
    page: dict[str, Any] = answer.json()
    return page


def test_a_page_has_20_users_unless_told_otherwise(one_house: House, crowd: Cast) -> None:
    page = users(one_house, crowd)

    assert len(page["data"]) == 20
    assert page["meta"]["has_more"] is True


@pytest.mark.parametrize("limit", [1, 100])
def test_a_page_has_1_to_100_users(one_house: House, crowd: Cast, limit: int) -> None:
    page = users(one_house, crowd, limit=str(limit))

    assert len(page["data"]) == limit
    assert page["meta"]["next_cursor"] == page["data"][-1]["user_id"]


def test_passing_next_cursor_while_has_more_is_true_reads_every_user_once(
    one_house: House, crowd: Cast
) -> None:
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(6):
        page = users(one_house, crowd, **cursor)
        seen += [row["user_id"] for row in page["data"]]
        cursor = {"cursor": page["meta"]["next_cursor"] or ""}

    assert page["meta"]["has_more"] is False
    assert len(seen) == len(set(seen)) == USERS


def test_data_exists_through_yesterday(one_house: House, crowd: Cast) -> None:
    asked = {"startDate": "2026-11-20", "endDate": "2026-11-20"}
    answer = one_house.client(of=crowd).get("/api/v1/analytics/activity", params=asked)

    assert [row["daily_active_users"] for row in answer.json()["data"]] == [USERS]


def test_rates_are_100_300_and_20_a_minute_unless_set_as_decided() -> None:
    settings = Settings()

    assert (
        settings.analytics_requests_per_minute,
        settings.requests_per_minute,
        settings.limit_writes_per_minute,
    ) == (100, 300, 20)
