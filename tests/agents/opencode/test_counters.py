"""The counters of a plugin: each export tells its part, or all since the process began."""

from __future__ import annotations

import itertools

import pytest

from stationmaster.agents.interface import Intake, Point
from stationmaster.agents.opencode.agent import AGENT
from tests.agents.builders import resource
from tests.agents.counting import counted, facts
from tests.support.talks import Talk, answer, forwarded, hooked, session

SESSION = session()["id"]
START_MS = 1_795_226_000_000
MINUTE_MS = 60_000


def point(kind, value, minute=1, is_delta=False, name="opencode.token.usage", **more):
    attributes = {
        "session.id": SESSION,
        "project.id": "p",
        "model": "claude-sonnet-4-5",
        "agent": "build",
        **({"type": kind} if kind else {}),
        **more,
    }
    start = START_MS + (minute - 1) * MINUTE_MS if is_delta else START_MS
    at = START_MS + minute * MINUTE_MS
    return Point(name, value, is_delta, start, at, attributes, f"{name}{attributes}")


def usage(minute, *figures, **more):
    kinds = ("input", "output", "reasoning", "cacheRead", "cacheCreation")
    return [point(kind, value, minute, **more) for kind, value in zip(kinds, figures, strict=True)]


def told(*exports):
    intake = Intake()
    for points in exports:
        one = Intake()
        AGENT.points(resource("opencode"), points, one)
        for event in one.events:
            intake.add(event)
        for reason, count in one.drops.items():
            intake.drop(reason, count)
        intake.invalid += one.invalid
    return intake


def test_an_export_is_one_aggregate_of_all_its_types():
    [event] = told(usage(1, 10, 20, 3, 40, 50)).events
    assert (event.input_tokens, event.output_tokens, event.reasoning_tokens) == (10, 23, 3)
    assert (event.cache_read_tokens, event.cache_write_tokens) == (40, 50)
    assert (event.is_aggregate, event.session_id, event.model) == (
        True,
        SESSION,
        "claude-sonnet-4-5",
    )


def test_parts_add_up_and_a_part_that_comes_again_does_not():
    first, second = usage(1, 1, 2, 0, 4, 5, is_delta=True), usage(2, 1, 2, 0, 4, 5, is_delta=True)
    totals = facts(counted(told(first, second, first).events))
    assert (totals["input"], totals["output"], totals["cache_read"]) == (2, 4, 8)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_of_totals_the_last_counts_in_whatever_order_they_come(order):
    exports = [
        usage(1, 1, 2, 0, 4, 5),
        usage(2, 10, 20, 3, 40, 50),
        usage(3, 100, 200, 3, 400, 50),
    ]
    [event] = told(*(exports[number] for number in order)).events
    assert (event.input_tokens, event.output_tokens, event.cache_read_tokens) == (100, 203, 400)
    assert event.ts == START_MS


def test_several_totals_in_one_delivery_are_one():
    [event] = told([*usage(1, 1, 2, 0, 4, 5), *usage(2, 10, 20, 3, 40, 50)]).events
    assert event.output_tokens == 23


def test_totals_of_two_processes_and_of_two_models_add_up():
    later = usage(9, 1, 2, 0, 0, 0)
    for one in later:
        one.start_ms += 5 * MINUTE_MS
    other = usage(1, 1, 2, 0, 0, 0, model="gpt-5")
    assert facts(counted(told(usage(1, 1, 2, 0, 0, 0), later, other).events))["output"] == 6


def test_counters_count_only_where_nothing_else_came():
    hooks = hooked(forwarded(Talk(session(), [answer()]))).events
    counters = told(usage(1, 10, 20, 3, 40, 50)).events
    assert facts(counted(hooks + counters))["output"] == 23


@pytest.mark.parametrize("is_delta", [True, False])
def test_commits_are_counted(is_delta):
    name = "opencode.commit.count"
    exports = [[point(None, n, n, is_delta, name)] for n in (1, 2, 2)]
    assert facts(counted(told(*exports).events))["commits"] == (3 if is_delta else 2)


@pytest.mark.parametrize("prefix", ["opencode.", "claude_code.", "acme.", ""])
def test_a_counter_is_known_with_any_prefix(prefix):
    assert len(told([point("input", 5, name=f"{prefix}token.usage")]).events) == 1


@pytest.mark.parametrize(
    "name", ["opencode.cost.usage", "opencode.tool.duration", "opencode.session.token.total"]
)
def test_other_metrics_are_not_counted(name):
    intake = told([point(None, 5, name=name)])
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


@pytest.mark.parametrize("value", [-1, 0.5, float("nan"), float("inf"), 2**62])
def test_an_impossible_point_is_rejected_by_itself(value):
    intake = told([point("input", value), *usage(1, 10, 20, 3, 40, 50, agent="plan")])
    assert len(intake.invalid) == 1
    assert [event.input_tokens for event in intake.events] == [10]


def test_a_type_that_nobody_knows_and_figures_of_nothing_make_no_event():
    assert told([point("imagined", 5)]).events == []
    assert told(usage(1, 0, 0, 0, 0, 0)).events == []


def test_a_counter_without_a_session_is_marked():
    [event] = told([point("input", 5, **{"session.id": None})]).events
    assert (event.session_id, event.quality) == (None, "no_session")
