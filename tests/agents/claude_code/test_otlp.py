"""Exported log records: whose they are, and what each says."""

from __future__ import annotations

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.events.model import event_id
from tests.agents.builders import (
    SESSION,
    agent,
    claude_logs,
    log,
    of_kind,
    resource,
)

REQUEST = "req_011CVG7wsYBiuQpsxqKFHzdh"


def api_request(**attributes):
    return log("api_request", input_tokens=3, output_tokens=4, request_id="req_1", **attributes)


def test_what_a_session_says_of_itself_is_read_once_for_all_its_records():
    sender, intake = resource("claude-code"), Intake()
    people = [
        "ada@example.com",
        "ada@example.com",
        "bob@example.com",
        ["no", "text"],
        ["nor", "this"],
    ]
    for number, email in enumerate(people):
        record = log(
            "api_request", number, input_tokens=1, output_tokens=2, user__email=email,
            session__id=SESSION, app__version="2.1.329",
        )  # fmt: skip
        agent("claude-code").log(sender, record, intake)

    assert len(sender.senders) == 3
    emails = [event.user_email for event in intake.events]
    assert emails == ["ada@example.com"] * 2 + ["bob@example.com", None, None]
    assert {event.session_id for event in intake.events} == {SESSION}


@pytest.mark.parametrize("name", ["api_request", "claude_code.api_request"])
def test_event_names_are_read_with_and_without_their_prefix(name):
    intake = claude_logs(
        log(name, model="m", input_tokens="3", output_tokens="4", request_id=REQUEST)
    )
    [call] = intake.events
    assert (call.kind, call.input_tokens, call.output_tokens) == ("model_call", 3, 4)
    assert call.event_id == event_id("claude-code", "model_call", REQUEST)


@pytest.mark.parametrize(
    ("source", "is_subagent", "is_auxiliary", "client"),
    [
        ("sdk", False, False, "non-interactive-cli"),
        ("repl_main_thread", False, False, "terminal-ui"),
        ("repl_main_thread:outputStyle:custom", False, False, "terminal-ui"),
        ("main", False, False, None),
        (None, False, False, None),
        ("agent:builtin:Explore", True, False, None),
        ("subagent", True, False, None),
        ("Explore", True, False, None),
        ("compact", False, True, None),
        ("generate_session_title", False, True, None),
        ("auxiliary", False, True, None),
    ],
)
def test_query_source_tells_whose_call_it_is(source, is_subagent, is_auxiliary, client):
    [call] = claude_logs(api_request(model="m", query_source=source)).events
    assert (call.is_subagent, call.is_auxiliary) == (is_subagent, is_auxiliary)
    assert call.client == client


def test_entry_point_wins_over_query_source():
    [call] = claude_logs(
        api_request(model="m", query_source="sdk", app__entrypoint="claude-vscode")
    ).events
    assert (call.client, call.surface) == ("terminal-ui", "ide")


@pytest.mark.parametrize("figure", [-1, 1.5, "many", 2**63, True, [1]])
def test_impossible_tokens_are_refused(figure):
    with pytest.raises(InvalidRecord):
        claude_logs(api_request(model="m", cache_read_tokens=figure))


def test_effort_makes_a_thinking_call():
    [call] = claude_logs(api_request(model="m", effort="high")).events
    assert call.model_tier == "thinking"


def test_rejected_decision_is_a_call_that_did_not_run():
    intake = claude_logs(
        log(
            "tool_decision",
            decision="reject",
            source="user_reject",
            tool_name="Bash",
            tool_use_id="t1",
        ),
    )
    [call] = intake.events
    assert (call.decision, call.decision_source, call.success) == ("reject", "user", False)


def test_accepted_decision_tells_only_the_mode_and_that_once():
    decisions = [
        log(
            "tool_decision",
            decision="accept",
            source="config",
            tool_name="Bash",
            tool_use_id=f"t{n}",
            prompt__id="p",
            permission_mode="acceptEdits",
        )
        for n in range(3)
    ]
    intake = claude_logs(*decisions)
    [change] = intake.events
    assert (change.kind, change.autonomy, change.autonomy_raw) == (
        "mode_change",
        "auto-low",
        "acceptEdits",
    )
    assert intake.drops == {"redundant": 2}


