"""What the calls of a day cost: each by its own length, speed, tier and cache retention."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from stationmaster import clock, days
from stationmaster.aggregate import packing
from stationmaster.aggregate.slices import Slices, unpack
from stationmaster.analytics.spending import bills
from stationmaster.analytics.spending.bills import Bill
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from stationmaster.pricing.credits.price import Call, call_cost, mode_of
from stationmaster.pricing.credits.rates import card
from stationmaster.settings import Settings
from tests.aggregate.lakes import DAY, event, rolled_up, settings
from tests.support import recordings, tellings

ORG = OrgId("org_prices")
_NEW = ("costs", "without_price")
_numbers = count(1)
RECORDED = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
CACHED = {"cache_write_tokens": 100_000, "cache_write_1h_tokens": 100_000}


def call(model: str, **fields: Any) -> Event:
    return event("model_call", model=model, **fields)


def billed(db: Database, config: Settings, org: OrgId, events: list[Event]) -> dict[str, Bill]:
    """What a day of these events cost, by model."""
    rolled_up(db, config, org, events)
    [(_, body)] = serving.slices(db, org, DAY, DAY)
    return {
        share.model: share.bill
        for share in bills.of_slices(unpack(body), unpack(body), None, card(), DAY)
    }


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        # 150,000 x 0.50 + 1,000 x 2.50: the input is above 100,000, so the whole call costs more.
        (call("claude-haiku-5-5", input_tokens=150_000, output_tokens=1_000), "0.0775"),
        # 300,000 x 6 + 1,000 x 22.50 of a call above 200,000
        (call("claude-sonnet-4-5", input_tokens=300_000, output_tokens=1_000), "1.8225"),
        # (1,000 x 4 + 1,000 x 20) x 2
        (
            call("claude-opus-5-5", input_tokens=1_000, output_tokens=1_000, speed="fast"),
            "0.048",
        ),
        # 100,000 x 8 instead of 5
        (call("claude-opus-5-5", output_tokens=0, **CACHED), "0.80"),
        (call("claude-fable-5-2", input_tokens=100_000, output_tokens=1_000), "0.84"),
        # 100,000 x 4 + 1,000 x 20
        (call("gpt-5.6", input_tokens=100_000, output_tokens=1_000), "0.42"),
        # A tenth more in a region
        (
            call("claude-opus-5-5", region="jp", input_tokens=100_000, output_tokens=1_000),
            "0.462",
        ),
    ],
    ids=lambda each: getattr(each, "model", None),
)
def test_a_call_costs_what_its_own_figures_say(
    db: Database, tmp_path: Path, made: Event, expected: str
) -> None:
    [bill] = billed(db, settings(tmp_path), ORG, [made]).values()

    assert bill.cost_usd == expected
    assert (bill.is_complete, bill.reasons, bill.calls) == (True, set(), 1)


@st.composite
def _calls(draw: st.DrawFn) -> Event:
    tokens = st.sampled_from([None, 0, 1, 7, 99_999, 100_000, 150_001, 200_001, 272_001, 10**9])
    writes = draw(tokens)
    return call(
        draw(
            st.sampled_from(
                ["claude-haiku-5-5", "claude-sonnet-4-5", "claude-opus-5-5", "gpt-5.5", "house-1"]
            )
        ),
        model_tier=draw(st.sampled_from([None, "standard", "thinking"])),
        speed=draw(st.sampled_from([None, None, "fast", "slow"])),
        service_tier=draw(st.sampled_from([None, "standard", "default", "priority", "flex", "x"])),
        region=draw(st.sampled_from([None, None, "us", "jp"])),
        input_tokens=draw(tokens),
        output_tokens=draw(tokens),
        cache_read_tokens=draw(tokens),
        cache_write_tokens=writes,
        cache_write_1h_tokens=draw(st.sampled_from([None, 0, writes and writes // 3, writes])),
    )


def _plain(made: Event) -> int | None:
    """The cost of a call by the one function that says what a call costs."""
    mode = mode_of(made.speed, made.service_tier)
    price = card().rate(made.model or "", made.model_tier or "standard", DAY, made.region).usd
    figures = Call(
        made.input_tokens or 0,
        made.output_tokens or 0,
        made.cache_read_tokens or 0,
        made.cache_write_tokens or 0,
        min(made.cache_write_1h_tokens or 0, made.cache_write_tokens or 0),
    )
    return call_cost(None if mode is None else price, figures._replace(mode=mode or "standard"))


@hypothesis_settings(
    max_examples=6,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(made=st.lists(_calls(), min_size=40, max_size=60))
def test_every_call_is_priced_as_the_rule_says(
    db: Database, tmp_path: Path, made: list[Event]
) -> None:
    found = billed(db, settings(tmp_path), OrgId(f"org_{next(_numbers)}"), made)

    costs = {model: [_plain(each) for each in made if each.model == model] for model in found}
    assert {model: bill.amount for model, bill in found.items()} == {
        model: sum(cost or 0 for cost in each) for model, each in costs.items()
    }
    assert {model: bill.unpriced_calls for model, bill in found.items()} == {
        model: each.count(None) for model, each in costs.items()
    }


@pytest.mark.both_databases
def test_counters_cost_the_lowest_tier_and_are_a_minimum_where_a_call_may_have_been_long(
    db: Database, tmp_path: Path
) -> None:
    def counter(model: str, tokens: int) -> Event:
        return call(model, input_tokens=tokens, output_tokens=0, is_aggregate=True)

    found = billed(
        db,
        settings(tmp_path),
        ORG,
        [
            counter("claude-haiku-5-5", 150_000),
            counter("claude-sonnet-4-5", 200_000),
            counter("claude-opus-5-5", 900_000),
        ],
    )

    assert found["claude-haiku-5-5"].cost_usd == "0.015"
    assert {model: bill.reasons for model, bill in found.items()} == {
        "claude-haiku-5-5": {"context_tier"},
        "claude-sonnet-4-5": set(),
        "claude-opus-5-5": set(),
    }
    assert {bill.calls for bill in found.values()} == {0}


def test_output_that_is_too_low_and_unknown_retention_make_a_minimum(
    db: Database, tmp_path: Path
) -> None:
    found = billed(
        db,
        settings(tmp_path),
        ORG,
        [
            call("claude-opus-5-5", output_tokens=3, quality="late,output_lower_bound"),
            call("claude-sonnet-4-5", cache_write_tokens=3),
            call("claude-haiku-4-5", cache_write_tokens=3, cache_write_1h_tokens=0),
            call("claude-haiku-5-5", cache_write_tokens=3, product="opencode"),
        ],
    )

    assert {model: bill.reasons for model, bill in found.items()} == {
        "claude-opus-5-5": {"output_lower_bound"},
        "claude-sonnet-4-5": {"cache_retention"},
        "claude-haiku-4-5": set(),
        "claude-haiku-5-5": set(),
    }


def test_an_agents_own_estimate_stands_beside_ours_of_the_same_calls(
    db: Database, tmp_path: Path
) -> None:
    made = [
        call("claude-opus-5-5", input_tokens=1_000, cost_usd=0.0041),
        call("claude-opus-5-5", input_tokens=2_000, cost_usd=0.1),
        call("claude-opus-5-5", input_tokens=4_000),
        call("claude-opus-5-5", input_tokens=8_000, cost_usd=float("inf")),
    ]

    [bill] = billed(db, settings(tmp_path), ORG, made).values()

    assert (bill.agent_calls, bill.calls) == (2, 4)
    assert Decimal(bill.agent_amount).scaleb(-12) == Decimal("0.1041")
    assert Decimal(bill.same_amount).scaleb(-12) == Decimal("0.012")
    assert bill.cost_usd == "0.06"


def test_a_tier_without_a_price_leaves_its_calls_out_and_says_so(
    db: Database, tmp_path: Path
) -> None:
    made = [
        call("claude-opus-5-5", input_tokens=1_000),
        call("claude-opus-5-5", input_tokens=500, output_tokens=1, service_tier="scale"),
    ]

    [bill] = billed(db, settings(tmp_path), ORG, made).values()

    assert (bill.cost_usd, bill.is_complete, bill.unpriced_calls) == ("0.004", False, 1)
    assert bill.missing == {"input", "output"}


def _largest(copies: list[Event]) -> Event:
    """One call of all its copies: the largest figures, and what any of them says besides."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    tokens = {name: max(getattr(each, name) or 0 for each in copies) for name in names}
    words = ("model", "model_tier", "region", "speed", "service_tier", "cache_write_1h_tokens")
    said = {
        name: next((value for each in copies if (value := getattr(each, name)) is not None), None)
        for name in words
    }
    return msgspec.structs.replace(copies[0], **tokens, **said)


