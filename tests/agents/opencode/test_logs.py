"""The log records of a plugin that exports OpenCode's events."""

from __future__ import annotations

import pytest

from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.agents.opencode.agent import AGENT
from tests.agents.builders import AT_MS, log, resource
from tests.agents.counting import counted, facts
from tests.support.talks import Talk, answer, call, forwarded, hooked, prompt, session

SESSION = session()["id"]


def logs(*records, **attributes):
    intake = Intake()
    sender = resource("opencode", **attributes)
    sender.service_version = "0.9.0"
    for record in records:
        record.attributes.setdefault("session.id", SESSION)
        AGENT.log(sender, record, intake)
    return intake


def request(at_ms=AT_MS, **attributes):
    figures = {
        "input_tokens": 10,
        "output_tokens": 20,
        "reasoning_tokens": 3,
        "cache_read_tokens": 40,
        "cache_creation_tokens": 50,
    }
    known = {"model": "claude-sonnet-4-5", "provider": "anthropic", "cost_usd": 0.5}
    return log("api_request", at_ms, **{**figures, **known, **attributes})


def test_a_request_has_disjoint_tokens_and_reasoning_in_its_output():
    [event] = logs(request(duration_ms=700)).events
    assert (event.input_tokens, event.output_tokens, event.reasoning_tokens) == (10, 23, 3)
    assert (event.cache_read_tokens, event.cache_write_tokens) == (40, 50)
    assert (event.model, event.provider, event.model_tier) == (
        "claude-sonnet-4-5",
        "anthropic",
        "thinking",
    )
    assert (event.cost_usd, event.duration_ms) == (0.5, 700)
    assert (event.session_id, event.root_session_id) == (SESSION, SESSION)


def test_the_version_is_the_plugins_and_left_out():
    assert logs(request(app__version="0.9.0")).events[0].product_version is None


def test_a_request_is_known_by_its_time_and_its_figures():
    events = logs(request(), request(), request(AT_MS + 1), request(output_tokens=21)).events
    assert len(events) == 3


@pytest.mark.parametrize("prefix", ["", "opencode.", "claude_code."])
def test_records_are_read_with_the_prefix_of_any_plugin(prefix):
    record = request()
    record.name = prefix + record.name
    assert [event.kind for event in logs(record).events] == ["model_call"]


def test_a_prompt_has_its_length_and_a_subagents_prompt_is_none():
    prompts = [
        log("user_prompt", AT_MS, prompt_length=12, agent="build"),
        log("user_prompt", AT_MS + 1, prompt_length=99, agent="general"),
        log("user_prompt", AT_MS + 2, prompt_length=99, agent="mine", agent__type="subagent"),
    ]
    assert [event.prompt_length for event in logs(*prompts).events] == [12]


def test_the_agent_tells_planning_helpers_and_subagents():
    events = logs(
        request(AT_MS, agent="plan"),
        request(AT_MS + 1, agent="title"),
        request(AT_MS + 2, agent="explore"),
        request(AT_MS + 3, agent="build"),
    ).events
    assert [event.autonomy for event in events] == ["spec", None, None, None]
    assert [event.is_auxiliary for event in events] == [False, True, False, False]
    assert [event.is_subagent for event in events] == [False, False, True, False]
    assert [event.agent_type for event in events] == [None, None, "explore", None]


def test_a_tool_result_has_its_outcome():
    [event] = logs(log("tool_result", tool_name="bash", success=True, duration_ms=5)).events
    assert (event.tool, event.tool_raw, event.success, event.duration_ms) == (
        "shell",
        "bash",
        True,
        5,
    )


def test_a_refused_call_is_rejected():
    error = "Error: The user rejected permission to use this specific tool call."
    [event] = logs(log("tool_result", tool_name="bash", success=False, error=error)).events
    assert (event.decision, event.decision_source) == ("reject", "user")
    [event] = logs(log("tool_result", tool_name="invalid", success=True)).events
    assert (event.success, event.decision) == (False, "reject")


def test_a_redacted_tool_is_marked():
    [event] = logs(log("claude_code.tool_result", tool_name="redacted", success=True)).events
    assert event.quality == "redacted_name"


def test_skills_and_commits_and_sessions_are_told():
    events = logs(
        log("skill_invoked", skill_name="deploy", description="what it does"),
        log("commit"),
        log("session.created", is_subagent=False),
    ).events
    assert [(event.kind, event.skill, event.quality) for event in events] == [
        ("skill", "deploy", None),
        ("git_commit", None, "estimated"),
        ("session_context", None, None),
    ]


@pytest.mark.parametrize(
    "name",
    ["tool_decision", "session.idle", "session.error", "api_error", "subtask_invoked", "created"],
)
def test_other_records_are_not_counted(name):
    intake = logs(log(name, tool_name="Edit this file: /home/x"))
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


def test_a_record_of_the_program_that_is_called_like_one_of_the_plugin_is_not_counted():
    intake = Intake()
    AGENT.log(resource("opencode"), log("commit", fiberId=5), intake)
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


def test_an_impossible_figure_is_refused():
    with pytest.raises(InvalidRecord):
        logs(request(output_tokens=-1))


def test_the_program_and_a_plugin_together_count_once():
    talk = Talk(session(), [prompt(), answer(call("read"))])
    ours = hooked(forwarded(talk)).events
    theirs = logs(
        log("user_prompt", AT_MS + 1_000, prompt_length=5),
        request(AT_MS + 2_000),
        log("tool_result", AT_MS + 2_100, tool_name="read", success=True),
    ).events
    assert facts(counted(ours + theirs)) == facts(counted(hooked(forwarded(talk)).events))
    assert facts(counted(theirs))["output"] == 23
