"""Calls of models in a session file: which lines are one call, and what it is priced by."""

from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import (
    AT,
    SESSION,
    agent,
    assistant,
    of_kind,
    result,
    tool_use,
    user,
)
from tests.agents.claude_code.transcripts import progress, read, totals


def test_lines_of_one_call_count_once_with_the_largest_output():
    intake = read(assistant("a", 2), assistant("a", 9), assistant("a", 9), assistant("b", 4))
    assert totals(intake) == (2, 13)
    assert sum(call.input_tokens for call in of_kind(intake, "model_call")) == 6


def test_lines_of_one_call_with_results_in_between_count_once():
    intake = read(
        assistant("a", 1, tool_use("t1", "Read")),
        result("t1", {"type": "text"}),
        assistant("a", 8, tool_use("t2", "Grep")),
        assistant("b", 1),
        assistant("a", 8),
    )
    assert totals(intake) == (2, 9)
    assert [call.tool for call in of_kind(intake, "tool_call")] == ["read", "search"]


@pytest.mark.parametrize(("reason", "quality"), [(None, "output_lower_bound"), ("end_turn", None)])
def test_output_without_a_stop_reason_is_a_lower_bound(reason, quality):
    [call] = of_kind(read(assistant("a", 2, stop_reason=reason)), "model_call")
    assert call.quality == quality


def test_synthetic_and_error_messages_are_no_calls():
    synthetic = assistant("a", 2)
    synthetic["message"]["model"] = "<synthetic>"
    assert totals(read(synthetic, assistant("b", 2, isApiErrorMessage=True))) == (0, 0)


def test_copied_lines_of_a_resumed_session_have_the_same_identities():
    lines = [user("x", uuid="u1"), assistant("a", 2, tool_use("t1", "Read"))]
    copied = [{**line, "sessionId": "second"} for line in lines]
    kinds = ("user_message", "model_call", "tool_call")
    ids = [
        {event.event_id for event in read(*some).events if event.kind in kinds}
        for some in (lines, copied)
    ]
    assert ids[0] == ids[1]


def test_impossible_tokens_reject_their_line_only():
    wrong = assistant("a", -5)
    intake = read(wrong, assistant("b", 2))
    assert (totals(intake), intake.drops["invalid"]) == ((1, 2), 1)


def test_usage_says_what_a_call_is_priced_by():
    line = assistant("a", 2)
    line["message"]["usage"] |= {
        "cache_creation_input_tokens": 900,
        "cache_creation": {"ephemeral_1h_input_tokens": 600, "ephemeral_5m_input_tokens": 300},
        "speed": "fast",
        "service_tier": "priority",
        "inference_geo": "us",
    }
    [call] = of_kind(read(line), "model_call")
    assert (call.cache_write_tokens, call.cache_write_1h_tokens) == (900, 600)
    assert (call.speed, call.service_tier, call.region) == ("fast", "priority", "us")


def test_ordinary_usage_names_no_speed_and_no_region():
    line = assistant("a", 2)
    line["message"]["usage"] |= {"speed": "standard", "inference_geo": "", "cache_creation": None}
    [call] = of_kind(read(line), "model_call")
    assert (call.speed, call.region, call.cache_write_1h_tokens) == (None, None, None)


def test_bedrock_model_id_names_its_region():
    line = assistant("a", 2)
    line["message"]["model"] = "jp.anthropic.claude-opus-5-5"
    [call] = of_kind(read(line), "model_call")
    assert (call.model, call.region) == ("claude-opus-5-5", "jp")


REQUEST = "req_011CVG7wsYBiuQpsxqKFHzdh"


OTHER_SESSION = "99999999-2222-4333-8444-555555555555"


def ids_of(intake):
    return {call.event_id for call in of_kind(intake, "model_call")}


def test_requests_that_a_gateway_counts_are_told_apart_by_their_answers():
    first = read(assistant("a", 2, requestId="req_001"), assistant("b", 3, requestId="req_001"))
    second = read(
        assistant("c", 5, requestId="req_001", sessionId=OTHER_SESSION),
        path=f"/p/{OTHER_SESSION}.jsonl",
    )
    assert totals(first) == (2, 5)
    assert len(ids_of(first) | ids_of(second)) == 3


@pytest.mark.parametrize("request_id", [REQUEST, "req_001", None])
def test_an_answer_that_a_resumed_session_repeats_is_one_call(request_id):
    first = read(assistant("a", 2, requestId=request_id))
    second = read(
        assistant("a", 2, requestId=request_id, sessionId=OTHER_SESSION),
        assistant("b", 2, requestId=None, sessionId=OTHER_SESSION),
        path=f"/p/{OTHER_SESSION}.jsonl",
    )
    assert len(ids_of(first) | ids_of(second)) == 2


def test_two_answers_under_one_id_of_something_larger_are_two_calls():
    lines = [assistant(answer, 2, requestId=REQUEST) for answer in ("a", "b", "a", "b")]
    assert totals(read(*lines)) == (2, 4)
    resumed = transcript_resumed(lines[:1], lines[1:])
    assert len(ids_of(resumed)) == 2


def transcript_resumed(first, second):
    """What a reader tells that stopped between two parts of a file and went on from its state."""
    intake = Intake()
    reader = agent("claude-code").transcript(f"/p/{SESSION}.jsonl")
    for part in (first, second):
        state = json.loads(json.dumps(reader.state()))
        reader = agent("claude-code").transcript(f"/p/{SESSION}.jsonl", state)
        for line in part:
            reader.feed(json.dumps(line).encode(), intake)
        reader.finish(intake)
    return intake


SUBAGENT = [
    assistant("s1", 2, tool_use("t1", "Read"), requestId=REQUEST),
    result("t1", {"type": "text"}),
    assistant("s1", 9, requestId=REQUEST),
    assistant("s2", 4, tool_use("t2", "Write"), requestId=None),
    result("t2", {"type": "create", "filePath": "/p/x.py", "content": "a\n"}),
]


def test_calls_known_only_from_progress_count_once():
    repeated = [progress(line) for line in SUBAGENT for _ in range(2)]
    intake = read(assistant("m", 1), *repeated, assistant("m", 3))
    assert totals(intake) == (3, 16)
    subagent = [call for call in of_kind(intake, "model_call") if call.is_subagent]
    assert {call.agent_id for call in subagent} == {"a1"}
    assert [call.tool_raw for call in of_kind(intake, "tool_call")] == ["Read", "Write"]
    assert len(of_kind(intake, "file_change")) == 1
    assert of_kind(intake, "user_message") == []


def test_progress_has_the_ids_of_the_subagents_own_file():
    lines = [line | {"isSidechain": True, "agentId": "a1"} for line in SUBAGENT]
    own = read(*lines, path=f"/p/{SESSION}/subagents/agent-a1.jsonl")
    repeated = read(*[progress(line) for line in SUBAGENT])
    assert {event.event_id for event in repeated.events} == {event.event_id for event in own.events}


@pytest.mark.parametrize("data", [None, {}, {"type": "agent_progress"}, {"message": 3}])
def test_progress_of_any_shape_is_read(data):
    line = {"type": "progress", "sessionId": SESSION, "timestamp": AT, "data": data}
    assert totals(read(line)) == (0, 0)


@pytest.mark.parametrize(
    ("effort", "tier"), [(None, None), ("none", "standard"), ("high", "thinking")]
)
def test_an_effort_that_is_not_reported_is_not_a_standard_one(effort, tier):
    [call] = of_kind(read(assistant("a", 2, effort=effort)), "model_call")
    assert call.model_tier == tier
