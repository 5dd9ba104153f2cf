"""When a budget refuses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stationmaster.budget_rules import allows_at_end, has_room


@pytest.mark.parametrize(
    ("amount", "taken", "price", "has"),
    [(10, 9, 1, True), (10, 9, 2, False), (10, 12, 0, True), (0, 0, 1, False)],
)
def test_what_fits_has_room_and_what_costs_nothing_fits_into_any(
    amount: int, taken: int, price: int, has: bool
) -> None:
    assert has_room(amount, taken, price) is has


def test_nothing_is_left_once_all_is_taken() -> None:
    assert has_room(10, 9)
    assert not has_room(10, 10)


@pytest.mark.parametrize(
    ("at_end", "model", "allows"),
    [
        ("warn", "a", True),
        ("refuse", "a", False),
        ("allow-models", "claude-haiku-4-5", True),
        ("allow-models", "us.anthropic.claude-haiku-4-5", True),
        ("allow-models", "claude-opus-5", False),
    ],
)
def test_a_budget_at_its_end_allows_what_its_rule_says(
    at_end: str, model: str, allows: bool
) -> None:
    assert allows_at_end(at_end, ["claude-haiku-*"], model) is allows


def test_the_rules_load_no_module_that_the_gate_does_without() -> None:
    code = "import sys, stationmaster.budget_rules; print({'re', 'typing'} & set(sys.modules))"
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "set()\n"
