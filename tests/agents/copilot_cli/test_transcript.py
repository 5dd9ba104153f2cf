from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT, AT_MS, SESSION, agent, of_kind
from tests.support import fixtures

PATH = f"/home/dev/.copilot/session-state/{SESSION}/events.jsonl"


def line(kind, at=AT, identity=None, agent_id=None, **data):
    """A line; underscores in names of data are written as Copilot writes them."""
    record = {"type": kind, "data": camel(data), "id": identity or kind, "timestamp": at}
    return record | ({"agentId": agent_id} if agent_id else {})


def camel(value):
    if isinstance(value, dict):
        return {
            spelled(key): inner if key == "arguments" else camel(inner)
            for key, inner in value.items()
        }
    return [camel(inner) for inner in value] if isinstance(value, list) else value


def spelled(key):
    first, *rest = key.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def start(**data):
    return line("session.start", session_id=SESSION, copilot_version="1.0.102", **data)


def read(*lines, path=PATH):
    intake = Intake()
    reader = agent("copilot-cli").transcript(path)
    for one in lines:
        reader.feed(one if isinstance(one, bytes) else json.dumps(one).encode(), intake)
    reader.finish(intake)
    return intake


def record(call, given, output, read_=0, written=0, reasoning=0, identity=None, **fields):
    usage = {
        "model": "gpt-5",
        "input_tokens": given,
        "output_tokens": output,
        "cache_read_tokens": read_,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
        "api_call_id": call,
        **fields,
    }
    return line("session.usage_record", identity=identity or f"record {call}", usage=usage)


def message(identity, output=None, model="gpt-5", **data):
    return line(
        "assistant.message",
        identity=f"line of {identity}",
        message_id=identity,
        model=model,
        **({} if output is None else {"output_tokens": output}),
        **data,
    )


def shutdown(given, output, read_=0, written=0, model="gpt-5"):
    usage = {
        "inputTokens": given,
        "outputTokens": output,
        "cacheReadTokens": read_,
        "cacheWriteTokens": written,
    }
    record = line("session.shutdown", identity=f"end {given}")
    record["data"]["modelMetrics"] = {model: {"requests": {"count": 1}, "usage": usage}}
    return record


def tool_start(call="c", tool="bash", arguments=None, **data):
    return line(
        "tool.execution_start",
        identity=f"start {call}",
        tool_call_id=call,
        tool_name=tool,
        arguments=arguments or {},
        **data,
    )


def tool_end(call="c", success=True, text="", **data):
    return line(
        "tool.execution_complete",
        identity=f"end {call}",
        tool_call_id=call,
        success=success,
        result={"content": text},
        **data,
    )


def person(text="hi", identity="u1", **data):
    return line("user.message", identity=identity, content=text, **data)


def figures(intake):
    """(input, output, cache read, cache write) of all model calls that count."""
    calls = of_kind(intake, "model_call")
    best = min((e.source_group for e in calls), default=0)
    counted = [e for e in calls if e.source_group == best]
    return tuple(
        sum(getattr(e, field) or 0 for e in counted)
        for field in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    )


# -- model calls ----------------------------------------------------------------------------------


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


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "is_persons"),
    [
        (person(), True),
        (person(source="user"), True),
        (person(source="skill-pdf"), False),
        (person(source="agent-x"), False),
        (person(is_autopilot_continuation=True), False),
        (person("<system_notification>done</system_notification>"), False),
        (line("user.message", agent_id="a1", content="do this part"), False),
    ],
)
def test_message_is_a_persons_or_it_is_none(said, is_persons):
    assert len(of_kind(read(start(), said), "user_message")) == is_persons


def test_messages_of_one_interaction_are_as_many_as_were_written():
    intake = read(
        start(),
        person("one", "u1", interaction_id="i1"),
        person("and also", "u2", interaction_id="i1", delivery="steering"),
        person("two", "u3", interaction_id="i2"),
    )
    messages = of_kind(intake, "user_message")
    assert [(e.turn_id, e.prompt_length) for e in messages] == [("i1", 3), ("i1", 8), ("i2", 3)]
    assert len({e.event_id for e in messages}) == 3


