"""Patterns that stand in tables of criteria take about linear time, whatever text they meet."""

from __future__ import annotations

import re

import pytest

from stationmaster.catalogue.families import families
from stationmaster.readiness.criteria import delivery, releases
from tests.support.pumping import slow

pytestmark = pytest.mark.attack
PINS = [row.pins for row in families().values() if row.pins]
PATTERNS = [
    *(pattern for _, pattern in delivery._CACHE_SIGNS),
    *(line.pattern for pins in PINS for line in (*pins.exact.lines, *pins.least.lines)),
    *(row.test for row in families().values() if row.test),
    *(pattern for pattern, _ in releases._ROLLOUT_SIGNS),
]


def test_long_runs_cost_no_more_than_other_text() -> None:
    faults = {pattern: fault for pattern in PATTERNS if (fault := slow(pattern, 0, ("search",)))}

    assert faults == {}


@pytest.mark.parametrize(
    "text",
    [
        "  strategy:\n    canary:\n",
        "  blueGreen:\r\n",
        "deploymentConfigName: CodeDeployDefault.LambdaCanary10Percent5Minutes",
        "- weight: 90\n  name: a\n- weight: 10\n",
        "  - dest: a\n    weight: 90\n  - dest: b\n    weight: 10\n",
    ],
)
def test_rollouts_in_steps_are_read(text: str) -> None:
    assert any(re.search(pattern, text) for pattern, _ in releases._ROLLOUT_SIGNS)
