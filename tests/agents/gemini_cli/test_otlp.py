from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake, InvalidRecord
from tests.agents.builders import AT_MS, agent, log, of_kind, resource, span
from tests.agents.gemini_cli.samples import counter, logs


def response(**figures):
    return log("gemini_cli.api_response", model="gemini-2.5-pro", **figures)


def tool_call(tool, arguments=None, **attributes):
    fields = {"success": True, "decision": "accept", "duration_ms": 5, **attributes}
    if arguments is not None:
        fields["function_args"] = json.dumps(arguments)
    return log("gemini_cli.tool_call", function_name=tool, **fields)


def points(*given, service="gemini-cli", **attributes):
    intake = Intake()
    agent("gemini-cli").points(resource(service, **attributes), given, intake)
    return intake


def usage(kind, value, start=0, **attributes):
    return counter("gemini_cli.token.usage", value, start, type=kind, **attributes)


def test_input_is_split_into_plain_and_cached_and_thoughts_are_output():
    [call] = logs(
        response(
            input_token_count=2529,
            cached_content_token_count=2011,
            output_token_count=101,
            thoughts_token_count=32,
            tool_token_count=7,
            total_token_count=2669,
        )
    ).events
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (525, 2011, 0)
    assert (call.output_tokens, call.reasoning_tokens, call.model_tier) == (133, 32, "thinking")
    assert (call.model, call.provider) == ("gemini-2.5-pro", "google")


def test_thoughts_that_the_total_has_already_are_not_added():
    [call] = logs(
        response(
            input_token_count=10,
            output_token_count=5,
            thoughts_token_count=2,
            total_token_count=15,
        )
    ).events
    assert (call.output_tokens, call.reasoning_tokens) == (5, 2)


def test_more_cached_than_given_is_no_negative_input():
    [call] = logs(response(input_token_count=5, cached_content_token_count=9)).events
    assert (call.input_tokens, call.cache_read_tokens, call.quality) == (0, 9, "estimated")


def test_response_without_figures_is_no_call():
    intake = logs(response(input_token_count=0, output_token_count=0, total_token_count=0))
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


@pytest.mark.parametrize("figure", [-1, "many", 2**63, 1.5])
def test_impossible_tokens_are_refused(figure):
    with pytest.raises(InvalidRecord):
        logs(response(input_token_count=figure))


@pytest.mark.parametrize(
    ("role", "prompt", "is_subagent", "is_auxiliary"),
    [
        ("main", "p", False, False),
        ("subagent", "p", True, False),
        ("utility_router", "p", False, True),
        (None, "session-summary-generation", False, True),
        (None, "3acf0cb1-a7cc-47fb-95a9-d35275ca8fbd", False, False),
        (None, "a1b2c3d4e5f6", False, False),
    ],
)
def test_caller_is_read_off_role_or_prompt(role, prompt, is_subagent, is_auxiliary):
    attributes = {"input_token_count": 1, "prompt_id": prompt}
    [call] = logs(response(**attributes, **({"role": role} if role else {}))).events
    assert (call.is_subagent, call.is_auxiliary) == (is_subagent, is_auxiliary)


def test_the_same_facts_in_generic_records_are_redundant():
    intake = logs(
        log("gemini_cli.api_request", model="m"),
        log("gen_ai.client.inference.operation.details", gen_ai__usage__input_tokens=5),
        log("gemini_cli.conversation_finished", turnCount=3),
        log("gemini_cli.startup_stats"),
        log("gemini_cli.invented_later"),
    )
    assert intake.events == []
    assert intake.drops == {"redundant": 3, "not_counted": 1, "unknown_record": 1}


@pytest.mark.parametrize(
    ("mode", "level"),
    [("yolo", "auto-high"), ("autoEdit", "auto-low"), ("plan", "spec"), ("default", "manual")],
)
def test_configuration_is_a_level_of_autonomy_and_a_client(mode, level):
    intake = logs(log("gemini_cli.config", approval_mode=mode, interactive=True))
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == [level]
    [context] = of_kind(intake, "session_context")
    assert (context.client, context.surface) == ("terminal-ui", "cli")


def test_configuration_of_a_workflow_is_of_a_machine():
    intake = logs(log("gemini_cli.config", interactive=False, github_workflow_name="triage issues"))
    [context] = of_kind(intake, "session_context")
    assert (context.client, context.surface) == ("non-interactive-cli", "ci")


@pytest.mark.parametrize(
    "name",
    ["gemini_cli.plan.approval_mode_switch", "Approval mode switched from default to autoEdit."],
)
def test_switched_mode_is_told_by_its_name_or_the_older_text(name):
    [change] = logs(log(name, from_mode="default", to_mode="autoEdit")).events
    assert (change.kind, change.autonomy, change.autonomy_raw) == (
        "mode_change",
        "auto-low",
        "autoEdit",
    )


