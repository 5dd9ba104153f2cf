from __future__ import annotations

import json

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, InvalidRecord
from tests.agents.builders import agent, codex_logs, log, of_kind, point, resource, span


def completed(**figures):
    return log("codex.sse_event", event__kind="response.completed", **figures)


def tool_result(tool, arguments, output="", success="true", **attributes):
    return log(
        "codex.tool_result",
        tool_name=tool,
        arguments=arguments,
        output=output,
        success=success,
        call_id="c1",
        **attributes,
    )


def test_input_is_split_into_plain_read_and_written():
    [call] = codex_logs(
        completed(
            input_token_count="3300",
            output_token_count="61",
            cached_token_count=300,
            cache_write_token_count=1999,
            reasoning_token_count=8,
            model="gpt-5.5",
        ),
    ).events
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (1001, 300, 1999)
    assert (call.output_tokens, call.reasoning_tokens, call.model_tier) == (61, 8, "thinking")


def test_more_cached_than_given_is_no_negative_input():
    [call] = codex_logs(completed(input_token_count=5, cached_token_count=9)).events
    assert (call.input_tokens, call.cache_read_tokens, call.quality) == (0, 9, "estimated")


def test_completed_event_without_figures_is_the_same_call_again():
    intake = codex_logs(completed(duration_ms="0"), log("codex.sse_event", event__kind="x"))
    assert (intake.events, intake.drops) == ([], {"redundant": 1, "not_counted": 1})


@pytest.mark.parametrize("figure", [-1, "many", 2**63, 1.5])
def test_impossible_tokens_are_refused(figure):
    with pytest.raises(InvalidRecord):
        codex_logs(completed(input_token_count=figure))


@pytest.mark.parametrize(
    ("approval", "sandbox", "level"),
    [
        ("never", "danger-full-access", "auto-high"),
        ("never", "workspace-write", "auto-medium"),
        ("on-failure", "workspace-write", "auto-medium"),
        ("on-request", "workspace-write", "auto-low"),
        ("untrusted", "workspace-write", "manual"),
        ("on-request", "read-only", "manual"),
        ("never", "read-only", "manual"),
    ],
)
def test_approval_in_a_sandbox_is_a_level_of_autonomy(approval, sandbox, level):
    intake = codex_logs(
        log("codex.conversation_starts", approval_policy=approval, sandbox_policy=sandbox)
    )
    [change] = of_kind(intake, "mode_change")
    assert (change.autonomy, change.autonomy_raw) == (level, f"{approval}/{sandbox}")


@pytest.mark.parametrize(
    ("service", "approval", "servers", "is_helper"),
    [
        ("codex_cli_rs", "never", "", True),
        ("codex_cli_rs", "on-request", "", False),
        ("codex_cli_rs", "never", "lab", False),
        ("codex_exec", "never", "", False),
    ],
)
def test_title_conversations_are_helpers(service, approval, servers, is_helper):
    starts = log(
        "codex.conversation_starts",
        approval_policy=approval,
        sandbox_policy="read-only",
        mcp_servers=servers,
    )
    [context] = of_kind(codex_logs(starts, service=service), "session_context")
    assert context.is_auxiliary is is_helper


def test_script_around_the_calls_is_no_call_but_a_tool_of_that_name_is():
    script = tool_result("exec", "const r = await tools.x({});", tool_namespace="functions")
    named = tool_result("exec", '{"cmd": "ls"}', tool_namespace="functions")
    assert codex_logs(script).drops == {"redundant": 1}
    assert [event.tool for event in codex_logs(named).events] == ["exec"]


def test_patch_is_one_change_per_file_with_lines_and_no_paths():
    patch = (
        "*** Begin Patch\n*** Add File: a/new.py\n+one\n+two\n*** Update File: b.go\n@@\n-x\n+y\n"
        "*** Delete File: c.md\n*** End Patch\n"
    )
    intake = codex_logs(tool_result("apply_patch", patch, "Exit code: 0\nSuccess."))
    changes = [
        (event.file_op, event.language, event.lines_added, event.lines_removed)
        for event in of_kind(intake, "file_change")
    ]
    assert changes == [
        ("created", "Python", 2, 0),
        ("edited", "Go", 1, 1),
        ("deleted", None, 0, 0),
    ]


@pytest.mark.parametrize(
    "output",
    [
        "patch rejected: writing is blocked by read-only sandbox; rejected by user approval",
        "exec command rejected by user",
        "command was blocked by policy",
    ],
)
def test_refused_call_is_rejected_and_changes_nothing(output):
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    intake = codex_logs(tool_result("apply_patch", patch, output, success="false"))
    [call] = intake.events
    assert (call.decision, call.success) == ("reject", False)


