from __future__ import annotations

import pytest

from stationmaster.agents.interface import InvalidRecord
from tests.agents.builders import AT_MS, SESSION, of_kind
from tests.agents.gemini_cli.samples import after_model, diff, hook, hooked


def after_tool(tool, content="done", display="", context=None, **arguments):
    fields = {"mcp_context": context} if context is not None else {}
    response = {"llmContent": content, "returnDisplay": display}
    return hook("AfterTool", tool_name=tool, tool_input=arguments, tool_response=response, **fields)


def test_start_tells_the_folder():
    [context] = hooked(hook("SessionStart", source="startup")).events
    assert (context.kind, context.session_id, context.ts) == ("session_context", SESSION, AT_MS)
    assert context.cwd_hash is not None


def test_prompt_is_a_message():
    [message] = hooked(hook("BeforeAgent", prompt="hello")).events
    assert (message.kind, message.prompt_length) == ("user_message", 5)


def test_continuation_without_a_prompt_is_no_message():
    assert hooked(hook("BeforeAgent", prompt=" ")).events == []


def test_model_call_is_told_by_the_last_piece_of_its_answer():
    intake = hooked(
        after_model(2529, 40, 2569, is_last=False),
        hook("AfterModel", llm_response={"candidates": [{"finishReason": "STOP"}]}),
        after_model(2529, 101, 2662),
    )
    [call] = intake.events
    # What the total has beyond question and answer are thoughts; what was cached is not said.
    assert (call.input_tokens, call.output_tokens, call.reasoning_tokens) == (2529, 133, 32)
    assert (call.cache_read_tokens, call.quality) == (None, "estimated")
    assert intake.drops == {"redundant": 2}


def test_what_was_cached_is_taken_out_where_it_is_said():
    given = after_model(100, 10, 110)
    given["llm_response"]["usageMetadata"]["cachedContentTokenCount"] = 60
    [call] = hooked(given).events
    assert (call.input_tokens, call.cache_read_tokens, call.quality) == (40, 60, None)


@pytest.mark.parametrize("figure", [-1, "many", 2**63])
def test_impossible_tokens_are_refused(figure):
    with pytest.raises(InvalidRecord):
        hooked(after_model(figure, 1, 2))


def test_tool_tells_its_file_and_its_commit():
    intake = hooked(
        after_tool("write_file", "x", diff("/a.py", 9, 0, True), file_path="/a.py"),
        after_tool("run_shell_command", "Output: [main 34c4d56] x", command="git commit -m x"),
    )
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.lines_added, change.language) == ("created", 9, "Python")
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["34c4d56"]


def test_tool_that_failed():
    given = after_tool("write_file", "No space left", file_path="/a.py")
    given["tool_response"]["error"] = {"message": "No space left", "type": "no_space_left"}
    [call] = hooked(given).events
    assert (call.success, call.decision) == (False, None)


def test_command_that_failed():
    [call] = hooked(after_tool("run_shell_command", "Output: x\nExit Code: 2", command="x")).events
    assert call.success is False


def test_tool_of_a_server_is_named_by_its_context():
    [call] = hooked(
        after_tool("mcp_lab_lab_echo", [{"text": "x"}], context={"server_name": "lab"})
    ).events
    assert (call.mcp_server, call.mcp_tool) == ("lab", "lab_echo")


def test_same_tool_twice_in_one_millisecond_is_two_calls_and_told_again_one():
    first, second = (after_tool("read_file", file_path=f"/{n}.py") for n in "ab")
    assert len(of_kind(hooked(first, second, first), "tool_call")) == 2


def test_person_is_there_whom_it_asks():
    intake = hooked(
        hook("Notification", notification_type="ToolPermission", message="may I"),
        hook("Notification", notification_type="Other"),
    )
    assert [event.client for event in intake.events] == ["terminal-ui"]


def test_hooks_that_tell_nothing_more_are_not_counted():
    names = ("SessionEnd", "AfterAgent", "BeforeTool", "BeforeModel", "PreCompress", "Later")
    intake = hooked(*(hook(name) for name in names))
    assert (intake.events, intake.drops) == ([], {"not_counted": 5, "unknown_record": 1})


def test_configuration_says_which_hook_it_is_where_the_json_does_not():
    given = hook("BeforeAgent", prompt="hello")
    del given["hook_event_name"], given["timestamp"]
    [message] = hooked(given, event="BeforeAgent").events
    assert (message.kind, message.ts, message.ts_source) == (
        "user_message",
        AT_MS + 5_000,
        "received",
    )
