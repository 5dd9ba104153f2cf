from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent, log, of_kind, resource, span
from tests.agents.gemini_cli.samples import counter
from tests.agents.qwen_code.samples import PROMPT, logs, response


def spans(*given):
    intake = Intake()
    for one in given:
        one.attributes.setdefault("session.id", SESSION)
        agent("qwen-code").span(resource("qwen-code"), one, intake)
    return intake


def llm_request(response_id, given, output, cached=0, thoughts=0, **attributes):
    return span(
        "qwen-code.llm_request",
        gen_ai__request__model="qwen3-coder-plus",
        gen_ai__response__id=response_id,
        gen_ai__usage__input_tokens=given,
        gen_ai__usage__output_tokens=output,
        gen_ai__usage__cache_read__input_tokens=cached,
        thoughts_token_count=thoughts,
        **attributes,
    )


def prompted(one, prompt):
    one.attributes["qwen-code.prompt_id"] = prompt
    return one


@pytest.mark.parametrize(
    ("total", "output"),
    # A server of OpenAI's interface counts thoughts in the output, one of Google's beside it.
    [(2662, 133), (2694, 165), (0, 133)],
)
def test_total_says_whether_thoughts_are_in_the_output(total, output):
    figures = response("x", 2529, 133, 2011) | {
        "thoughts_token_count": 32,
        "total_token_count": total,
    }
    [call] = logs(log("qwen-code.api_response", **figures)).events
    assert (call.input_tokens, call.cache_read_tokens) == (518, 2011)
    assert (call.output_tokens, call.reasoning_tokens) == (output, 32)
    assert (call.product_version, call.provider) == ("9.9", None)


def test_span_and_log_of_one_call_are_one_whatever_their_times():
    logged = logs(log("qwen-code.api_response", at_ms=AT_MS + 31, **response("x", 100, 5, 40)))
    [call] = spans(llm_request("x", 100, 5, 40)).events
    assert call.event_id == logged.events[0].event_id
    assert (call.input_tokens, call.cache_read_tokens, call.output_tokens) == (60, 40, 5)


def test_servers_that_number_responses_from_the_beginning_again():
    intake = logs(
        log("qwen-code.api_response", **response("chatcmpl-1", 10, 3)),
        log("qwen-code.api_response", **response("chatcmpl-1", 20, 4)),
    )
    assert len(intake.events) == 2


def test_responses_without_an_id_are_told_apart_by_time():
    records = [
        log("qwen-code.api_response", at_ms=AT_MS + n, **response("", 10, 3)) for n in (0, 9)
    ]
    assert len(logs(*records).events) == 2


@pytest.mark.parametrize(
    ("prompt", "subagent", "is_subagent", "is_auxiliary"),
    [
        (PROMPT, None, False, False),
        ("forked_query", None, False, True),
        ("prompt_suggestion", None, False, True),
        ("speculation", None, False, True),
        (f"{SESSION}#Explore-1#2", "Explore", True, False),
    ],
)
def test_caller_is_read_off_prompt_and_helper(prompt, subagent, is_subagent, is_auxiliary):
    attributes = response("x", 1, 1) | {"prompt_id": prompt, "subagent_name": subagent}
    [call] = logs(log("qwen-code.api_response", **attributes)).events
    assert (call.is_subagent, call.is_auxiliary, call.agent_type) == (
        is_subagent,
        is_auxiliary,
        subagent,
    )


@pytest.mark.parametrize(
    ("mode", "level"),
    [
        ("yolo", "auto-high"),
        ("auto", "auto-medium"),
        ("auto-edit", "auto-low"),
        ("auto_edit", "auto-low"),
        ("plan", "spec"),
        ("default", "manual"),
    ],
)
def test_configuration_is_a_level_of_autonomy(mode, level):
    intake = logs(log("qwen-code.config", approval_mode=mode))
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == [level]