# -- tools ----------------------------------------------------------------------------------------


def test_call_is_named_by_its_start_and_settled_by_its_end():
    [call] = of_kind(read(start(), tool_start(), tool_end()), "tool_call")
    assert (call.tool, call.tool_raw, call.success, call.tool_call_id) == (
        "shell",
        "bash",
        True,
        "c",
    )


def test_call_without_an_end_has_run_and_its_outcome_is_not_known():
    [call] = of_kind(read(start(), tool_start()), "tool_call")
    assert (call.tool, call.success) == ("shell", None)


def test_call_that_was_only_asked_for_is_none():
    asked = {"tool_call_id": "c", "name": "bash", "arguments": {"command": "ls"}}
    assert of_kind(read(start(), message("m", tool_requests=[asked])), "tool_call") == []


@pytest.mark.parametrize("arguments", [{"command": "ls"}, '{"command": "ls"}'])
def test_call_without_a_start_is_named_by_what_asked_for_it(arguments):
    asked = {"tool_call_id": "c", "name": "bash", "arguments": arguments}
    [call] = of_kind(read(start(), message("m", tool_requests=[asked]), tool_end()), "tool_call")
    assert (call.tool, call.success) == ("shell", True)


def test_call_that_nothing_names_is_a_call_all_the_same():
    [call] = of_kind(read(start(), tool_end(success=False)), "tool_call")
    assert (call.tool_raw, call.success) == (None, False)


def test_call_that_a_person_asked_for_is_not_the_agents():
    by_name = [line("tool.user_requested", tool_call_id="c", tool_name="bash"), tool_start()]
    assert of_kind(read(start(), *by_name), "tool_call") == []
    assert of_kind(read(start(), *by_name, tool_end()), "tool_call") == []
    marked = tool_end(is_user_requested=True)
    assert of_kind(read(start(), tool_start(), marked), "tool_call") == []


@pytest.mark.parametrize(
    ("end", "success"),
    [
        (tool_end(shell_execution={"exit_code": 1}), False),
        (tool_end(shell_execution={"exit_code": 0}), True),
        (tool_end(text="no\n<exited with exit code 2>"), False),
        (tool_end(text="exit code: 1\n"), False),
        (tool_end(success=False), False),
        (tool_end(text="fine"), True),
    ],
)
def test_command_that_ended_with_another_code_than_zero_failed(end, success):
    [call] = of_kind(read(start(), tool_start(), end), "tool_call")
    assert call.success is success


@pytest.mark.parametrize("code", ["denied", "rejected"])
def test_refused_call_is_rejected_and_makes_nothing(code):
    arguments = {"path": "/a.py", "file_text": "x"}
    intake = read(
        start(),
        tool_start(tool="create", arguments=arguments),
        tool_end(success=False, error={"code": code}),
    )
    [call] = of_kind(intake, "tool_call")
    assert (call.decision, call.success, of_kind(intake, "file_change")) == ("reject", False, [])


@pytest.mark.parametrize(
    ("source", "told"),
    [("human_response", "user"), ("pre_tool_use_hook", "hook"), ("rule", "auto"), (5, "unknown")],
)
def test_who_decided_is_told(source, told):
    completed = line(
        "permission.completed",
        tool_call_id="c",
        result={"kind": "approved"},
        decision_source=source,
    )
    [call] = of_kind(read(start(), tool_start(), completed, tool_end()), "tool_call")
    assert (call.decision, call.decision_source) == ("accept", told)


