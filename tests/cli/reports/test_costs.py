"""`costs` and its commands, and what a changed card does to days that are counted."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tests.support import sessions
from tests.support.commands import command, succeed

HALF = """[[families]]
prefixes = ["claude-sonnet-4-5"]
steps = [{ from = 2025-01-01, multiplier = 0.6, usd = { input = 1.50, output = 7.50, cache_read = 0.15, cache_write = 1.875 } }]
"""  # noqa: E501 - as a person writes it


@pytest.fixture
def folder(made: dict[str, str], tmp_path: Path) -> tuple[str, str]:
    """A data folder with one session of Claude Code."""
    sessions.a_session(tmp_path / "home")
    succeed("collect", "--home", tmp_path / "home", "--data-dir", made["data"])
    return "--data-dir", made["data"]


@pytest.fixture
def card(tmp_path: Path) -> Path:
    file = tmp_path / "half.toml"
    file.write_text(HALF)
    return file


def of_sonnet(found: dict[str, Any]) -> dict[str, Any]:
    [row] = [row for row in found["data"] if row["billable_tokens"]]
    assert row["group_key"] == "claude-sonnet-4-5"
    return dict(row)


def in_micros(row: dict[str, Any], *prices: int) -> int:
    counters = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return sum(row[name] * price for name, price in zip(counters, prices, strict=True))


def test_costs_are_shown_as_a_table_as_csv_and_as_json(folder: tuple[str, str]) -> None:
    row = of_sonnet(succeed("costs", "--group-by", "model", *folder))
    table = command("costs", *folder).stdout.decode()
    text = command("costs", "--group-by", "model", "--csv", *folder).stdout.decode()

    hundredths = in_micros(row, 300, 1500, 30, 375)
    assert float(row["cost_usd"]) == hundredths / 10**8
    assert f"${float(row['cost_usd']):,.4f}" in table
    assert "total" in table
    [line] = [each for each in csv.DictReader(io.StringIO(text)) if each["cost_usd"] != "0.00"]
    assert (line["group_key"], line["cost_usd"]) == ("claude-sonnet-4-5", row["cost_usd"])


def test_a_table_of_groups_has_one_row_for_each(folder: tuple[str, str]) -> None:
    table = command("costs", "--group-by", "user", *folder).stdout.decode()

    assert len([line for line in table.splitlines() if "owner@localhost" in line]) == 1


def test_a_model_without_a_price_is_named_with_what_is_missing(
    made: dict[str, str], tmp_path: Path
) -> None:
    session = sessions.a_session(tmp_path / "home")
    session.write_bytes(session.read_bytes().replace(b"claude-sonnet-4-5", b"mystery-9"))
    succeed("collect", "--home", tmp_path / "home", "--data-dir", made["data"])

    done = command("costs", "--data-dir", made["data"])

    assert done.code == 0
    assert "unknown" in done.stdout.decode()
    assert "Not included: 1 model without a complete price (mystery-9)." in done.stderr
    assert done.stderr.splitlines()[0].startswith("Prices as of 2026-")
    assert len(done.stderr.splitlines()) == 2
    wide = command("costs", "--wide", "--data-dir", made["data"]).stdout.decode()
    assert wide.splitlines()[-1].split()[:3] == ["mystery-9", "input,", "output"]


def test_a_rate_is_shown_with_its_card_and_line(
    folder: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("half.toml").write_text(HALF)
    own = {"STATIONMASTER_RATE_CARD": "half.toml"}

    built_in = command("costs", "rates", "gpt-5", *folder).stdout.decode()
    ours = command("costs", "rates", "claude-sonnet-4-5", *folder, env=own).stdout.decode()
    nobody = command("costs", "rates", "mystery-9", *folder)

    assert "built-in" in built_in
    assert "half.toml:1" in ours
    assert "No price list has this model" in nobody.stderr


def test_another_card_is_compared_without_changing_anything(
    folder: tuple[str, str], card: Path
) -> None:
    before = succeed("costs", *folder)

    found = succeed("costs", "what-if", "--card", card, *folder)
    table = command("costs", "what-if", "--card", card, *folder).stdout.decode()

    totals = found["meta"]["totals"]
    assert float(totals["cost_usd_then"]) * 2 == float(totals["cost_usd_now"])
    assert totals["billable_tokens_now"] > totals["billable_tokens_then"] > 0
    assert totals["is_exact"]
    assert str(totals["billable_tokens_then"]) in table
    assert succeed("costs", *folder) == before


def test_days_are_counted_again_by_a_changed_card(folder: tuple[str, str], card: Path) -> None:
    counted = of_sonnet(succeed("costs", "--group-by", "model", *folder))
    replayed = succeed("costs", "what-if", "--card", card, *folder)["meta"]["totals"]
    own = {"STATIONMASTER_RATE_CARD": str(card)}

    changed = succeed("rollup", *folder, env=own)["days"]
    restated = of_sonnet(succeed("costs", "--group-by", "model", *folder, env=own))
    again = succeed("rollup", *folder)["days"]
    back = of_sonnet(succeed("costs", "--group-by", "model", *folder))

    assert restated["cost_usd"] == replayed["cost_usd_then"]
    assert float(restated["cost_usd"]) * 2 == float(counted["cost_usd"])
    assert restated["billable_tokens"] == replayed["billable_tokens_then"]
    assert len(changed) == len(again) == 1
    assert back == counted


def test_a_card_that_does_not_read_stops_a_command_with_its_place(
    made: dict[str, str], card: Path
) -> None:
    card.write_text(HALF.replace("0.6", "-1"))

    done = command("costs", "--data-dir", made["data"], env={"STATIONMASTER_RATE_CARD": str(card)})

    assert str(card) in done.error
    assert "families[0] (line 1).steps[0].multiplier" in done.error
