"""Hook configurations are judged by the specification, each fault with its place."""

from __future__ import annotations

import json

import pytest

from stationmaster.client.hook_configuration import EVENTS, check

HOOK = {"type": "command", "command": "notify-send done", "timeout": 5}


def of(hook: object) -> str:
    return json.dumps({"Stop": [{"hooks": [hook]}]})


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_of_the_specification_is_known(event: str) -> None:
    assert check(json.dumps({event: [{"matcher": "Write", "hooks": [HOOK]}]})) == []


@pytest.mark.parametrize(
    "text", ["{}", '{"Stop": []}', '{"Stop": [{"hooks": []}]}', '\ufeff{"hooks": {"Stop": []}}']
)
def test_a_configuration_may_be_empty_and_may_stand_below_hooks(text: str) -> None:
    assert check(text) == []


def test_a_timeout_may_be_left_out_or_have_a_fraction() -> None:
    assert check(of({"type": "command", "command": "true"})) == []
    assert check(of(HOOK | {"timeout": 0.5})) == []


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("", "", "line 1, column 1"),
        ('{"Stop": [}', "", "line 1, column 11"),
        ("[]", "", "an object keyed by hook events is expected, not a list"),
        ('{"hooks": []}', "hooks", "an object is expected, not a list"),
        ('{"Stopp": []}', "Stopp", "is no hook event; Stop is one"),
        ('{"stop": []}', "stop", "is no hook event; Stop is one"),
        ('{"Xyz": []}', "Xyz", "is no hook event; known are PreToolUse"),
        ('{"hooks": {"Stopp": []}}', "hooks.Stopp", "is no hook event"),
        ('{"Stop": {}}', "Stop", "a list of entries is expected, not an object"),
        ('{"Stop": ["x"]}', "Stop[0]", "an entry is an object with `hooks`, not a text"),
        ('{"Stop": [{}]}', "Stop[0]", "the list `hooks` is missing"),
        ('{"Stop": [{"hooks": {}}]}', "Stop[0].hooks", "a list is expected, not an object"),
        ('{"Stop": [{"matcher": 1, "hooks": []}]}', "Stop[0].matcher", "not a number"),
        ('{"Stop": [], "Stop": []}', "Stop", "more than once"),
        (of("x"), "Stop[0].hooks[0]", "a hook is an object, not a text"),
        (of({"command": "x"}), "Stop[0].hooks[0]", "`type` is missing"),
        (of(HOOK | {"type": "http"}), "Stop[0].hooks[0].type", '`command` is expected, not "http"'),
        (of({"type": "command"}), "Stop[0].hooks[0]", "`command` is missing"),
        (of(HOOK | {"command": ["ls"]}), "Stop[0].hooks[0].command", "not a list"),
        (of(HOOK | {"command": " "}), "Stop[0].hooks[0].command", "is empty"),
        (of(HOOK | {"timeout": "60"}), "Stop[0].hooks[0].timeout", "seconds is expected, not a"),
        (of(HOOK | {"timeout": True}), "Stop[0].hooks[0].timeout", "not true or false"),
        (of(HOOK | {"timeout": 0}), "Stop[0].hooks[0].timeout", "above 0 is expected, not 0"),
        (of(HOOK | {"timeout": None}), "Stop[0].hooks[0].timeout", "not null"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, place: str, told: str) -> None:
    [fault] = check(text)

    assert fault.place == place
    assert told in fault.text


def test_every_fault_is_told() -> None:
    faults = check('{"Stop": [{}, {"hooks": [{}]}], "Nope": 1}')

    assert [fault.place for fault in faults] == [
        *("Stop[0]", "Stop[1].hooks[0]", "Stop[1].hooks[0]"),
        *("Nope", "Nope"),
    ]


def test_deep_nesting_is_a_fault_and_no_crash() -> None:
    assert check("[" * 100_000) != []
