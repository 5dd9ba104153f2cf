"""Price lists over HTTP: importing them, their age, and days that they change."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.pricing import review
from tests.spec import day
from tests.support.builders import an_event
from tests.support.servers import Server

RATES = "/api/platform/v1/rates"
FILE = {"Content-Type": "application/octet-stream"}
COSTS = "/api/platform/v1/costs"
SPAN = {"startDate": "2026-11-17", "endDate": "2026-11-20"}
HOUSE = {"user_email": "ada@example.com", "session_id": "s9", "ts": day.THURSDAY}


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    acme = day.Acme(any_server.services.db)
    call = an_event(kind="model_call", model="house-7", input_tokens=40, **HOUSE)
    with any_server.client(acme.key) as client:
        day.send(client, [*day.tuesday(), *day.thursday(), call])
    return acme


def litellm(**prices: float) -> bytes:
    """A file with dollars per million tokens of input; output costs five times as much."""
    return json.dumps(
        {
            name.replace("_", "-"): {
                "litellm_provider": "openai",
                "input_cost_per_token": price / 10**6,
                "output_cost_per_token": 5 * price / 10**6,
                "cache_read_input_token_cost": 0,
                "cache_creation_input_token_cost": 0,
            }
            for name, price in prices.items()
        }
    ).encode()


def import_file(client: httpx.Client, content: bytes, **params: str) -> dict[str, Any]:
    answer = client.post(f"{RATES}/import", params=params, content=content, headers=FILE)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def cost_of(client: httpx.Client, model: str) -> dict[str, str | None]:
    """Dollars of the model by day, ten minutes later: a busy machine may answer for some minutes
    with a day that took it long to count."""
    clock.freeze(datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(minutes=10))
    answer = client.get(COSTS, params=SPAN | {"group_by": "model"})
    assert answer.status_code == 200, answer.text
    rows = answer.json()["data"]
    return {row["date"]: row["cost_usd"] for row in rows if row["group_key"] == model}


@pytest.mark.both_databases
def test_an_import_prices_days_again_that_were_counted_without_it(ada: httpx.Client) -> None:
    assert cost_of(ada, "house-7") == {"2026-11-19": None}
    sonnet = cost_of(ada, "claude-sonnet-4-5")

    first = import_file(ada, litellm(house_7=2))
    assert cost_of(ada, "house-7") == {"2026-11-19": "0.00008"}
    second = import_file(ada, litellm(house_7=3, house_8=1))
    assert cost_of(ada, "house-7") == {"2026-11-19": "0.00012"}
    removed = ada.delete(f"{RATES}/litellm").json()

    assert (first["newCount"], first["changedCount"], first["daysDue"]) == (1, 0, 1)
    assert (second["newCount"], second["changedCount"], second["daysDue"]) == (1, 1, 1)
    [changed] = second["changed"]
    assert (changed["inputBefore"], changed["inputAfter"]) == ("2.00", "3.00")
    assert removed == {"origin": "litellm", "daysDue": 1}
    assert cost_of(ada, "house-7") == {"2026-11-19": None}
    assert cost_of(ada, "claude-sonnet-4-5") == sonnet


def test_a_dry_run_says_what_would_change_and_changes_nothing(ada: httpx.Client) -> None:
    import_file(ada, litellm(house_7=2, house_8=1))
    before = ada.get(RATES).json()

    found = import_file(ada, litellm(house_7=3, house_9=1), dryRun="true")

    assert [each["model"] for each in found["new"]] == ["house-9"]
    assert [each["model"] for each in found["changed"]] == ["house-7"]
    assert [each["model"] for each in found["gone"]] == ["house-8"]
    assert (found["isDryRun"], found["daysDue"]) == (True, 0)
    assert ada.get(RATES).json() == before
    assert cost_of(ada, "house-7") == {"2026-11-19": "0.00008"}


def test_prices_of_an_import_may_hold_from_a_day_on(ada: httpx.Client) -> None:
    import_file(ada, litellm(house_7=2))

    import_file(ada, litellm(house_7=3), **{"from": "2026-11-20"})

    assert cost_of(ada, "house-7") == {"2026-11-19": "0.00008"}
    import_file(ada, litellm(house_7=3), **{"from": "2026-11-19"})
    assert cost_of(ada, "house-7") == {"2026-11-19": "0.00012"}


def test_lists_say_how_old_they_are(ada: httpx.Client) -> None:
    import_file(ada, litellm(house_7=2))

    fresh = ada.get(RATES).json()
    costs = ada.get(COSTS, params=SPAN).json()["meta"]
    clock.freeze(day.NOW + timedelta(days=60))
    old = ada.get(RATES).json()

    assert [each["origin"] for each in fresh["lists"]] == ["litellm", "built-in"]
    assert (fresh["lists"][0]["asOf"], fresh["lists"][0]["ageDays"]) == ("2026-11-21", 0)
    assert fresh["isOld"] is False
    assert costs["prices_are_old"] is False
    assert old["isOld"] is True


@pytest.mark.parametrize("content", [b"", b"{", b"hello", b'{"a": {"litellm_provider": "x"}}'])
@pytest.mark.both_databases
def test_what_is_no_list_is_refused_and_leaves_the_earlier_import(
    ada: httpx.Client, content: bytes
) -> None:
    import_file(ada, litellm(house_7=2))
    before = ada.get(RATES).json()

    answer = ada.post(f"{RATES}/import", content=content, headers=FILE)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, "bad_price_list")
    assert ada.get(RATES).json() == before


def test_an_import_is_in_the_audit_log_with_its_figures(ada: httpx.Client) -> None:
    import_file(ada, litellm(house_7=2))

    [event] = ada.get("/api/platform/v1/audit", params={"limit": 1}).json()["events"]

    assert (event["eventType"], event["target"]) == (
        "price_list_imported",
        {"kind": "price_list", "id": "litellm"},
    )
    assert event["payload"] == {
        "as_of": "2026-11-21",
        "models": 1,
        "new": 1,
        "changed": 0,
        "gone": 0,
    }


@pytest.mark.both_databases
def test_another_organization_keeps_its_prices(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    other = day.Acme(any_server.services.db)
    import_file(ada, litellm(house_7=2))

    with any_server.client(other.key) as client:
        assert [each["origin"] for each in client.get(RATES).json()["lists"]] == ["built-in"]
        assert client.delete(f"{RATES}/litellm").status_code == 404


@pytest.mark.both_databases
def test_a_review_without_changes_makes_no_day_due(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    cost_of(ada, "house-7")
    services = any_server.services

    assert review.review(services.db, services.settings, acme.org) == 0
