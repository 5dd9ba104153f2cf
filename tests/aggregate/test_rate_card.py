"""Credits of a day by an installation's own card."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.aggregate import lakes
from tests.aggregate.lakes import DAY, NOON, event, rolled_up, settings

ORG = OrgId("org_money")
_CARD = """
[[families]]
prefixes = ["house-"]
tier = "thinking"
steps = [{ from = 2025-01-01, multiplier = 3 }]

[[families]]
prefixes = ["house-"]
steps = [
  { from = 2025-01-01, multiplier = 1, cache_read = 0.025, cache_write = 1.25 },
  { from = 2026-11-11, multiplier = 2 },
]
"""


def card_at(tmp_path: Path, text: str = _CARD) -> Path:
    file = tmp_path / "rates.toml"
    file.write_text(text)
    return file


def test_a_days_calls_weigh_by_tier_and_by_the_cards_weights_of_the_cache(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path, rate_card=card_at(tmp_path))
    calls = [
        event("model_call", model="house-1", model_tier="thinking", input_tokens=10),
        event("model_call", model="house-1", model_tier="standard", input_tokens=10),
        event("model_call", model="house-1", cache_read_tokens=1000, cache_write_tokens=8),
        event("model_call", model="elsewhere", input_tokens=7),
        event("model_call", model="elsewhere", model_tier="thinking", input_tokens=7),
    ]

    result = rolled_up(db, config, ORG, calls)

    [house, elsewhere] = lakes.document(db, ORG, "tokens")["by_model"]
    assert (house["model_id"], house["billable_tokens"]) == ("house-1", 30 + 10 + 25 + 10)
    assert (elsewhere["model_tier"], elsewhere["billable_tokens"]) == ("thinking", 14)
    assert result.unpriced == ("elsewhere",)


@pytest.mark.both_databases
def test_a_step_of_the_card_weighs_from_its_utc_day_on(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path, rate_card=card_at(tmp_path))
    next_day = DAY + timedelta(days=1)
    last = NOON + 12 * 3_600_000 - 1

    rolled_up(db, config, ORG, [event("model_call", model="house-1", ts=last, input_tokens=10)])
    rolled_up(
        db,
        config,
        ORG,
        [event("model_call", model="house-1", ts=last + 1, input_tokens=10)],
        next_day,
    )

    assert lakes.document(db, ORG, "tokens")["billable_tokens"] == 10
    assert lakes.document(db, ORG, "tokens", next_day)["billable_tokens"] == 20
