"""GET /api/platform/v1/costs, …/rates and POST …/what-if."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from stationmaster import clock
from stationmaster.aggregate import packing
from stationmaster.aggregate.packing import unpack
from stationmaster.analytics.days import stored
from stationmaster.analytics.formats import bodies
from stationmaster.db.tables.rollups import day_facts, day_slices
from tests.spec import day
from tests.support.builders import an_event
from tests.support.servers import Server

COSTS = "/api/platform/v1/costs"
SPAN = {"startDate": "2026-11-17", "endDate": "2026-11-20"}
COUNTERS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
HOUSE = {"user_email": "ada@example.com", "session_id": "s9", "ts": day.THURSDAY}
TWICE = """
[[families]]
prefixes = ["claude-sonnet-4-5"]
steps = [
  { from = 2025-01-01, multiplier = 1.2, usd = { input = 3, output = 15, cache_read = 0.30, cache_write = 3.75 } },
  { from = 2026-11-19, multiplier = 2.4, usd = { input = 6, output = 30, cache_read = 0.60, cache_write = 7.50 } },
]
"""  # noqa: E501 - as a person writes it


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    """Tuesday's and Thursday's work of people and a program."""
    clock.freeze(day.NOW)
    acme = day.Acme(any_server.services.db)
    with any_server.client(acme.key) as client, any_server.client(acme.nightly_key) as program:
        day.send(client, [*day.tuesday(), *day.thursday()])
        day.send(program, day.nightly())
    return acme


def costs(client: httpx.Client, **params: str) -> dict[str, Any]:
    answer = client.get(COSTS, params=SPAN | params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


LARGE = (
    f"{COSTS}?group_by=user",
    "/api/platform/v1/analytics/spend?group_by=user",
    "/api/v1/analytics/tokens?group_by=user",
)


@pytest.mark.parametrize("path", LARGE, ids=("costs", "spend", "tokens"))
def test_a_large_answer_comes_in_parts_with_the_same_bytes(
    any_server: Server, ada: httpx.Client, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ada.get(path, params=httpx.URL(path).params.merge(SPAN))
    monkeypatch.setattr(bodies, "_PLAIN_BYTES_MAX", 0)
    monkeypatch.setattr(bodies, "PART_BYTES", 100)
    # As if nothing was kept yet.
    stored._databases.pop(any_server.services.db)

    parts = ada.get(path, params=httpx.URL(path).params.merge(SPAN))

    assert "content-length" in whole.headers
    assert parts.headers["transfer-encoding"] == "chunked"
    assert parts.content == whole.content
    assert parts.headers.get("etag") == whole.headers.get("etag")


def test_a_day_costs_its_tokens_at_list_prices(ada: httpx.Client) -> None:
    found = costs(ada)

    by_day = {row["date"]: row["cost_usd"] for row in found["data"]}
    # Sonnet: 1007 x 3 + 205 x 15 + 500 x 0.30 + 30 x 3.75 = 6358.5 microdollars; Haiku:
    # 300 x 1 + 20 x 5 of Bob, 100 x 1 + 10 x 5 of the program. Thursday: 10 x 3.
    assert by_day["2026-11-17"] == "0.0069085"
    assert by_day["2026-11-18"] == "0.00"
    assert by_day["2026-11-19"] == "0.00003"
    tuesday = found["data"][0]
    assert [(each["model_id"], each["cost_usd"]) for each in tuesday["by_model"]] == [
        ("claude-sonnet-4-5", "0.0063585"),
        ("claude-haiku-4-5", "0.00055"),
    ]
    totals = found["meta"]["totals"]
    assert (totals["cost_usd"], totals["is_complete"]) == ("0.0069385", True)
    assert found["meta"]["unknown_models"] == []


def test_credits_and_tokens_are_those_of_the_reports(ada: httpx.Client) -> None:
    rows = costs(ada)["data"]
    reported = ada.get("/api/v1/analytics/tokens", params=SPAN).json()["data"]

    names = ("date", "billable_tokens", *COUNTERS)
    assert [[row[name] for name in names] for row in rows] == [
        [row[name] for name in names] for row in reported
    ]


@pytest.mark.parametrize("group_by", ["model", "user", "agent", "repository", "team"])
def test_groups_add_up_to_the_day(ada: httpx.Client, group_by: str) -> None:
    whole = {row["date"]: row for row in costs(ada)["data"]}
    parts = costs(ada, group_by=group_by)

    for at, row in whole.items():
        mine = [part for part in parts["data"] if part["date"] == at]
        assert sum(Decimal(part["cost_usd"]) for part in mine) == Decimal(row["cost_usd"])
        for name in ("billable_tokens", *COUNTERS):
            assert sum(part[name] for part in mine) == row[name]
    assert parts["meta"] == costs(ada)["meta"]


@pytest.mark.both_databases
def test_rows_of_users_name_them(ada: httpx.Client) -> None:
    rows = [row for row in costs(ada, group_by="user")["data"] if row["date"] == "2026-11-17"]

    by_user = {row["user_email"]: row["cost_usd"] for row in rows}
    assert by_user == {"ada@example.com": "0.0063585", "bob@example.com": "0.0004", None: "0.00015"}
    assert all(row["group_key"].startswith(("user_", "svc_")) for row in rows)


def test_people_are_shown_as_the_organization_has_decided(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    whole = costs(ada)["meta"]
    mode = "/api/platform/v1/privacy"
    assert ada.put(mode, json={"mode": "pseudonymous"}).status_code == 200
    hidden = costs(ada, group_by="user")
    assert ada.put(mode, json={"mode": "team-only"}).status_code == 200
    refused = ada.get(COSTS, params=SPAN | {"group_by": "user"})
    pooled = costs(ada, group_by="team")

    assert {row["user_email"] for row in hidden["data"]} == {None}
    assert {row["group_key"][:4] for row in hidden["data"]} <= {"anon", "svc_"}
    assert (refused.status_code, refused.json()["metadata"]["code"]) == (403, "privacy_mode")
    assert pooled["data"] == []
    assert hidden["meta"] == pooled["meta"] == whole


def test_a_model_without_a_price_costs_null_and_is_listed_never_free(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    call = an_event(kind="model_call", model="house-7", input_tokens=40, **HOUSE)
    qwen = an_event(kind="model_call", model="qwen-local", output_tokens=8, **HOUSE)
    with any_server.client(acme.key) as client:
        day.send(client, [call, qwen])

    found = costs(ada)

    [thursday] = [row for row in found["data"] if row["date"] == "2026-11-19"]
    assert thursday["unknown_models"] == ["house-7", "qwen-local"]
    assert (thursday["cost_usd"], thursday["is_complete"]) == ("0.00003", False)
    assert {each["model_id"]: each["cost_usd"] for each in thursday["by_model"]} == {
        "claude-sonnet-4-5": "0.00003",
        "house-7": None,
        "qwen-local": None,
    }
    assert found["meta"]["totals"]["is_complete"] is False
    [house, listed] = found["meta"]["unknown_models"]
    assert house == {
        "model_id": "house-7",
        "is_on_card": False,
        "missing": ["input"],
        "days": 1,
        "last_day": "2026-11-19",
        "calls": 1,
        "billable_tokens": 40,
        "input_tokens": 40,
        "output_tokens": 0,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
    }
    assert (listed["is_on_card"], listed["missing"]) == (True, ["output"])
    alone = costs(ada, group_by="model")["data"]
    assert [row["cost_usd"] for row in alone if row["group_key"] == "house-7"] == [None]


def test_a_rate_is_told_with_the_line_it_comes_from(ada: httpx.Client) -> None:
    ask = {"model": "gpt-5.6-terra", "day": "2026-07-29"}
    [before] = ada.get(f"{COSTS}/rates", params=ask).json()["rates"]
    [after] = ada.get(f"{COSTS}/rates", params=ask | {"day": "2026-07-30"}).json()["rates"]
    [unknown] = ada.get(f"{COSTS}/rates", params={"model": "house-7"}).json()["rates"]
    everything = ada.get(f"{COSTS}/rates").json()

    assert (before["source"], before["since"], before["usd"]["input"]) == (
        "built-in",
        None,
        "2.50",
    )
    assert (after["since"], after["usd"]["input"], after["usd"]["context_max"]) == (
        "2026-07-30",
        "2.00",
        272_000,
    )
    assert before["line"] is None
    assert after["usd"]["above"] == [
        {
            "tokens": 272_000,
            "input": "4.00",
            "output": "18.00",
            "cache_read": "0.40",
            "cache_write": "5.00",
            "cache_write_1h": None,
        }
    ]
    assert after["usd"]["flex"]["input"] == "1.00"
    assert (unknown["source"], unknown["multiplier"], unknown["usd"]) == (None, "1.000", None)
    assert everything["day"] == "2026-11-21"
    assert len(everything["rates"]) > 60


def what_if(client: httpx.Client, card: str, **fields: str) -> httpx.Response:
    return client.post(f"{COSTS}/what-if", json=SPAN | {"card": card} | fields)


def test_another_card_is_compared_by_day_and_model_from_its_utc_day_on(ada: httpx.Client) -> None:
    found = what_if(ada, TWICE).json()

    rows = {(row["date"], row["model_id"]): row for row in found["data"]}
    tuesday = rows["2026-11-17", "claude-sonnet-4-5"]
    assert (tuesday["billable_tokens_now"], tuesday["billable_tokens_difference"]) == (1550, 0)
    thursday = rows["2026-11-19", "claude-sonnet-4-5"]
    assert [thursday[f"billable_tokens_{side}"] for side in ("now", "then")] == [12, 24]
    assert [thursday[f"cost_usd_{side}"] for side in ("now", "then", "difference")] == [
        "0.00003",
        "0.00006",
        "0.00003",
    ]
    totals = found["meta"]["totals"]
    assert totals["billable_tokens_difference"] == 12
    assert totals["cost_usd_difference"] == "0.00003"
    assert totals["is_exact"]


def test_credits_are_replayed_call_by_call(ada: httpx.Client) -> None:
    half = (
        '[[families]]\nprefixes = ["claude-sonnet-4-5"]\n'
        "steps = [{ from = 2025-01-01, multiplier = 0.001 }]"
    )

    found = what_if(ada, half, endDate="2026-11-17").json()

    rows = {row["model_id"]: row for row in found["data"]}
    # 1.28 and 0.012 of the two calls; their sum would round to 1 as well, of a tenth it would not.
    assert rows["claude-sonnet-4-5"]["billable_tokens_then"] == 1
    assert rows["claude-haiku-4-5"]["billable_tokens_difference"] == 0
    # A family without dollars changes the credits alone.
    assert rows["claude-sonnet-4-5"]["cost_usd_difference"] == "0.00"
    assert found["meta"]["unknown_models"] == []


@pytest.mark.both_databases
def test_a_comparison_stores_nothing(ada: httpx.Client) -> None:
    before = ada.get("/api/v1/analytics/tokens", params=SPAN)

    assert what_if(ada, TWICE).status_code == 200

    after = ada.get("/api/v1/analytics/tokens", params=SPAN)
    assert (after.content, after.headers["ETag"]) == (before.content, before.headers["ETag"])


@pytest.mark.parametrize(
    ("card", "code", "why"),
    [
        ("families = 3", "bad_rates", "$.families"),
        (TWICE.replace("2.4", "nan"), "bad_rates", "families[0] (line 2).steps[1].multiplier"),
        (TWICE.replace("= 6,", "= -6,"), "bad_rates", "steps[1].usd.input"),
        ("x = " + "[\n" * 10_000, "bad_rates", "nested too deeply"),
        ("#" * 200_000, "bad_request", "card"),
    ],
    ids=["no card", "NaN", "negative", "deep", "long"],
)
def test_a_card_that_cannot_be_meant_is_refused(
    ada: httpx.Client, card: str, code: str, why: str
) -> None:
    refused = what_if(ada, card)

    assert refused.status_code == 400, refused.text
    assert refused.json()["metadata"]["code"] == code
    assert why in refused.text


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "missing_date"),
        ({"startDate": "2026-11-20", "endDate": "2026-11-21"}, "date_not_available"),
        ({"startDate": "2026-11-20", "endDate": "2026-11-19"}, "invalid_range"),
        (
            {"startDate": "2026-01-01", "endDate": "2026-11-19", "group_by": "user"},
            "range_too_long",
        ),
    ],
)
def test_ranges_have_the_rules_of_the_reports(
    ada: httpx.Client, params: dict[str, str], code: str
) -> None:
    refused = ada.get(COSTS, params=params)

    assert (refused.status_code, refused.json()["metadata"]["code"]) == (400, code)


def test_a_comparison_is_of_31_days_at_most(ada: httpx.Client) -> None:
    refused = what_if(ada, TWICE, startDate="2026-10-01")

    assert refused.json()["metadata"]["code"] == "range_too_long"


@pytest.mark.both_databases
def test_days_that_an_older_version_counted_are_counted_again_for_their_dollars(
    any_server: Server, ada: httpx.Client
) -> None:
    before = costs(ada)
    db = any_server.services.db
    with db.transaction() as connection:
        for row in connection.execute(select(day_slices)).mappings().all():
            tables = {name: packing.read(table) for name, table in unpack(row["body"]).items()}
            older = packing.pack({name: tables[name] for name in tables if name != "costs"})
            of_day = day_slices.c.org_id == row["org_id"], day_slices.c.day == row["day"]
            connection.execute(update(day_slices).where(*of_day).values(body=older))
        connection.execute(update(day_facts).values(form=1))

    assert costs(ada) == before
    assert before["meta"]["totals"]["is_per_call"]
