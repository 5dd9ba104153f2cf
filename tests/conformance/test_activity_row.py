"""Chapter Resources, Activity row: what the counts of people mean."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.events.model import Event
from tests.conformance.conftest import House
from tests.spec import day
from tests.support.builders import an_event
from tests.support.cast import Cast

SEEN = datetime(2026, 10, 1, 10, tzinfo=UTC)
CLIENTS = ("terminal-ui", "web", "non-interactive-cli")


def message(client: str, ts: datetime = SEEN) -> Event:
    return an_event(
        kind="user_message",
        ts=int(ts.timestamp() * 1000),
        session_id=client,
        client=client,
        user_email="ada@example.com",
    )


def rows(house: House, of: Cast, days: int = 1, **params: str) -> list[dict[str, Any]]:
    asked = {
        "startDate": f"{SEEN:%Y-%m-%d}",
        "endDate": f"{SEEN + timedelta(days=days - 1):%Y-%m-%d}",
    }
    answer = house.client(of=of).get("/api/v1/analytics/activity", params=asked | params)
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


def test_a_user_on_several_clients_counts_once_and_appears_in_each_clients_breakdown(
    house: House,
) -> None:
    org = house.another("several")
    day.send(house.client(of=org), [message(client) for client in CLIENTS])

    [row] = rows(house, org)

    assert row["daily_active_users"] == 1
    assert row["daily_active_users_by_client"] == dict.fromkeys(CLIENTS, 1)


@pytest.mark.parametrize("client", CLIENTS)
def test_client_types_are_the_keys_and_the_group_keys(house: House, client: str) -> None:
    org = house.another(f"on-{client}")
    day.send(house.client(of=org), [message(client)])

    [row] = rows(house, org, group_by="client")

    assert row == {"date": "2026-10-01", "group_key": client, "daily_active_users": 1}
    assert list(rows(house, org)[0]["daily_active_users_by_client"]) == list(CLIENTS)


def test_weekly_and_monthly_active_users_are_those_of_the_trailing_7_and_30_days(
    house: House,
) -> None:
    org = house.another("trailing")
    day.send(house.client(of=org), [message("web")])

    found = rows(house, org, days=32)

    assert [row["daily_active_users"] for row in found] == [1] + [0] * 31
    assert [row["weekly_active_users"] for row in found] == [1] * 7 + [0] * 25
    assert [row["monthly_active_users"] for row in found] == [1] * 30 + [0] * 2
