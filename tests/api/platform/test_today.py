"""GET /api/platform/v1/today and /me/today."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import privacy
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member
from tests.support.servers import Server

TODAY, MINE = "/api/platform/v1/today", "/api/platform/v1/me/today"
NOON = day.NOW.replace(day=17, hour=12)
"""Of the Tuesday on which Ada and Bob work."""


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(NOON)
    acme = day.Acme(any_server.services.db)
    with any_server.client(acme.key) as client, any_server.client(acme.nightly_key) as program:
        day.send(client, day.tuesday())
        day.send(program, day.nightly())
    return acme


def asked(client: httpx.Client, address: str = TODAY) -> dict[str, Any]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_running_day_has_the_figures_that_its_reports_will_have(ada: httpx.Client) -> None:
    so_far = asked(ada)
    clock.freeze(day.NOW)
    span = {"startDate": "2026-11-17", "endDate": "2026-11-17"}
    [tokens] = ada.get("/api/v1/analytics/tokens", params=span).json()["data"]
    [costs] = ada.get("/api/platform/v1/costs", params=span).json()["data"]
    [activity] = ada.get("/api/v1/analytics/activity", params=span).json()["data"]

    figures = so_far["figures"]
    assert (so_far["date"], so_far["isProvisional"]) == ("2026-11-17", True)
    assert figures["credits"] == tokens["billable_tokens"]
    assert figures["cacheReadTokens"] == tokens["cache_read_tokens"]
    assert figures["costUsd"] == costs["cost_usd"]
    assert figures["activePeople"] == activity["daily_active_users"]
    assert (figures["sessions"], figures["userMessages"]) == (3, activity["user_messages"])
    assert [each["email"] for each in so_far["people"]] == [
        "ada@example.com",
        "bob@example.com",
        None,
    ]


@pytest.mark.both_databases
def test_new_data_shows_after_a_minute(
    ada: httpx.Client,
) -> None:
    first = asked(ada)
    day.send(ada, day.tuesday())
    assert asked(ada) == first

    clock.freeze(NOON + timedelta(seconds=61))
    second = asked(ada)

    assert second["countedAt"] == first["countedAt"] + 61_000
    assert second["figures"]["commits"] == 2 * first["figures"]["commits"] == 2


def test_members_see_what_they_did_themselves(
    any_server: Server, ada: httpx.Client, acme: day.Acme
) -> None:
    bob = a_member(any_server.services.db, acme.org, "bob@example.com", "member")
    with any_server.client(a_key(any_server.services.db, acme.org, bob)) as client:
        mine = asked(client, MINE)
        assert client.get(TODAY).status_code == 403

    assert (mine["figures"]["inputTokens"], mine["figures"]["sessions"]) == (300, 1)
    assert [each["agent"] for each in mine["agents"]] == ["claude-code"]
    assert mine["people"] == []


@pytest.mark.parametrize(
    ("mode", "status"), [("pseudonymous", 200), ("team-only", 403), ("off", 403)]
)
def test_nobody_is_shown_by_the_minute_who_is_not_shown_by_name(
    any_server: Server, ada: httpx.Client, acme: day.Acme, mode: Any, status: int
) -> None:
    by = a_caller(any_server.services.db, acme.org, acme.ada)
    privacy.put(any_server.services.db, acme.org, mode, None, by=by)

    answer = ada.get(TODAY)

    assert answer.status_code == status
    if status == 200:
        assert (answer.json()["agents"], answer.json()["people"]) == ([], [])
    else:
        assert answer.json()["metadata"]["code"] == "privacy_mode"
    assert asked(ada, MINE)["figures"]["commits"] == 1


def test_parts_of_the_running_day_are_those_of_their_filters(ada: httpx.Client) -> None:
    whole = asked(ada)["figures"]
    for name in ("agent", "user"):
        parts = asked(ada)[{"agent": "agents", "user": "people"}[name]]
        values = [part.get("agent") or part["userId"] for part in parts]
        figures = [asked(ada, f"{TODAY}?{name}={value}")["figures"] for value in values]
        assert sum(each["credits"] for each in figures) == whole["credits"] > 0
        assert sum(each["commits"] for each in figures) == whole["commits"] > 0
    by_address = asked(ada, f"{TODAY}?user=ADA@example.com")
    assert [person["email"] for person in by_address["people"]] == ["ada@example.com"]
    assert asked(ada, f"{TODAY}?team=nobody")["figures"]["credits"] == 0
    models = asked(ada)["models"]
    assert sum(Decimal(model["costUsd"]) for model in models) == Decimal(whole["costUsd"]) > 0


def test_parts_are_shown_where_people_are_shown_by_name(
    any_server: Server, ada: httpx.Client, acme: day.Acme
) -> None:
    db = any_server.services.db
    privacy.put(db, acme.org, "pseudonymous", None, by=a_caller(db, acme.org, acme.ada))

    assert asked(ada)["models"] == []
    assert ada.get(f"{TODAY}?agent=claude-code").json()["metadata"]["code"] == "privacy_mode"
    assert asked(ada, f"{MINE}?agent=claude-code")["figures"]["credits"] > 0
