from __future__ import annotations

import pytest

from stationmaster.agents.interface import Intake, Point
from tests.agents.builders import AT_MS, agent, of_kind, resource

USAGE = "gen_ai.client.inference.usage."
MODEL = {"gen_ai.response.model": "gpt-5", "gen_ai.provider.name": "github"}


def point(name, value, at=AT_MS, start=AT_MS - 60_000, is_delta=False, **attributes):
    known = {key.replace("__", "."): given for key, given in attributes.items()}
    series = name + repr(sorted(known.items()))
    return Point(name, value, is_delta, start, at, known, series)


def usage(figures, **fields):
    """One export of the counters of one process."""
    names = ("input_tokens", "output_tokens", "cache_read.input_tokens", "cache_write.input_tokens")
    return [
        point(USAGE + name, value, **fields, **MODEL)
        for name, value in zip(names, figures, strict=False)
    ]


def told(*exports, instance="copilot-otel-1-0"):
    intake = Intake()
    sender = resource("github-copilot", **{"service.instance.id": instance})
    for points in exports:
        agent("copilot-cli").points(sender, points, intake)
    return intake


def test_counters_of_one_export_are_one_call_in_any_order():
    points = usage((100, 7, 60, 10))
    for order in (points, points[::-1]):
        [call] = told(order).events
        assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (30, 60, 10)
        assert (call.output_tokens, call.model, call.is_aggregate) == (7, "gpt-5", True)
        assert (call.session_id, call.quality) == (None, "no_session")


def test_figure_that_grew_replaces_the_one_before_in_any_order():
    early, late = usage((100, 7, 60, 10)), usage((250, 9, 90, 20), at=AT_MS + 5)
    for exports in ((early, late), (late, early), (early, late, early)):
        [call] = told(*exports).events
        assert (call.input_tokens, call.output_tokens) == (140, 9)


def test_figures_of_one_delivery_are_as_far_as_the_process_got():
    points = usage((100, 7, 60, 10)) + usage((250, 9, 90, 20), at=AT_MS + 5)
    [call] = told(points).events
    assert (call.input_tokens, call.output_tokens) == (140, 9)


def test_process_that_began_later_counts_by_itself():
    first, second = usage((10, 1, 0, 0)), usage((10, 1, 0, 0), start=AT_MS - 1)
    assert len(told(first, second).events) == 2
    again = told(first, instance="copilot-otel-2-0").events
    assert again[0].event_id != told(first).events[0].event_id


def test_counter_that_began_a_moment_later_is_of_the_same_process():
    points = usage((100, 7))
    points[1].start_ms += 1
    [call] = told(points).events
    assert (call.input_tokens, call.output_tokens, call.ts) == (100, 7, AT_MS - 60_000)


def test_deltas_add_up():
    first = usage((10, 1, 0, 0), is_delta=True)
    second = usage((20, 2, 0, 0), is_delta=True, at=AT_MS + 5)
    calls = told(first, second, first).events
    assert sorted(call.input_tokens for call in calls) == [10, 20]


def test_series_of_calls_that_failed_is_no_call():
    assert told(usage((0, 0, 0, 0))).events == []


def test_older_counter_is_read_where_the_newer_ones_are_not():
    name = "gen_ai.client.token.usage"
    old = [
        point(name, value, gen_ai__token__type=kind, **MODEL)
        for kind, value in (("input", 100), ("output", 7), ("other", 5))
    ]
    [call] = told(old).events
    assert (call.input_tokens, call.output_tokens) == (100, 7)
    [call] = told(old + usage((50, 3))).events
    assert (call.input_tokens, call.output_tokens) == (50, 3)


def test_tool_calls_are_counted_by_name_and_success():
    counts = [
        point("github.copilot.tool.call.count", value, gen_ai__tool__name=tool, success=success)
        for tool, success, value in (("bash", True, 3), ("bash", False, 1), ("a-b", True, 2))
    ]
    calls = of_kind(told(counts), "tool_call")
    assert [(e.tool_raw, e.tool_kind, e.success, e.count) for e in calls] == [
        ("bash", "builtin", True, 3),
        ("bash", "builtin", False, 1),
        ("a-b", "mcp", True, 2),
    ]


def test_tool_count_that_grew_replaces_the_one_before():
    name = "github.copilot.tool.call.count"
    exports = [[point(name, value, gen_ai__tool__name="bash")] for value in (3, 8, 5)]
    [call] = told(*exports).events
    assert call.count == 8


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 1.5, 1e30])
def test_impossible_figures_are_refused_one_by_one(value):
    points = [*usage((10, 1)), point(USAGE + "cache_read.input_tokens", value, **MODEL)]
    points.append(point("github.copilot.tool.call.count", value, gen_ai__tool__name="x"))
    intake = told(points)
    assert len(intake.invalid) == 1
    assert [event.input_tokens for event in of_kind(intake, "model_call")] == [10]


def test_other_counters_are_dropped():
    points = [point("github.copilot.code.lines_added", 4), point(USAGE + "new", 4)]
    assert (told(points).events, told(points).drops) == ([], {"not_counted": 2})
