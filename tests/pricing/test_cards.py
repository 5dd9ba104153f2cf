from __future__ import annotations

import logging
import os
from datetime import date
from pathlib import Path

import pytest

from stationmaster.pricing import cards

DAY = date(2026, 11, 22)


def card(multiplier: str) -> str:
    steps = f"steps = [{{ from = 2026-01-01, multiplier = {multiplier} }}]"
    return f'[[families]]\nprefixes = ["a-"]\n{steps}\n'


def test_a_changed_card_is_read_again_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(card("1"))
    first = cards.read(file)
    file.write_text(card("2.5"))

    second = cards.read(file)

    assert first.card.rate("a-1", "standard", DAY).multiplier_milli == 1000
    assert second.card.rate("a-1", "standard", DAY).multiplier_milli == 2500
    assert first.digest != second.digest
    assert cards.read(file) is second


def test_a_card_that_no_longer_reads_stays_as_it_was_read_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(card("3"))
    before = cards.read(file)
    file.write_text("families = 3")

    with caplog.at_level(logging.ERROR):
        assert cards.read(file) is before
        assert cards.read(file) is before
    assert len(caplog.records) == 1

    os.remove(file)
    assert cards.read(file) is before
