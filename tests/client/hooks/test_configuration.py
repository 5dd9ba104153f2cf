"""Hook configurations are judged by the specification, each fault with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Form, Hooks
from stationmaster.client.hooks.configuration import SPECIFIED, check, form_of

HOOK = {"type": "command", "command": "notify-send done", "timeout": 5}


def form(product: str) -> Form:
    hooks = cards.get(product).hooks
    assert isinstance(hooks, Hooks)
    assert hooks.form is not None
    return hooks.form


CURSOR, COPILOT = form("cursor"), form("copilot-cli")


def of(hook: object) -> str:
    return json.dumps({"Stop": [{"hooks": [hook]}]})


@pytest.mark.parametrize("event", SPECIFIED.events)
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


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/home/ada/.cursor/hooks.json", CURSOR),
        ("/etc/cursor/hooks.json", CURSOR),
        ("/srv/project/.cursor/hooks.json", CURSOR),
        ("/home/ada/.copilot/hooks/mine.json", COPILOT),
        ("/srv/project/.github/hooks/mine.json", COPILOT),
        ("/home/ada/.claude/settings.json", SPECIFIED),
        ("/srv/project/.factory/hooks.json", SPECIFIED),
    ],
)
def test_the_folder_of_a_file_says_whose_form_it_has(path: str, form: object) -> None:
    assert form_of(Path(path)) is form


def test_a_configuration_of_cursor_is_judged_by_cursors_form() -> None:
    hook = {"command": "./audit.sh", "timeout": 30, "matcher": "Write"}
    good = {"version": 1, "hooks": {"afterFileEdit": [hook], "stop": [{"type": "prompt"}]}}

    assert check(json.dumps(good), CURSOR) == []


@pytest.mark.parametrize(
    ("content", "place", "told"),
    [
        ({"hooks": {}}, "", "`version` is missing"),
        ({"version": "1", "hooks": {}}, "version", "a number is expected, not a text"),
        ({"version": 1}, "", "the object `hooks` is missing"),
        ({"version": 1, "hooks": []}, "hooks", "an object is expected, not a list"),
        ({"version": 1, "hooks": {"Stop": []}}, "hooks.Stop", "is no hook event; stop is one"),
        (
            {"version": 1, "hooks": {"stop": [{"hooks": []}]}},
            "hooks.stop[0]",
            "`command` is missing",
        ),
        ({"version": 1, "hooks": {"stop": ["x"]}}, "hooks.stop[0]", "an object, not a text"),
        (
            {"version": 1, "hooks": {"stop": [{"command": "x", "timeout": "5"}]}},
            "hooks.stop[0].timeout",
            "a number of seconds is expected",
        ),
    ],
)
def test_a_fault_in_cursors_form_is_named_with_its_place(
    content: object, place: str, told: str
) -> None:
    [fault] = check(json.dumps(content), CURSOR)

    assert fault.place == place
    assert told in fault.text


def test_a_configuration_of_copilot_is_judged_by_copilots_form() -> None:
    hook = {"type": "command", "bash": "./audit.sh", "powershell": "audit", "timeoutSec": 5}

    assert check(json.dumps({"version": 1, "hooks": {"postToolUse": [hook]}}), COPILOT) == []
    [fault] = check(json.dumps({"version": 1, "hooks": {"agentStop": [{"url": "x"}]}}), COPILOT)
    assert fault.text == "`bash` or `powershell` or `command` is missing"