@pytest.mark.parametrize(
    ("output_format", "has_terminal", "client"),
    [
        ("json", False, "non-interactive-cli"),
        ("stream-json", False, "non-interactive-cli"),
        ("text", True, "terminal-ui"),
        # A run without a terminal may answer in plain text, too.
        ("text", False, None),
    ],
)
def test_client_is_read_off_the_configuration(output_format, has_terminal, client):
    intake = logs(
        log(
            "qwen-code.config",
            output_format=output_format,
            interactive_shell_enabled=has_terminal,
        )
    )
    [context] = of_kind(intake, "session_context")
    assert context.client == client


def test_files_and_skills_are_read_off_their_own_records():
    intake = logs(
        log(
            "qwen-code.file_operation",
            tool_name="edit",
            operation="update",
            extension=".py",
            programming_language="Python",
        ),
        log(
            "qwen-code.tool_call",
            call_id="t1",
            function_name="edit",
            function_args=json.dumps({"file_path": "/a.py"}),
            success=True,
        ),
        log("qwen-code.skill_launch", skill_name="deploy", success=True),
        log("qwen-code.skill_launch", skill_name="broken", success=False),
        log(
            "qwen-code.tool_call",
            call_id="t2",
            function_name="skill",
            function_args=json.dumps({"skill": "deploy"}),
            success=True,
        ),
    )
    assert [(e.file_op, e.language) for e in of_kind(intake, "file_change")] == [
        ("edited", "Python")
    ]
    assert [e.skill for e in of_kind(intake, "skill")] == ["deploy"]


def test_command_that_failed_commits_nothing():
    intake = logs(
        log(
            "qwen-code.tool_call",
            call_id="t1",
            function_name="run_shell_command",
            function_args=json.dumps({"command": "git commit -m x"}),
            success=False,
            error_type="shell_execute_error",
            decision="accept",
        )
    )
    [call] = intake.events
    assert (call.success, call.decision, call.decision_source) == (False, "accept", "user")


@pytest.mark.parametrize(
    ("kind", "decision"), [("permission_denied", "reject"), ("tool_error", None)]
)
def test_span_of_a_tool_says_why_it_failed(kind, decision):
    attributes = {
        "call_id": "t1",
        "tool_name": "edit",
        "success": False,
        "tool__failure_kind": kind,
    }
    [call] = spans(span("qwen-code.tool", **attributes)).events
    assert (call.success, call.decision) == (False, decision)


def test_interaction_is_a_message_and_a_mode():
    one = prompted(span("qwen-code.interaction"), PROMPT)
    one.attributes |= {"qwen-code.message_type": "userQuery", "qwen-code.approval_mode": "yolo"}
    other = prompted(span("qwen-code.interaction"), PROMPT)
    other.attributes["qwen-code.message_type"] = "cron"
    logged = logs(log("qwen-code.user_prompt", prompt_id=PROMPT, prompt_length=5))
    intake = spans(one, other)
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == ["auto-high"]
    [message] = of_kind(intake, "user_message")
    assert message.event_id == logged.events[0].event_id


def test_log_record_that_was_sent_as_a_span_is_the_same_event():
    bridged = span("qwen-code.api_response", **response("x", 10, 3))
    bridged.attributes["event.timestamp"] = "2026-11-21T02:06:13.682Z"
    logged = logs(log("qwen-code.api_response", **response("x", 10, 3)))
    assert [e.event_id for e in spans(bridged).events] == [logged.events[0].event_id]


def test_other_spans_are_accounted_for():
    intake = spans(span("qwen-code.hook"), span("qwen-code.tool.execution"), span("POST"))
    assert (intake.events, intake.drops) == ([], {"redundant": 2, "not_counted": 1})


def test_counters_have_no_session_and_thoughts_in_the_output():
    intake = Intake()
    points = [
        counter("qwen-code.token.usage", value, start, type=kind, model="m")
        for start, (kind, value) in enumerate(
            {"input": 300, "output": 50, "cache": 100, "thought": 20}.items()
        )
    ]
    agent("qwen-code").points(resource("qwen-code"), points, intake)
    [event] = intake.events
    assert (event.input_tokens, event.cache_read_tokens, event.output_tokens) == (200, 100, 50)
    assert (event.session_id, event.quality) == (None, "no_session,spread")
