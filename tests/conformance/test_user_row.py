"""Chapter Resources, User row: its words, and who has an e-mail."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.conftest import House
from tests.spec import day
from tests.support.builders import an_event
from tests.support.cast import Cast

LEVELS = ("auto-high", "auto-medium", "auto-low", "spec", "manual")


def rows(house: House, of: Cast, **params: str) -> list[dict[str, Any]]:
    asked = {"startDate": "2026-11-20", "endDate": "2026-11-20"} | params
    answer = house.client(of=of).get("/api/v1/analytics/users", params=asked)
    assert answer.status_code == 200
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


@pytest.mark.parametrize("level", LEVELS)
def test_delegation_level_is_the_primary_autonomy_mode(house: House, level: str) -> None:
    org = house.another(f"at-{level}")
    other = "manual" if level != "manual" else "auto-high"
    calls = [level, level, other]
    day.send(
        house.client(of=org),
        [an_event(kind="tool_call", tool="Read", autonomy=mode) for mode in calls],
    )

    assert [row["delegation_level"] for row in rows(house, org)] == [level]


@pytest.mark.parametrize("tier", ["standard", "thinking"])
def test_primary_model_tier_is_standard_or_thinking(house: House, tier: str) -> None:
    org = house.another(tier)
    call = an_event(kind="model_call", model=day.SONNET, model_tier=tier, input_tokens=10)
    day.send(house.client(of=org), [call])

    assert [row["primary_model_tier"] for row in rows(house, org)] == [tier]


def test_primary_model_is_the_most_used_model(house: House) -> None:
    org = house.another("two-models")
    calls = [(day.HAIKU, 1000), (day.SONNET, 10_000)]
    day.send(
        house.client(of=org),
        [an_event(kind="model_call", model=model, input_tokens=n) for model, n in calls],
    )

    assert [row["primary_model"] for row in rows(house, org)] == [day.SONNET]


def test_user_email_is_null_for_a_program(house: House) -> None:
    org = house.another("programs")
    day.send(house.client("svc", org), [an_event(kind="user_message")])

    [row] = rows(house, org)

    assert row["user_email"] is None
    assert row["user_id"] == org.program.service_account_id


def test_every_user_row_is_one_user_on_one_day_as_decided(house: House) -> None:
    org = house.another("two-days")
    day.send(
        house.client(of=org),
        [an_event(kind="user_message"), an_event(kind="user_message", ts=day.TUESDAY)],
    )

    found = rows(house, org, startDate="2026-11-17")

    assert [row["date"] for row in found] == ["2026-11-17", "2026-11-20"]
    assert len({row["user_id"] for row in found}) == 1