def test_two_prompts_of_a_headless_session_are_two_messages():
    prompts = [
        log("gemini_cli.user_prompt", at_ms=AT_MS + n, prompt_id="s", prompt_length=5)
        for n in (0, 9)
    ]
    assert [e.prompt_length for e in of_kind(logs(*prompts), "user_message")] == [5, 5]


def test_calls_that_end_in_one_millisecond_are_told_apart_by_their_arguments():
    intake = logs(*(tool_call("read_file", {"file_path": f"/{n}.py"}) for n in range(3)))
    assert len(of_kind(intake, "tool_call")) == 3


@pytest.mark.parametrize("error", ["tool_not_registered", "execution_denied", "policy_violation"])
def test_refused_call_is_rejected_and_changes_nothing(error):
    intake = logs(
        tool_call("replace", {"file_path": "/a.py"}, success=False, decision="", error_type=error)
    )
    [call] = intake.events
    assert (call.decision, call.decision_source, call.success) == ("reject", "auto", False)


@pytest.mark.parametrize(
    ("decision", "is_interactive", "source"),
    [
        ("accept", False, "auto"),
        # The agent says so of its own consent as well.
        ("accept", True, "unknown"),
        ("auto_accept", True, "auto"),
        ("modify", True, "user"),
    ],
)
def test_who_accepted(decision, is_interactive, source):
    [call] = logs(tool_call("glob", decision=decision, interactive=is_interactive)).events
    assert (call.decision, call.decision_source) == ("accept", source)


def test_person_who_refuses():
    [call] = logs(tool_call("glob", decision="reject", success=False)).events
    assert (call.decision, call.decision_source) == ("reject", "user")


def test_command_that_ends_with_another_exit_code_has_failed_and_commits_nothing():
    command = {"command": "git commit -m x"}
    failed = logs(
        tool_call("run_shell_command", command, metadata='{"exitCode": 1, "isError": true}')
    )
    assert [(e.kind, e.success) for e in failed.events] == [("tool_call", False)]
    assert len(of_kind(logs(tool_call("run_shell_command", command)), "git_commit")) == 1


def test_written_file_is_read_off_its_operation_and_an_edited_one_off_its_call():
    intake = logs(
        log(
            "gemini_cli.file_operation",
            tool_name="write_file",
            operation="create",
            lines=10,
            extension=".py",
            programming_language="python",
        ),
        tool_call("write_file", {"file_path": "/a.py"}, metadata='{"model_added_lines": 9}'),
        tool_call(
            "replace",
            {"file_path": "/b.ts", "old_string": "x"},
            metadata='{"model_added_lines": 2, "model_removed_lines": 1}',
        ),
        # Builds that log this one, too, say it twice.
        log("gemini_cli.file_operation", tool_name="replace", operation="update"),
        log("gemini_cli.file_operation", tool_name="read_file", operation="read"),
    )
    changes = [
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in of_kind(intake, "file_change")
    ]
    assert changes == [
        ("created", "py", "Python", None, None),
        ("edited", "ts", "TypeScript", 2, 1),
    ]
    assert intake.drops == {"redundant": 1, "not_counted": 1}


def test_replacing_nothing_creates_a_file():
    intake = logs(tool_call("replace", {"file_path": "/b.ts", "old_string": ""}))
    assert [e.file_op for e in of_kind(intake, "file_change")] == ["created"]


def test_edit_without_arguments_is_still_an_edit():
    [change] = of_kind(logs(tool_call("replace")), "file_change")
    assert (change.file_op, change.file_path_hash, change.file_ext) == ("edited", None, None)


@pytest.mark.parametrize(
    ("tool", "server", "name", "quality"),
    [
        ("mcp_lab_lab_echo", "lab", "lab_echo", None),
        ("mcp_my_lab_echo", "my lab", "echo", None),
        ("lab__echo", "lab", "echo", None),
        ("echo", "Lab", "echo", None),
        ("mcp_lab_lab_echo", None, "lab_echo", "estimated"),
    ],
)
def test_tool_of_a_server_is_named_by_both(tool, server, name, quality):
    attributes = {"mcp_server_name": server} if server else {}
    [call] = logs(tool_call(tool, tool_type="mcp", **attributes)).events
    assert (call.tool_kind, call.mcp_tool, call.tool_raw) == ("mcp", name, tool)
    assert (call.mcp_server, call.quality) == ((server or "lab").lower(), quality)


def test_activated_skill_is_a_skill_and_a_tool_call():
    intake = logs(tool_call("activate_skill", {"name": "deploy"}))
    assert [e.skill for e in of_kind(intake, "skill")] == ["deploy"]
    assert [e.tool_kind for e in of_kind(intake, "tool_call")] == ["skill"]