@pytest.mark.parametrize("source", ["files", "logs"])
def test_recorded_sessions_cost_what_a_plain_sum_over_their_calls_says(
    db: Database, tmp_path: Path, source: str
) -> None:
    clock.freeze(datetime(2026, 12, 1, tzinfo=UTC))
    config, org = settings(tmp_path), OrgId(f"org_{next(_numbers)}")
    by_day: dict[date, list[Event]] = defaultdict(list)
    for name in (*recordings.EVERY, *recordings.VERSIONS):
        if source == "files":
            home = tmp_path / name
            shutil.copytree(recordings.folder(name) / "transcripts", home)
            for path in home.rglob("*"):  # What has no time of its own has that of its file.
                os.utime(path, (RECORDED, RECORDED))
            pieces = tellings.filed(recordings.VERSIONS.get(name, name), home)
        else:
            pieces = tellings.exported(name) if (recordings.folder(name) / "otlp").exists() else []
        for made in (each for piece in pieces for each in piece):
            if source == "files" or made.source == "otlp_logs":
                by_day[days.of_ms(made.ts)].append(made)

    costs: Counter[str] = Counter()
    for day, events in by_day.items():
        rolled_up(db, config, org, events, day)
        [(_, body)] = serving.slices(db, org, day, day)
        found = unpack(body)
        for share in bills.of_slices(found, found, None, card(), day):
            costs[share.model] += share.bill.amount

    copies: dict[str, list[Event]] = defaultdict(list)
    for made in (each for events in by_day.values() for each in events):
        if made.kind == "model_call":
            copies[made.event_id].append(made)
    plain: Counter[str] = Counter()
    for made in map(_largest, copies.values()):
        plain[made.model or "unknown"] += _plain(made) or 0
    assert costs == plain
    assert costs.total() > 0


@pytest.mark.both_databases
def test_a_day_of_an_older_version_is_priced_from_its_sums_and_says_so(
    db: Database, tmp_path: Path
) -> None:
    made = [call("claude-haiku-5-5", input_tokens=60_000, output_tokens=100) for _ in range(3)]
    rolled_up(db, settings(tmp_path), ORG, made)
    [(_, body)] = serving.slices(db, ORG, DAY, DAY)
    tables = {name: table for name, table in packing.unpack(body).items() if name not in _NEW}
    older = Slices(tables)

    [share] = bills.of_slices(older, older, None, card(), DAY)

    # 180,000 x 0.10 + 300 x 0.50: any of the calls may have been a long one.
    assert (share.bill.cost_usd, share.bill.is_per_call) == ("0.01815", False)
    assert share.bill.reasons == {"context_tier"}