def test_server_is_a_field_of_its_own_else_it_is_guessed():
    named = tool_start(tool="a-b-c", mcp_server_name="A-b", mcp_tool_name="c")
    [call] = of_kind(read(start(), named, tool_end()), "tool_call")
    assert (call.mcp_server, call.mcp_server_raw, call.mcp_tool) == ("a-b", "A-b", "c")
    for tool, server, called in (
        ("lab-lab_echo", "lab", "lab_echo"),
        ("github-mcp-server-list_issues", "github-mcp-server", "list_issues"),
    ):
        [call] = of_kind(read(start(), tool_start(tool=tool), tool_end()), "tool_call")
        assert (call.mcp_server, call.mcp_tool, call.quality) == (server, called, "estimated")


def test_pull_request_of_a_server_is_one():
    call = tool_start(
        tool="github-mcp-server-create_pull_request",
        mcp_server_name="github-mcp-server",
        mcp_tool_name="create_pull_request",
    )
    assert len(of_kind(read(start(), call, tool_end()), "git_pull_request")) == 1


def test_calls_of_a_subagent_are_its_own():
    begun = tool_start() | {"agentId": "a1"}
    ended = tool_end() | {"agentId": "a1"}
    [call] = of_kind(read(start(), begun, ended), "tool_call")
    assert (call.is_subagent, call.agent_id, call.root_session_id) == (True, "a1", SESSION)
    old = [tool_start(parent_tool_call_id="t"), tool_end(parent_tool_call_id="t")]
    [call] = of_kind(read(start(), *old), "tool_call")
    assert call.is_subagent


def test_tool_that_found_the_file_it_was_to_create_has_edited_it():
    intake = read(
        start(),
        tool_start(tool="create", arguments={"path": "/a.py", "file_text": "x\n"}),
        tool_end(file_edits=[{"path": "/a.py", "kind": "edit"}]),
    )
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.file_ext, change.lines_added) == ("edited", "py", 1)


def test_patch_is_one_change_per_file():
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+one\n*** Update File: b.go\n@@\n-x\n+y\n"
        "*** Delete File: c.md\n*** End Patch\n"
    )
    for arguments in (patch, {"patch": patch}, {"input": patch}):
        intake = read(start(), tool_start(tool="apply_patch", arguments=arguments), tool_end())
        changes = [(e.file_op, e.language) for e in of_kind(intake, "file_change")]
        assert changes == [("created", "Python"), ("edited", "Go"), ("deleted", None)]


def test_files_that_no_argument_names_are_those_of_the_outcome():
    edits = [{"path": "/a.py", "kind": "create"}, {"path": "/b.go", "kind": "edit"}]
    intake = read(start(), tool_start(tool="bulk"), tool_end(file_edits=edits))
    changes = [(e.file_op, e.language, e.lines_added) for e in of_kind(intake, "file_change")]
    assert changes == [("created", "Python", None), ("edited", "Go", None)]


def test_skill_is_counted_by_its_invocation_and_its_tool_is_a_call():
    intake = read(
        start(),
        tool_start(tool="skill", arguments={"skill": "pdf"}),
        line("skill.invoked", name="pdf", source="project", trigger="model"),
        tool_end(),
    )
    [skill], [call] = of_kind(intake, "skill"), of_kind(intake, "tool_call")
    assert (skill.skill, skill.skill_source, skill.source_detail) == ("pdf", "project", "model")
    assert call.tool_kind == "skill"


# -- the session ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "levels"),
    [
        ([{"new_mode": "plan"}], ["spec"]),
        ([{"new_mode": "plan"}, {"new_mode": "interactive"}], ["spec", "manual"]),
        ([{"mode": "allow-all"}], ["auto-high"]),
        ([{"mode": "assisted"}], ["auto-medium"]),
        ([{"mode": "manual"}, {"new_mode": "autopilot"}], ["manual", "auto-low"]),
        ([{"allow_all_permissions": True}], ["auto-high"]),
        ([{"allow_all_permissions": False, "allow_all_permission_mode": "auto"}], ["auto-medium"]),
        ([{"allow_all_permission_mode": "on"}, {"new_mode": "plan"}], ["auto-high", "spec"]),
        ([{"new_mode": "autopilot"}], []),
        ([{"mode": "new"}], []),
    ],
)
def test_mode_and_permissions_together_are_a_level(changes, levels):
    kinds = {True: "session.mode_changed", False: "session.permissions_changed"}
    lines = [
        line(kinds["new_mode" in change], identity=f"change {number}", **change)
        for number, change in enumerate(changes)
    ]
    told = of_kind(read(start(), *lines), "mode_change")
    assert [event.autonomy for event in told] == levels


