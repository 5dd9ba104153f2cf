"""Calls of models in a session file: recorded ones, sums of a session, and messages."""

from __future__ import annotations

import pytest

from tests.agents.builders import of_kind
from tests.agents.copilot_cli.transcripts import (
    figures,
    line,
    message,
    read,
    record,
    shutdown,
    start,
)


def test_input_includes_both_cache_figures_and_output_the_reasoning():
    intake = read(start(), record("a", 3300, 61, 300, 1999, 8))
    [call] = of_kind(intake, "model_call")
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (1001, 300, 1999)
    assert (call.output_tokens, call.reasoning_tokens, call.model_tier) == (61, 8, "thinking")


def test_recorded_call_joins_the_span_of_its_response():
    from tests.agents.copilot_cli.test_spans import chat

    [told] = of_kind(read(start(), record("msg_1", 10, 2)), "model_call")
    [span] = of_kind(chat(gen_ai__response__id="msg_1"), "model_call")
    assert told.event_id == span.event_id


def test_copied_history_is_billed_to_the_session_it_was_copied_from():
    account = {"source_session_id": "parent", "usage_id": "a"}
    [copied] = of_kind(read(start(), record("a", 10, 2, accounting=account)), "model_call")
    parent = start() | {"data": {"sessionId": "parent", "copilotVersion": "1.0.102"}}
    [original] = of_kind(read(parent, record("a", 10, 2)), "model_call")
    assert copied.event_id == original.event_id


@pytest.mark.parametrize(
    ("initiator", "is_auxiliary", "is_subagent"),
    [
        ("user", False, False),
        ("agent", False, False),
        ("compaction", True, False),
        ("sub-agent", False, True),
    ],
)
def test_initiator_says_whose_call_it_is(initiator, is_auxiliary, is_subagent):
    [call] = of_kind(read(start(), record("a", 10, 2, initiator=initiator)), "model_call")
    assert (call.is_auxiliary, call.is_subagent) == (is_auxiliary, is_subagent)


def test_end_of_a_session_adds_nothing_to_recorded_calls():
    intake = read(start(), record("a", 10, 2), message("m"), record("b", 30, 4), shutdown(40, 6))
    assert figures(intake) == (40, 6, 0, 0)
    assert len(of_kind(intake, "model_call")) == 2


def test_recorded_calls_of_a_resumed_session_add_up_and_its_sums_do_not():
    intake = read(
        start(),
        record("a", 10, 2),
        shutdown(10, 2),
        line("session.resume", identity="r"),
        record("b", 30, 4),
        shutdown(40, 6),
    )
    assert figures(intake) == (40, 6, 0, 0)


def test_old_session_is_what_its_messages_and_its_end_say_together():
    intake = read(start(), message("m1", 5), message("m2", 7), shutdown(100, 15, 60, 10))
    assert figures(intake) == (30, 15, 60, 10)
    kinds = [(e.output_tokens, e.is_aggregate) for e in of_kind(intake, "model_call")]
    assert kinds == [(5, False), (7, False), (3, True)]


def test_sums_go_on_after_a_resume_so_only_the_difference_is_new():
    intake = read(
        start(),
        message("m1", 5),
        shutdown(100, 5, 60),
        line("session.resume", identity="r"),
        message("m2", 6),
        shutdown(150, 11, 80),
    )
    assert figures(intake) == (70, 11, 80, 0)


def test_smaller_sums_began_again():
    intake = read(start(), message("m1", 5), shutdown(100, 5), message("m2", 3), shutdown(20, 3))
    assert figures(intake) == (120, 8, 0, 0)


def test_session_without_an_end_is_what_its_messages_say():
    assert figures(read(start(), message("m1", 5), message("m2", 7))) == (0, 12, 0, 0)


def test_parts_of_one_message_are_one_call():
    parts = [message("m", 4, chunk_index=0), message("m", 9, chunk_index=1)]
    intake = read(start(), *parts, shutdown(50, 9))
    assert figures(intake) == (50, 9, 0, 0)
    assert len(of_kind(intake, "model_call")) == 2


def test_calls_by_name_count_before_sums_without():
    """A session that an old build began and a new one went on with."""
    intake = read(
        start(),
        message("m1", 5),
        shutdown(100, 5),
        line("session.resume", identity="r"),
        record("a", 30, 4),
        shutdown(130, 9),
    )
    groups = {e.output_tokens: e.source_group for e in of_kind(intake, "model_call")}
    assert groups == {5: 3, 0: 3, 4: 1}


@pytest.mark.parametrize("figure", [-1, "many", 2**63, 1.5, True])
def test_impossible_tokens_are_refused(figure):
    intake = read(start(), record("a", figure, 2), message("m", figure), shutdown(figure, 1))
    assert of_kind(intake, "model_call") == []
    assert len(intake.invalid) >= 2


def test_effort_of_the_session_makes_its_calls_thinking():
    change = line("session.model_change", new_model="gpt-5", reasoning_effort="high")
    [call] = of_kind(read(start(), change, record("a", 10, 2)), "model_call")
    assert call.model_tier == "thinking"
