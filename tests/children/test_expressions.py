"""Every regular expression of the program takes about linear time, whatever text it meets."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.pumping import slow

ROOT = Path(__file__).parents[2]
CPU_S = 600
IS_WHOLE = bool(os.environ.get("STATIONMASTER_TEST_ALL"))
SHARDS = 4 if IS_WHOLE else 144
"""`make attack` tries all expressions, any other run every 144th: each takes a second of CPU."""
EXPRESSIONS_MIN = 1_000
UNREAD_MAX = 60
"""Calls whose pattern is put together from arguments: what they are made of is in tables, which
are collected."""
pytestmark = [pytest.mark.attack, pytest.mark.slow]


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


@cache
def _tried(shard: int) -> dict[str, list[str]]:
    """What the process of one shard answers: to collect the expressions takes it ten seconds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.pumping", str(shard), str(SHARDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limit,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2_000:]
    answer: dict[str, list[str]] = json.loads(done.stdout)
    return answer


@pytest.mark.timeout(2 * CPU_S)
def test_the_collector_finds_the_expressions_of_all_rooms() -> None:
    tried = _tried(0)
    assert len(tried["places"]) >= EXPRESSIONS_MIN
    assert len(tried["unread"]) <= UNREAD_MAX, tried["unread"]
    rooms = {place.split(".")[1].partition(":")[0] for place in tried["places"]}
    assert {"reading", "pipelines", "readiness", "wiki", "repos", "agents"} <= rooms


def test_an_expression_that_is_quadratic_is_noticed() -> None:
    assert slow(r"^\s*name\s*:", 8, ("search",)) is not None  # 8 is MULTILINE.
    assert slow(r'"(?:[^"\\]|\\.)*"', 0, ("finditer",)) is not None
    assert slow(r"<!--.*?-->", 16, ("finditer",)) is not None  # 16 is DOTALL.
    assert slow(r"(a+)+$", 0, ("match",)) is not None
    assert slow(r"^[ \t]*name[ \t]*:", 8, ("search",)) is None


@pytest.mark.timeout(2 * CPU_S)
@pytest.mark.parametrize("shard", range(SHARDS) if IS_WHOLE else [0])
def test_no_run_of_characters_makes_an_expression_slow(shard: int) -> None:
    faults = _tried(shard)["faults"]
    assert not faults, "\n".join(faults)