def test_hook_is_named_as_for_other_agents_and_its_command_by_its_program():
    intake = logs(
        log("gemini_cli.hook_call", hook_event_name="BeforeTool", hook_name="/opt/x/run --key 1"),
        log("gemini_cli.hook_call", hook_event_name="BeforeTool", hook_name="stationmaster hook"),
    )
    [hook] = intake.events
    assert (hook.hook_event, hook.source_detail, hook.hook_command) == (
        "PreToolUse",
        "BeforeTool",
        "run",
    )
    assert intake.drops == {"not_counted": 1}


def test_counters_of_one_call_are_one_event_with_disjoint_tokens():
    intake = points(
        usage("input", 300, model="m"),
        # Each type begins when it is first recorded, a moment after the one before.
        usage("output", 20, 1, model="m"),
        usage("cache", 100, 1, model="m"),
        usage("thought", 5, 2, model="m"),
        usage("tool", 0, 2, model="m"),
    )
    [event] = intake.events
    assert (event.input_tokens, event.cache_read_tokens, event.output_tokens) == (200, 100, 25)
    assert (event.is_aggregate, event.ts, event.quality) == (
        True,
        AT_MS - 60_000,
        "no_session,spread",
    )


def test_later_figure_of_a_counter_replaces_the_earlier_one():
    first = points(usage("input", 300, model="m"), usage("output", 20, model="m")).events
    both = Intake()
    for event in (
        first + points(usage("input", 500, model="m"), usage("output", 50, model="m")).events
    ):
        both.add(event)
    [event] = both.events
    assert (event.input_tokens, event.output_tokens) == (500, 50)


def test_figures_of_one_delivery_are_those_of_its_last_export():
    intake = points(
        *(usage(kind, n, model="m") for n in (10, 30, 20) for kind in ("input", "output"))
    )
    [event] = intake.events
    assert (event.input_tokens, event.output_tokens) == (30, 30)


def test_counters_of_another_process_add_up():
    intake = points(
        usage("input", 10, model="m"),
        usage("output", 1, model="m"),
        usage("input", 20, 5_000, model="m"),
        usage("output", 2, 5_000, model="m"),
    )
    assert [(e.input_tokens, e.output_tokens) for e in intake.events] == [(10, 1), (20, 2)]


def test_processes_of_one_moment_are_told_apart_by_their_machine():
    calls = [
        points(usage("input", 10, model="m"), **{"host.name": host}).events for host in ("a", "b")
    ]
    assert calls[0][0].event_id != calls[1][0].event_id


def test_counter_from_export_to_export_is_an_event_each():
    def export(value, later):
        used = [
            counter("gemini_cli.token.usage", value, is_delta=True, type=kind, model="m")
            for kind in ("input", "output")
        ]
        for one in used:
            one.start_ms, one.time_ms = one.start_ms + later, one.time_ms + later
        return points(*used).events

    events = [*export(5, 0), *export(7, 10_000)]
    assert [(e.input_tokens, e.ts) for e in events] == [(5, AT_MS), (7, AT_MS + 10_000)]
    assert len({e.event_id for e in events}) == 2


def test_counted_tools_hooks_and_files():
    given = {"session.id": "s"}
    intake = points(
        counter("gemini_cli.tool.call.count", 3, function_name="glob", success=True, **given),
        counter("gemini_cli.hook_call.count", 2, hook_event_name="AfterTool", **given),
        counter("gemini_cli.file.operation.count", 4, operation="update", extension=".go"),
        counter("gemini_cli.file.operation.count", 9, operation="read", extension=".go"),
        counter("gemini_cli.lines.changed", 9, type="added"),
    )
    told = [(e.kind, e.count, e.tool_raw or e.hook_event or e.language) for e in intake.events]
    assert told == [("tool_call", 3, "glob"), ("hook", 2, "PostToolUse"), ("file_change", 4, "Go")]
    assert intake.drops == {"not_counted": 2}


@pytest.mark.parametrize("value", [-1, 2**63, 1.5, float("nan")])
def test_impossible_point_is_refused_by_itself(value):
    intake = points(usage("input", value, model="m"), usage("output", 5, model="m"))
    assert [event.output_tokens for event in intake.events] == [5]
    assert len(intake.invalid) == 1


def test_span_of_the_runtime_is_not_counted():
    intake = Intake()
    for name in ("POST", "GET", "schedule_tool_calls"):
        agent("gemini-cli").span(resource("gemini-cli"), span(name), intake)
    assert (intake.events, intake.drops) == ([], {"not_counted": 2, "redundant": 1})
