from __future__ import annotations

import json
from typing import Any

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, InvalidRecord, Point, Span
from stationmaster.events.model import event_id, path_hash
from tests.agents.builders import (
    AT_MS,
    SESSION,
    agent,
    claude_logs,
    log,
    of_kind,
    point,
    resource,
    span,
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


def tool_result(tool, **attributes):
    attributes = {
        key: json.dumps(value) if key in ("tool_input", "tool_parameters") else value
        for key, value in attributes.items()
    }
    return log(
        "tool_result", **{"tool_name": tool, "tool_use_id": "t1", "success": "true"} | attributes
    )


@pytest.mark.parametrize(
    ("tool", "tool_input", "op", "quality"),
    [
        ("Write", {"file_path": "/a/b.py"}, "created", "estimated"),
        ("Write", {}, "edited", "estimated"),
        ("Edit", {"file_path": "/a/b.py"}, "edited", None),
        ("MultiEdit", {"file_path": "/a/b.py"}, "edited", None),
        ("NotebookEdit", {"notebook_path": "/a/b.ipynb"}, "edited", None),
        ("Edit", {}, "edited", "estimated"),
    ],
)
def test_file_changes_of_editing_tools(tool, tool_input, op, quality):
    intake = claude_logs(tool_result(tool, tool_input=tool_input))
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.quality) == (op, quality)


@pytest.mark.parametrize("tool", ["Read", "Bash", "Grep"])
def test_other_tools_change_no_file(tool):
    intake = claude_logs(tool_result(tool, tool_input={"file_path": "/a/b.py"}))
    assert of_kind(intake, "file_change") == []


def test_failed_edit_changes_no_file():
    intake = claude_logs(tool_result("Edit", success="false", tool_input={"file_path": "/a"}))
    assert of_kind(intake, "file_change") == []


def test_call_that_names_a_file_carries_the_hash_of_its_path():
    [call] = claude_logs(tool_result("Read", tool_input={"file_path": "/a/b.py"})).events
    assert (call.file_path_hash, call.file_ext, call.language) == (
        path_hash(SESSION, "/a/b.py"),
        "py",
        "Python",
    )


def test_commit_is_found_in_the_command_with_the_id_the_agent_reports():
    sha = "34c4d56602ae594bf87988542bf4ecc866855659"
    parameters = {"full_command": "git commit -m x", "git_commit_id": sha}
    [commit] = of_kind(claude_logs(tool_result("Bash", tool_parameters=parameters)), "git_commit")
    assert commit.commit_sha == sha
    assert commit.event_id == event_id("claude-code", "git_commit", "t1", "0")


def test_reported_commit_counts_though_the_line_failed_after_it():
    parameters = {"full_command": "git commit -m x && false", "git_commit_id": "34c4d56"}
    intake = claude_logs(tool_result("Bash", success="false", tool_parameters=parameters))
    assert len(of_kind(intake, "git_commit")) == 1


def test_pull_request_made_by_a_server_counts():
    parameters = {"mcp_server_name": "GitHub ", "mcp_tool_name": "create_pull_request"}
    intake = claude_logs(tool_result("mcp_tool", tool_parameters=parameters))
    [call] = of_kind(intake, "tool_call")
    assert (call.mcp_server, call.mcp_server_raw) == ("github", "GitHub ")
    assert len(of_kind(intake, "git_pull_request")) == 1


def test_name_of_a_server_tool_without_details_is_flagged():
    [call] = claude_logs(tool_result("mcp_tool")).events
    assert (call.tool_raw, call.tool_kind, call.quality) == ("mcp_tool", "mcp", "redacted_name")


def test_skill_and_hooks():
    intake = claude_logs(
        log("skill_activated", prompt__id="p", skill__name="deploy", skill__source="user"),
        log(
            "hook_execution_complete",
            event__sequence=4,
            hook_event="PreToolUse",
            hook_name="PreToolUse:Bash",
            num_hooks="3",
        ),
        log("hook_execution_complete", event__sequence=5, hook_event="Stop", num_hooks="0"),
    )
    [skill] = of_kind(intake, "skill")
    [hook] = of_kind(intake, "hook")
    assert (skill.skill, skill.skill_source) == ("deploy", "user")
    assert (hook.hook_event, hook.hook_matcher, hook.count) == ("PreToolUse", "Bash", 3)


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


def test_requests_that_a_gateway_counts_are_no_ids():
    first = claude_logs(api_request(session__id="s1"), api_request(session__id="s2"))
    assert len(first.events) == 2


def test_failed_request_span_is_no_call():
    intake = Intake()
    agent("claude-code").span(
        resource("claude-code"), span("claude_code.llm_request", success=False), intake
    )
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


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


@pytest.mark.parametrize(
    ("event", "matched", "started", "counted"),
    [
        ("PostToolUse", "Read", 2, 1),
        ("PostToolUse", "Write", 1, 0),
        ("PostToolUse", "Bash", 1, 1),
        ("PostToolUse", "Bash", 3, 1),
        ("PostToolUse", "Agent", 2, 2),
        ("PreToolUse", "Read", 2, 2),
        ("SessionStart", "startup", 1, 1),
    ],
)
def test_the_programs_own_hooks_are_not_the_persons(event, matched, started, counted):
    intake = claude_logs(
        log(
            "hook_execution_complete",
            hook_event=event,
            hook_name=f"{event}:{matched}",
            num_hooks=str(started),
        )
    )
    assert sum(one.count for one in intake.events) == counted


@pytest.mark.parametrize(
    ("event", "started", "succeeded", "success"),
    [
        ("Stop", 2, 2, True),
        ("Stop", 2, 0, False),
        ("Stop", 2, 1, None),
        # Any of the three may be the program's own.
        ("PostToolUse", 3, 0, None),
    ],
)
def test_hooks_of_one_outcome_have_it(event, started, succeeded, success):
    numbers = {"num_hooks": str(started), "num_success": str(succeeded)}
    execution = log(
        "hook_execution_complete", hook_event=event, hook_name=f"{event}:Bash", **numbers
    )
    [hook] = claude_logs(execution).events
    assert hook.success is success


@pytest.mark.parametrize(("after_ms", "session"), [(900, "resumed"), (90_000, "fresh")])
def test_the_hook_of_a_resumed_session_is_that_sessions(after_ms, session):
    hook = log(
        "hook_execution_complete",
        hook_event="SessionStart",
        hook_name="SessionStart:resume",
        num_hooks="1",
        session__id="fresh",
    )
    prompt = log("user_prompt", at_ms=AT_MS + after_ms, session__id="resumed", prompt__id="p")
    [event] = of_kind(claude_logs(hook, prompt), "hook")
    assert (event.session_id, event.count) == (session, 1)
