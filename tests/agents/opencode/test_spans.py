"""OpenCode's own spans, of which three in some thousands are read."""

from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.agents.opencode.agent import AGENT
from tests.agents.builders import AT_MS, of_kind, resource, span

SESSION = "ses_1"


def spans(*records, **attributes):
    intake = Intake()
    for record in records:
        record.attributes.setdefault("session.id", SESSION)
        AGENT.span(resource("opencode", **attributes), record, intake)
    return intake


def streamed(**attributes):
    known = {
        "ai__response__id": "r1",
        "ai__model__id": "claude-sonnet-4-5",
        "ai__model__provider": "anthropic.messages",
        "ai__prompt__toolChoice": '{"type":"auto"}',
        "ai__usage__inputTokens": 100,
        "ai__usage__inputTokenDetails__noCacheTokens": 10,
        "ai__usage__cachedInputTokens": 40,
        "ai__usage__inputTokenDetails__cacheWriteTokens": 50,
        "ai__usage__outputTokens": 23,
        "ai__usage__reasoningTokens": 3,
    }
    return span("ai.streamText.doStream", **{**known, **attributes})


def called(tool="bash", args=None, result=None, **attributes):
    return span(
        "ai.toolCall",
        ai__toolCall__name=tool,
        ai__toolCall__id="c1",
        ai__toolCall__args=json.dumps(args or {}),
        ai__toolCall__result=json.dumps(result or {}),
        **attributes,
    )


def test_a_call_has_disjoint_tokens():
    [event] = spans(streamed()).events
    assert (event.input_tokens, event.cache_read_tokens, event.cache_write_tokens) == (10, 40, 50)
    assert (event.output_tokens, event.reasoning_tokens, event.model_tier) == (23, 3, "thinking")
    assert (event.model, event.provider) == ("claude-sonnet-4-5", "anthropic")
    assert (event.ts, event.duration_ms, event.is_auxiliary) == (AT_MS, 5, False)
    assert event.product_version == "9.9"


@pytest.mark.parametrize(
    ("given", "cached", "plain", "quality"), [(100, 40, 60, None), (10, 40, 0, "estimated")]
)
def test_without_details_the_input_is_that_which_was_not_cached(given, cached, plain, quality):
    record = streamed(ai__usage__inputTokens=given, ai__usage__cachedInputTokens=cached)
    del record.attributes["ai.usage.inputTokenDetails.noCacheTokens"]
    [event] = spans(record).events
    assert (event.input_tokens, event.quality) == (plain, quality)


def test_a_call_without_tools_is_the_programs_own():
    record = streamed()
    del record.attributes["ai.prompt.toolChoice"]
    assert spans(record).events[0].is_auxiliary


def test_a_call_that_failed_is_none():
    record = streamed()
    for key in [key for key in record.attributes if key.startswith("ai.usage.")]:
        del record.attributes[key]
    intake = spans(record)
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


def test_a_subagents_call_belongs_to_the_session_above():
    [event] = spans(streamed(**{"ai.request.headers.x-parent-session-id": "ses_0"})).events
    assert (event.session_id, event.root_session_id, event.is_subagent) == (SESSION, "ses_0", True)


def test_the_same_response_is_one_call():
    assert len(spans(streamed(), streamed(), streamed(ai__response__id="r2")).events) == 2


@pytest.mark.parametrize(
    ("told", "client", "surface"),
    [
        ("cli", None, "cli"),
        ("desktop", "terminal-ui", "desktop"),
        ("vscode", "terminal-ui", "ide"),
        ("acp", "non-interactive-cli", "sdk"),
        ("web", "web", "web"),
        ("hologram", None, None),
        (5, None, None),
    ],
)
def test_the_client_is_what_the_program_calls_itself(told, client, surface):
    [event] = spans(streamed(), **{"opencode.client": told}).events
    assert (event.client, event.surface) == (client, surface)


def test_a_call_of_a_tool_tells_what_it_changed():
    intake = spans(
        called(
            "bash",
            {"command": "git commit -m x"},
            {"output": "[main 34c4d56] x\n", "metadata": {"exit": 0}},
        )
    )
    [commit] = of_kind(intake, "git_commit")
    assert (commit.commit_sha, commit.session_id) == ("34c4d56", SESSION)
    [call] = of_kind(intake, "tool_call")
    assert (call.tool, call.success, call.duration_ms) == ("shell", True, 5)


def test_a_call_that_failed_with_a_span_or_with_its_command_failed():
    failed = called("edit", {"filePath": "/a.py"})
    failed.is_error = True
    assert [(e.kind, e.success) for e in spans(failed).events] == [("tool_call", False)]
    exited = called("bash", {"command": "x"}, {"metadata": {"exit": 1}})
    assert spans(exited).events[0].success is False


def test_a_call_whose_execution_has_a_span_too_is_one():
    execution = span("Tool.execute", tool__name="bash", tool__call_id="c1")
    [event] = spans(execution, called("bash", {"command": "ls"}, {"metadata": {"exit": 0}})).events
    assert (event.tool_raw, event.success) == ("bash", True)
    [alone] = spans(execution).events
    assert (alone.event_id, alone.success) == (event.event_id, None)


@pytest.mark.parametrize("text", [None, 5, "", "words", "{", "[1]", "[" * 100_000, "\ud800"])
def test_arguments_and_results_that_are_no_json_leave_the_call(text):
    record = called("bash")
    record.attributes["ai.toolCall.args"] = text
    record.attributes["ai.toolCall.result"] = text
    assert [event.kind for event in spans(record).events] == ["tool_call"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ai.streamText", "redundant"),
        ("opencode.session", "redundant"),
        ("gen_ai.chat", "redundant"),
        ("Session.get", "not_counted"),
        ("sql.execute", "not_counted"),
        ("http.server GET", "not_counted"),
    ],
)
def test_other_spans_are_dropped(name, reason):
    assert spans(span(name)).drops == {reason: 1}


def test_an_impossible_figure_is_refused():
    with pytest.raises(InvalidRecord):
        spans(streamed(ai__usage__outputTokens=2**62))