def test_mode_of_a_message_counts_unless_it_is_what_headless_runs_say():
    assert of_kind(read(start(), person(agent_mode="interactive")), "mode_change") == []
    [change] = of_kind(read(start(), person(agent_mode="plan")), "mode_change")
    assert change.autonomy == "spec"


def test_level_and_client_end_with_the_process():
    asked = line("permission.requested", agent_mode="interactive", permission_mode="manual")
    intake = read(
        start(),
        tool_start("a"),
        asked,
        tool_end("a"),
        line("session.resume", identity="r"),
        tool_start("b"),
        tool_end("b"),
    )
    told = {e.tool_call_id: (e.autonomy, e.client) for e in of_kind(intake, "tool_call")}
    assert told == {"a": ("manual", "terminal-ui"), "b": (None, None)}


@pytest.mark.parametrize(
    ("context", "repo"),
    [
        ({"repository": "acme/Calc", "repository_host": "github.com"}, "github.com/acme/calc"),
        ({"repository": "acme/calc", "repository_host": "x.ghe.com"}, "x.ghe.com/acme/calc"),
        ({"repository": "acme/calc", "host_type": "github"}, "github.com/acme/calc"),
        ({"repository": "o/p/calc", "host_type": "ado"}, "dev.azure.com/o/p/calc"),
        ({"repository": "acme/calc"}, None),
        ({}, None),
    ],
)
def test_repository_is_that_of_the_host(context, repo):
    [told] = of_kind(
        read(start(context={"cwd": "/x", "branch": "main", **context})), "session_context"
    )
    assert (told.repo, told.branch) == (repo, "main")


def test_change_of_folder_is_told_once_git_has_answered():
    changed = {"cwd": "/y", "branch": "next", "repository": "a/b", "host_type": "github"}
    intake = read(
        start(),
        line("session.context_changed", identity="1", cwd="/y", pending_git_context=True),
        line("session.context_changed", identity="2", **changed),
    )
    told = [(e.branch, e.repo) for e in of_kind(intake, "session_context")]
    assert told == [(None, None), ("next", "github.com/a/b")]


def test_session_that_the_program_began_for_itself_is_auxiliary():
    begun = start()
    begun["data"]["detachedFromSpawningParentSessionId"] = "parent"
    [context] = read(begun).events
    assert context.is_auxiliary


@pytest.mark.parametrize(
    ("path", "session"),
    [
        (f"/h/.copilot/session-state/{SESSION}/events.jsonl", SESSION),
        (f"/h/.copilot/session-state/{SESSION}.jsonl", SESSION),
        ("C:\\h\\session-state\\s1\\events.jsonl", "s1"),
    ],
)
def test_session_of_a_file_without_a_start_is_that_of_its_place(path, session):
    [told] = read(person(), path=path).events
    assert told.session_id == session


def test_session_without_a_person_at_its_end_was_headless():
    for reason, client in (
        ("complete", "non-interactive-cli"),
        ("user_exit", "terminal-ui"),
        ("abort", None),
    ):
        end = line("hook.start", hook_type="sessionEnd", input={"reason": reason})
        [told] = of_kind(read(start(), end, line("session.shutdown")), "session_end")
        assert told.client == client


# -- what is not as it should be ------------------------------------------------------------------


def test_lines_of_other_types_pass_and_are_counted():
    intake = read(start(), line("session.new"), line("new.kind"), {"a": 1}, b"", b"[]")
    assert intake.drops == {"not_counted": 1, "unknown_record": 3}


