from __future__ import annotations

import json

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, InvalidRecord, Span
from tests.agents.builders import AT_MS, SESSION, agent, of_kind, resource, span
from tests.agents.copilot_cli.transcripts import person, read, start


def told(name, is_error=False, **attributes):
    attributes.setdefault("gen_ai__conversation__id", SESSION)
    intake = Intake()
    made = span(name, **attributes)
    one = Span(made.name, AT_MS, AT_MS + 5, made.attributes, made.trace_id, made.span_id, is_error)
    agent("copilot-cli").span(resource("github-copilot"), one, intake)
    return intake


def chat(**attributes):
    attributes.setdefault("gen_ai__usage__input_tokens", 100)
    attributes.setdefault("gen_ai__usage__output_tokens", 7)
    return told("chat gpt-5", **attributes)


def tool(name="bash", **attributes):
    attributes.setdefault("gen_ai__tool__call__id", "c")
    return told(f"execute_tool {name}", gen_ai__tool__name=name, **attributes)


def test_input_is_split_into_plain_read_and_written():
    [call] = chat(
        gen_ai__usage__input_tokens=3300,
        gen_ai__usage__cache_read__input_tokens=300,
        gen_ai__usage__cache_write__input_tokens=1999,
        gen_ai__usage__reasoning__output_tokens=4,
        gen_ai__request__model="auto",
        gen_ai__response__model="gpt-5",
        gen_ai__provider__name="github",
    ).events
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (1001, 300, 1999)
    assert (call.reasoning_tokens, call.model_tier, call.duration_ms) == (4, "thinking", 5)
    assert (call.model, call.provider) == ("gpt-5", "github")


def test_older_names_of_figures_are_read():
    [call] = chat(
        gen_ai__usage__cache_creation__input_tokens=60, gen_ai__usage__reasoning_tokens=2
    ).events
    assert (call.input_tokens, call.cache_write_tokens, call.reasoning_tokens) == (40, 60, 2)


def test_first_call_of_a_prompt_is_the_prompt_as_well():
    first = chat(
        github__copilot__initiator="user",
        github__copilot__interaction_id="i",
        gen_ai__response__id="1",
    )
    later = chat(
        github__copilot__initiator="agent",
        github__copilot__interaction_id="i",
        gen_ai__response__id="2",
    )
    assert [event.kind for event in first.events] == ["user_message", "model_call"]
    assert [event.kind for event in later.events] == ["model_call"]
    assert {event.turn_id for event in first.events + later.events} == {"i"}


def test_prompt_of_a_span_joins_that_of_the_session_file():
    spans = chat(github__copilot__initiator="user", github__copilot__interaction_id="i")
    [message] = of_kind(read(start(), person(interaction_id="i")), "user_message")
    assert of_kind(spans, "user_message")[0].event_id == message.event_id


def test_call_without_figures_failed():
    intake = told("chat gpt-5", error__type="ModelCallError")
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


def test_call_without_an_id_is_one_by_itself():
    [call] = chat().events
    assert call.event_id != chat(gen_ai__response__id="a").events[0].event_id
    [other] = told("chat gpt-5", gen_ai__usage__output_tokens=7).events
    assert other.event_id == call.event_id


def test_span_without_a_session_says_so():
    [call] = chat(gen_ai__conversation__id=None).events
    assert (call.session_id, call.quality) == (None, "no_session")


@pytest.mark.parametrize("figure", [-1, "many", 2**63, 1.5])
def test_impossible_tokens_are_refused(figure):
    with pytest.raises(InvalidRecord):
        chat(gen_ai__usage__input_tokens=figure)


def test_calls_of_a_subagent_are_its_own():
    [call] = chat(gen_ai__agent__name="explore").events
    assert (call.is_subagent, call.agent_type) == (True, "explore")


def test_span_of_the_whole_agent_sums_up_what_its_chats_say():
    intake = told("invoke_agent", gen_ai__usage__input_tokens=5)
    assert (intake.events, intake.drops) == ([], {"redundant": 1})


def test_spans_of_other_names_are_counted_as_unknown():
    assert told("compact").drops == {"unknown_record": 1}


@pytest.mark.parametrize(
    ("attributes", "is_error", "success", "decision"),
    [
        ({}, False, True, None),
        ({"process__exit__code": 0}, False, True, None),
        ({"process__exit__code": 1}, False, False, None),
        ({"process__exit__code": "2"}, False, False, None),
        ({"error__type": "timeout"}, True, False, None),
        ({"error__type": "denied"}, True, False, "reject"),
        ({}, True, False, None),
    ],
)
def test_outcome_of_a_tool(attributes, is_error, success, decision):
    [call] = tool(is_error=is_error, **attributes).events
    assert (call.success, call.decision, call.duration_ms) == (success, decision, 5)


def test_commit_is_found_in_a_command_with_and_without_its_output():
    command = "git add -A && git commit -m x"
    intake = tool(
        gen_ai__tool__call__arguments=json.dumps({"command": command}),
        gen_ai__tool__call__result="[main cb55855] x\n",
    )
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["cb55855"]
    intake = tool(github__copilot__tool__parameters__command=command)
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == [None]


def test_file_of_a_tool_is_named_by_a_parameter_or_an_argument():
    path = "/home/dev/a.py"
    by_argument = tool("edit", gen_ai__tool__call__arguments=json.dumps({"path": path}))
    by_parameter = tool("edit", github__copilot__tool__parameters__file_path=path)
    for intake in (by_argument, by_parameter):
        [change], [call] = of_kind(intake, "file_change"), of_kind(intake, "tool_call")
        assert (change.file_op, change.language) == ("edited", "Python")
        assert change.file_path_hash == call.file_path_hash
    [read] = tool("view", github__copilot__tool__parameters__file_path=path).events
    assert (read.tool, read.file_ext) == ("read", "py")


@pytest.mark.parametrize(
    ("service", "scope", "name", "is_ours"),
    [
        ("github-copilot", "", "chat gpt-5", True),
        ("renamed", "github.copilot", "invoke_agent", True),
        ("renamed", "renamed", "github.copilot.tool.call.count", True),
        ("copilot-chat", "github.copilot", "chat gpt-5", False),
        ("github-copilot", "", "claude_code.token.usage", False),
        ("other", "", "chat gpt-5", False),
    ],
)
def test_whose_records_they_are(service, scope, name, is_ours):
    sender = recognition.find_otlp(service, scope, name)
    assert (sender is agent("copilot-cli")) is is_ours


def test_it_has_no_logs():
    intake = Intake()
    from tests.agents.builders import log

    agent("copilot-cli").log(resource("github-copilot"), log("user_prompt"), intake)
    assert (intake.events, intake.drops) == ([], {"unknown_record": 1})