@pytest.mark.parametrize(
    ("mode", "level"),
    [
        ("bypassPermissions", "auto-high"),
        ("auto", "auto-medium"),
        ("dontAsk", "auto-medium"),
        ("acceptEdits", "auto-low"),
        ("plan", "spec"),
        ("default", "manual"),
    ],
)
def test_permission_modes_are_levels_of_autonomy(mode, level):
    [change] = claude_logs(log("permission_mode_changed", to_mode=mode)).events
    assert change.autonomy == level


def test_unknown_permission_mode_changes_nothing():
    intake = claude_logs(log("permission_mode_changed", to_mode="wild"))
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


@pytest.mark.parametrize(
    ("command", "source", "kinds"),
    [
        ("quit", "builtin", ["slash_command"]),
        ("init", "builtin", ["slash_command", "user_message"]),
        ("/deploy", "custom", ["slash_command", "user_message"]),
        ("review", None, ["slash_command", "user_message"]),
        ("model", None, ["slash_command"]),
    ],
)
def test_commands_that_reach_the_model_are_messages_too(command, source, kinds):
    intake = claude_logs(
        log("user_prompt", prompt__id="p", command_name=command, command_source=source)
    )
    assert sorted(event.kind for event in intake.events) == kinds
    assert of_kind(intake, "slash_command")[0].slash_command == command.lstrip("/")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("assistant_response", "redundant"),
        ("hook_execution_start", "redundant"),
        ("api_retries_exhausted", "not_counted"),
        ("brand_new", "unknown_record"),
        ("", "unknown_record"),
    ],
)
def test_other_records_are_dropped_for_a_reason(name, reason):
    intake = claude_logs(log(name))
    assert (intake.events, intake.drops) == ([], {reason: 1})


def test_record_without_a_session_is_flagged():
    intake = Intake()
    agent("claude-code").log(resource("claude-code"), api_request(model="m"), intake)
    [call] = intake.events
    assert (call.session_id, call.quality) == (None, "no_session")


def test_requests_that_a_gateway_counts_are_no_ids():
    first = claude_logs(api_request(session__id="s1"), api_request(session__id="s2"))
    assert len(first.events) == 2


@pytest.mark.parametrize(
    ("service", "scope", "name", "is_ours"),
    [
        ("claude-code", "", "", True),
        ("claude-code-desktop", "", "user_prompt", True),
        ("renamed", "com.anthropic.claude_code.events", "user_prompt", True),
        ("renamed", "", "claude_code.api_request", True),
        ("opencode", "com.opencode", "claude_code.token.usage", False),
        ("claude-code", "", "codex.user_prompt", False),
        ("", "", "", False),
    ],
)
def test_whose_records_they_are(service, scope, name, is_ours):
    sender = recognition.find_otlp(service, scope, name)
    assert (sender is agent("claude-code")) is is_ours


def test_request_says_what_a_call_is_priced_by():
    [call] = claude_logs(
        api_request(
            model="us-gov.anthropic.claude-opus-5-5",
            cache_creation_tokens=900,
            cache_creation_1h_tokens=600,
            speed="fast",
        )
    ).events
    assert (call.cache_write_tokens, call.cache_write_1h_tokens) == (900, 600)
    assert (call.model, call.speed, call.region) == ("claude-opus-5-5", "fast", "us-gov")


@pytest.mark.parametrize(
    ("figures", "flags"),
    [
        ({"input_tokens": 0, "output_tokens": 0}, "estimated,output_lower_bound"),
        ({"input_tokens": 347, "output_tokens": 1}, "output_lower_bound"),
        ({"input_tokens": 8, "output_tokens": 1}, None),
        ({"input_tokens": 347, "output_tokens": 2}, None),
        ({"input_tokens": 347, "output_tokens": 1, "query_source": "sdk"}, None),
    ],
)
def test_figures_from_before_a_call_was_asked_again_are_marked(figures, flags):
    [call] = claude_logs(log("api_request", model="m", **figures)).events
    assert call.quality == flags