def test_failed_patch_ran_and_changes_nothing():
    patch = "*** Begin Patch\n*** Update File: a.py\n+x\n*** End Patch"
    output = "apply_patch verification failed: no such lines"
    [call] = codex_logs(tool_result("apply_patch", patch, output, success="false")).events
    assert (call.kind, call.decision, call.success) == ("tool_call", None, False)


def test_exit_code_in_the_output_wins_over_success():
    output = "Chunk ID: 1\nProcess exited with code 1\nOutput:\nno"
    command = json.dumps({"cmd": "git commit -m x"})
    [call] = codex_logs(tool_result("exec_command", command, output)).events
    assert call.success is False


@pytest.mark.parametrize(
    "arguments", [{"cmd": "git commit -m x"}, {"command": ["bash", "-lc", "git commit -m x"]}]
)
def test_commit_is_found_in_every_form_of_a_command(arguments):
    output = "Process exited with code 0\nOutput:\n[main cb55855] x\n"
    intake = codex_logs(tool_result("exec_command", json.dumps(arguments), output))
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["cb55855"]


@pytest.mark.parametrize("decision", ["denied", "Denied", "abort"])
def test_denied_decision_is_a_rejected_call(decision):
    [call] = codex_logs(
        log(
            "codex.tool_decision",
            decision=decision,
            source="User",
            tool_name="exec_command",
            call_id="c1",
        ),
    ).events
    assert (call.decision, call.decision_source) == ("reject", "user")


@pytest.mark.parametrize("decision", ["approved", "approved_for_session", None, 5])
def test_other_decisions_wait_for_the_result(decision):
    assert codex_logs(log("codex.tool_decision", decision=decision)).drops == {"redundant": 1}


def test_server_tool_has_the_name_it_has_in_session_files():
    [call] = codex_logs(
        tool_result("lab_echo", "{}", tool_namespace="mcp__lab", mcp_server="lab")
    ).events
    assert (call.tool_raw, call.mcp_server, call.mcp_tool) == (
        "mcp__lab__lab_echo",
        "lab",
        "lab_echo",
    )


def test_usage_histograms_of_one_export_are_one_call_in_any_order():
    figures = {
        "input": 100,
        "cached_input": 60,
        "cache_write_input": 10,
        "output": 7,
        "reasoning_output": 2,
        "total": 107,
    }
    points = [
        point("codex.turn.token_usage", value, token_type=kind, model="gpt-5.5")
        for kind, value in figures.items()
    ]
    for order in (points, points[::-1]):
        intake = Intake()
        agent("codex").points(resource("codex_exec"), order, intake)
        [call] = intake.events
        assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (30, 60, 10)
        assert (call.output_tokens, call.is_aggregate, call.session_id) == (7, True, None)


def test_hooks_and_skills_are_known_from_counters_only():
    intake = Intake()
    points = [
        point("codex.hooks.run", 2, hook_name="Stop"),
        point("codex.skill.injected", 1, skill="deploy"),
    ]
    agent("codex").points(resource("codex_exec"), points, intake)
    [hook], [skill] = of_kind(intake, "hook"), of_kind(intake, "skill")
    assert (hook.hook_event, hook.count, skill.skill) == ("Stop", 2, "deploy")


def test_spans_of_the_runtime_are_dropped():
    intake = Intake()
    agent("codex").span(resource("codex_exec"), span("handle_responses"), intake)
    assert (intake.events, intake.drops) == ([], {"redundant": 1})


@pytest.mark.parametrize(
    ("service", "name", "is_ours"),
    [
        ("codex_exec", "", True),
        ("codex_cli_rs", "session_task.turn", True),
        ("Codex Desktop", "x", True),
        ("anything", "codex.user_prompt", True),
        ("codex_exec", "claude_code.api_request", False),
        ("other", "api_request", False),
    ],
)
def test_whose_records_they_are(service, name, is_ours):
    sender = recognition.find_otlp(service, "", name)
    assert (sender is agent("codex")) is is_ours


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("flushing OTEL metrics", "not_counted"),
        ("runtime metrics reset skipped: a reader is not enabled", "not_counted"),
        ("codex.unheard_of", "unknown_record"),
    ],
)
def test_lines_that_codex_writes_about_itself_are_not_unknown(name, reason):
    assert codex_logs(log(name)).drops == {reason: 1}
