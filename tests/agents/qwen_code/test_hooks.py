from __future__ import annotations

import pytest

from tests.agents.builders import AT_MS, SESSION, log, of_kind
from tests.agents.qwen_code.samples import PROMPT, diff, hook, hooked, logs


def submit(prompt, **fields):
    return hook("UserPromptSubmit", prompt=prompt, prompt_id=PROMPT, **fields)


def test_prompt_is_the_message_that_is_exported():
    [message] = of_kind(hooked(submit("hello", submitted_prompt="hello")), "user_message")
    exported = logs(log("qwen-code.user_prompt", at_ms=AT_MS + 9, prompt_id=PROMPT))
    assert message.event_id == exported.events[0].event_id
    assert message.prompt_length == 5


def test_every_further_model_call_comes_without_a_prompt():
    intake = hooked(submit("hello"), submit(""), submit(""))
    assert len(of_kind(intake, "user_message")) == 1


def test_prompt_of_a_helper_is_no_message():
    assert of_kind(hooked(submit("do it", agent_id="explore-1")), "user_message") == []


def test_mode_is_told_once_for_each_prompt():
    intake = hooked(
        hook("SessionStart", source="startup", permission_mode="default"),
        submit("hello", permission_mode="default"),
        hook("PostToolUse", tool_name="glob", prompt_id=PROMPT, permission_mode="default"),
        hook("PostToolUse", tool_name="glob", prompt_id=PROMPT, permission_mode="yolo"),
    )
    changes = [(e.turn_id, e.autonomy) for e in of_kind(intake, "mode_change")]
    assert changes == [(None, "manual"), (PROMPT, "manual"), (PROMPT, "auto-high")]


@pytest.mark.parametrize(
    ("mode", "level"),
    [
        ("bypass_permissions", "auto-high"),
        ("dont_ask", "auto-medium"),
        ("accept_edit", "auto-low"),
        ("auto", "auto-medium"),
        ("newer", None),
    ],
)
def test_modes_of_older_and_newer_builds(mode, level):
    intake = hooked(hook("SessionStart", permission_mode=mode))
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == [level][
        : level is not None
    ]


def test_tool_tells_its_file_and_its_commit():
    shell = {"command": "git commit -m x"}
    output = "Command: git commit -m x\nOutput: [main 34c4d56] x\nExit Code: 0"
    intake = hooked(
        hook(
            "PostToolUse",
            tool_name="write_file",
            tool_call_id="t1",
            tool_input={"file_path": "/a.py", "content": "x"},
            tool_response={
                "llmContent": "Successfully created and wrote to new file: /a.py.",
                "returnDisplay": diff("/a.py", 9, 0),
            },
        ),
        hook(
            "PostToolUse",
            tool_name="run_shell_command",
            tool_call_id="t2",
            tool_input=shell,
            tool_response={"llmContent": output},
        ),
    )
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.lines_added, change.tool_call_id) == ("created", 9, "t1")
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["34c4d56"]


def test_failure_is_a_call_that_failed():
    given = hook(
        "PostToolUseFailure",
        tool_name="run_shell_command",
        tool_call_id="t1",
        tool_input={"command": "git commit -m x"},
        error="Output: nothing to commit\nExit Code: 1",
    )
    intake = hooked(given)
    [call] = of_kind(intake, "tool_call")
    assert (call.success, call.decision) == (False, None)
    assert of_kind(intake, "git_commit") == []


def test_denial_is_a_call_that_was_rejected():
    intake = hooked(hook("PermissionDenied", tool_name="edit", tool_use_id="u1"))
    [call] = of_kind(intake, "tool_call")
    assert (call.success, call.decision) == (False, "reject")
    assert of_kind(intake, "file_change") == []


@pytest.mark.parametrize(
    ("given", "client"),
    [
        (hook("Notification", notification_type="permission_prompt"), "terminal-ui"),
        (hook("Notification", notification_type="idle_prompt"), "terminal-ui"),
        (hook("Notification", notification_type="auth_success"), None),
        (hook("SessionEnd", reason="prompt_input_exit"), "terminal-ui"),
        (hook("SessionEnd", reason="other"), None),
    ],
)
def test_person_is_there_who_is_asked_or_leaves(given, client):
    contexts = of_kind(hooked(given), "session_context")
    assert [event.client for event in contexts] == ([client] if client else [])


def test_hooks_that_tell_nothing_more_are_not_counted():
    intake = hooked(*(hook(name) for name in ("Stop", "PreToolUse", "PermissionRequest", "Later")))
    assert (intake.events, intake.drops) == ([], {"not_counted": 3, "unknown_record": 1})


def test_start_tells_the_folder():
    [context] = of_kind(hooked(hook("SessionStart")), "session_context")
    assert (context.session_id, context.ts) == (SESSION, AT_MS)
    assert context.cwd_hash is not None