def test_lines_that_are_no_json_are_refused_and_the_rest_is_read():
    intake = read(start(), b'{"type": "user.mess', b"\xff\xfe", person())
    assert len(intake.invalid) == 2
    assert len(of_kind(intake, "user_message")) == 1


def test_field_of_another_type_is_left_out_and_its_line_is_read():
    end = tool_end()
    end["data"] |= {"error": "a text", "result": "a text", "toolTelemetry": [], "fileEdits": {}}
    [call] = of_kind(read(start(), tool_start(), end), "tool_call")
    assert call.success is True
    sums = shutdown(10, 2)
    sums["data"]["error"] = 5
    assert figures(read(start(), sums)) == (10, 2, 0, 0)


@pytest.mark.parametrize("time", [None, "yesterday", 5, "9" * 10_000])
def test_line_without_a_time_has_that_of_the_line_before_it(time):
    told = person() | {"timestamp": time}
    [event] = of_kind(read(start(), told), "user_message")
    assert event.ts == AT_MS
    assert read(told).invalid == ["a line has no time"]


def test_long_texts_and_deep_nesting_are_read_past_or_refused():
    huge = "n" * 10_000_000
    told = read(
        start(), person(huge), tool_start(tool=huge), tool_end(text=huge), person(identity=huge)
    )
    assert [e.prompt_length for e in of_kind(told, "user_message")] == [10_000_000, 2]
    assert len(of_kind(told, "tool_call")[0].tool_raw) == 200
    deep = json.dumps(tool_start()).replace("{}", "[" * 100_000 + "]" * 100_000)
    assert read(start(), deep.encode(), person()).events[1:] != []


def test_state_stays_small_whatever_is_asked_for():
    lines = [message(f"m{n}", 1, model=f"model {n}") for n in range(1_000)]
    lines += [tool_start(f"c{n}") for n in range(2_000)]
    lines += [line("tool.user_requested", tool_call_id=f"u{n}") for n in range(2_000)]
    intake, reader = Intake(), agent("copilot-cli").transcript(PATH)
    for one in [start(), *lines]:
        reader.feed(json.dumps(one).encode(), intake)
    state = reader.state()
    assert len(state["calls"]) == len(state["asked_by_person"]) == 1_000
    assert len(state["leg"]["told"]) == 200


# -- public files ---------------------------------------------------------------------------------


def public(*names):
    path = fixtures.public("copilot-cli").joinpath("agent-sessions", *names)
    if not path.is_file():
        pytest.skip("the public sample files are not here")
    intake = Intake()
    reader = agent("copilot-cli").transcript(str(path))
    reader.feed_lines(path.read_bytes(), intake)
    reader.finish(intake)
    return intake


def counts(intake):
    kinds = [event.kind for event in intake.events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def test_public_file_of_an_early_build():
    intake = public("large.jsonl")
    assert counts(intake) == {"hook": 1, "session_context": 1, "tool_call": 2, "user_message": 3}


def test_public_file_whose_lines_are_out_of_order():
    intake = public("schema_drift.jsonl")
    assert counts(intake) == {
        "model_call": 1,
        "session_context": 1,
        "session_end": 1,
        "tool_call": 2,
    }
    assert figures(intake) == (200, 50, 800, 0)


def test_public_file_of_a_newer_build_with_fields_that_were_trimmed():
    intake = public("small.jsonl")
    assert figures(intake) == (0, 15, 0, 0)
    [context] = [e for e in of_kind(intake, "session_context") if e.repo is not None]
    assert (context.repo, context.branch) == ("github.com/example/repo", "main")
    assert intake.invalid == []


def test_public_file_in_a_folder_of_its_own():
    intake = public("subdir_v1", "aaaabbbb-1111-2222-3333-ccccddddeeee", "events.jsonl")
    assert figures(intake) == (0, 26, 0, 0)
    assert {e.session_id for e in intake.events} == {"aaaabbbb-1111-2222-3333-ccccddddeeee"}
    assert counts(intake)["tool_call"] == counts(intake)["user_message"] == 1
