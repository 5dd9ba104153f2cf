from __future__ import annotations

import pytest

from stationmaster.readiness.judging import overrides
from stationmaster.readiness.model import Evaluation, Override

FOUND = {
    "readme": Evaluation(1, 3, "two have none", "partial"),
    "license": Evaluation(1, 1, "LICENSE", "pass"),
}


def test_a_repository_may_pass_or_skip_a_criterion_with_a_reason_that_is_shown() -> None:
    settings = {"pass": {"readme": "in the\nhandbook"}, "skip": {"license": "private"}}

    decided, replaced = overrides.apply(FOUND, settings)

    assert decided["readme"].numerator == decided["readme"].denominator == 3
    assert decided["readme"].rationale.endswith(": in the handbook")
    assert decided["license"].state == "skipped"
    assert replaced["readme"] == Override("in the handbook", FOUND["readme"])
    assert overrides.undone(decided, replaced) == FOUND


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pass": {"readme": ""}},
        {"pass": {"readme": True}},
        {"pass": ["readme"]},
        {"pass": {"zeal": "x"}},
        {"pass": {"license": "it passes already"}},
        {"pass": None},
    ],
)
def test_what_has_no_reason_or_changes_nothing_is_left_alone(settings: dict[str, object]) -> None:
    assert overrides.apply(FOUND, settings) == (FOUND, {})
