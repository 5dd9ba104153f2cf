"""Exported counters and spans: one event for what several deliveries report."""

from __future__ import annotations

from typing import Any

import pytest

from stationmaster.agents.interface import Intake, Point, Span
from tests.agents.builders import (
    AT_MS,
    SESSION,
    agent,
    point,
    resource,
    span,
)


def test_token_counters_of_one_export_are_one_call_in_any_order():
    points = [
        point("claude_code.token.usage", value, type=kind, model="m", session__id=SESSION)
        for kind, value in (("output", 4), ("input", 3), ("cacheCreation", 6), ("cacheRead", 5))
    ]
    for order in (points, points[::-1]):
        intake = Intake()
        agent("claude-code").points(resource("claude-code"), order, intake)
        [call] = intake.events
        assert (call.input_tokens, call.output_tokens) == (3, 4)
        assert (call.cache_read_tokens, call.cache_write_tokens) == (5, 6)
        assert call.is_aggregate


def test_cumulative_and_impossible_points():
    intake = Intake()
    points = [
        point("claude_code.token.usage", 3, is_delta=False, type="unheard of"),
        point("claude_code.token.usage", -3, type="input"),
        point("claude_code.commit.count", 0),
        point("claude_code.commit.count", float("inf")),
    ]
    agent("claude-code").points(resource("claude-code"), points, intake)
    assert intake.drops == {"unknown_record": 1, "not_counted": 2, "invalid": 1}


def cumulative(value: float, start_ms: int, time_ms: int, kind: str = "input") -> Point:
    made = point("claude_code.token.usage", value, is_delta=False, model="m", type=kind)
    made.start_ms, made.time_ms = start_ms, time_ms
    made.attributes["session.id"] = SESSION
    return made


def test_a_cumulative_counter_is_one_event_with_its_largest_figure():
    intake = Intake()
    exports = [
        [cumulative(10, AT_MS, AT_MS + 5), cumulative(4, AT_MS + 1, AT_MS + 5, "output")],
        [cumulative(30, AT_MS, AT_MS + 10), cumulative(9, AT_MS + 1, AT_MS + 10, "output")],
        [cumulative(30, AT_MS, AT_MS + 15), cumulative(9, AT_MS + 1, AT_MS + 15, "output")],
    ]
    for points in exports:
        agent("claude-code").points(resource("claude-code"), points, intake)
    figures = sorted((e.input_tokens or 0, e.output_tokens or 0, e.ts) for e in intake.events)
    assert figures == [(0, 9, AT_MS + 1), (30, 0, AT_MS)]
    assert all(e.is_aggregate and e.quality == "spread" for e in intake.events)


def test_a_cumulative_counter_that_began_anew_is_another_event():
    intake = Intake()
    points = [cumulative(30, AT_MS, AT_MS + 5), cumulative(2, AT_MS + 9, AT_MS + 10)]
    agent("claude-code").points(resource("claude-code"), points, intake)
    assert sorted(e.input_tokens for e in intake.events) == [2, 30]


def test_a_delta_counter_is_an_event_for_every_export():
    intake = Intake()
    for n in range(2):
        made = cumulative(10, AT_MS + n, AT_MS + n + 1)
        made.is_delta = True
        agent("claude-code").points(resource("claude-code"), [made], intake)
    assert [e.input_tokens for e in intake.events] == [10, 10]


def child_span(name: str, **attributes: Any) -> Span:
    made = span(f"claude_code.tool.{name}", **attributes)
    made.span_id, made.parent_id = "c" * 16, "b" * 16
    return made


@pytest.mark.parametrize("tool_use_id", [{}, {"tool_use_id": "toolu_1"}])
def test_a_tool_span_that_waited_in_vain_was_refused(tool_use_id):
    intake = Intake()
    spans = [
        child_span("blocked_on_user", decision="reject", source="user_reject"),
        span("claude_code.tool", tool_name="Bash", **tool_use_id),
    ]
    for one in spans:
        agent("claude-code").span(resource("claude-code"), one, intake)
    [call] = intake.events
    assert (call.tool_raw, call.decision, call.decision_source) == ("Bash", "reject", "user")
    assert call.success is False


def test_a_refusal_and_its_tool_span_in_two_deliveries_have_one_id():
    ids = []
    for one in (
        child_span("blocked_on_user", decision="reject"),
        span("claude_code.tool", tool_name="Bash"),
    ):
        intake = Intake()
        agent("claude-code").span(resource("claude-code"), one, intake)
        ids += [event.event_id for event in intake.events]
    assert len(ids) == 2
    assert len(set(ids)) == 1


@pytest.mark.parametrize("tool_use_id", [{}, {"tool_use_id": "toolu_1"}])
def test_the_span_of_an_execution_says_how_it_ended(tool_use_id):
    intake = Intake()
    for one in (
        child_span("blocked_on_user", decision="accept", source="config"),
        child_span("execution", success=False, **tool_use_id),
        span("claude_code.tool", tool_name="Bash", duration_ms=7, **tool_use_id),
    ):
        agent("claude-code").span(resource("claude-code"), one, intake)
    [call] = intake.events
    assert (call.tool_raw, call.success, call.duration_ms) == ("Bash", False, 7)


def test_failed_request_span_is_no_call():
    intake = Intake()
    agent("claude-code").span(
        resource("claude-code"), span("claude_code.llm_request", success=False), intake
    )
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})
