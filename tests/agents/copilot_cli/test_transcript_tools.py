"""Calls of tools in a session file: their names, outcomes, decisions and changes."""

from __future__ import annotations

import pytest

from tests.agents.builders import SESSION, of_kind
from tests.agents.copilot_cli.transcripts import line, message, read, start, tool_end, tool_start


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
