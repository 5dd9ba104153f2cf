"""Chapter Resources, Tool row: ratios and names."""

from __future__ import annotations

from typing import Any

import pytest

from stationmaster.events.model import Event
from tests.conformance.conftest import House
from tests.spec import day
from tests.support.builders import an_event


def row(house: House, mark: str, events: list[Event]) -> dict[str, Any]:
    org = house.another(mark)
    day.send(house.client(of=org), events)
    asked = {"startDate": "2026-11-20", "endDate": "2026-11-20"}
    answer = house.client(of=org).get("/api/v1/analytics/tools", params=asked)
    [found] = answer.json()["data"]
    return dict(found)


def call(**fields: Any) -> Event:
    return an_event(kind="tool_call", tool="Read", **fields)


def test_autonomy_level_fractions_add_up_to_one(house: House) -> None:
    modes = ("auto-high", "auto-medium", "auto-low", "manual")

    found = row(house, "fractions", [call(autonomy=mode) for mode in modes])

    assert found["tool_autonomy_level_ratio"] == {
        "auto_high": 0.25,
        "auto_medium": 0.25,
        "auto_low": 0.25,
        "manual": 0.25,
    }


def test_calls_in_specification_mode_count_as_manual_as_decided(house: House) -> None:
    found = row(house, "specification", [call(autonomy="spec"), call(autonomy="auto-high")])

    assert found["tool_autonomy_level_ratio"] == {
        "auto_high": 0.5,
        "auto_medium": 0.0,
        "auto_low": 0.0,
        "manual": 0.5,
    }


def test_mcp_servers_whose_names_differ_only_by_case_are_one_server_as_decided(
    house: House,
) -> None:
    calls = [call(tool_kind="mcp", mcp_server=name) for name in ("Tracker", "tracker")]

    found = row(house, "case", calls)

    assert found["mcp_by_server"] == [{"server": "tracker", "invocations": 2}]


@pytest.mark.parametrize("users", [1, 2])
def test_mcp_users_with_mcp_counts_users_who_used_mcp_servers(house: House, users: int) -> None:
    names = [f"user{number}@example.com" for number in range(users)]
    calls = [
        call(tool_kind="mcp", mcp_server="tracker", user_email=name, session_id=name)
        for name in names
    ]

    found = row(house, f"mcp-{users}", [*calls, call(user_email="plain@example.com")])

    assert found["mcp_users_with_mcp"] == users


def test_hook_executions_are_counted_by_event_matcher_and_command(house: House) -> None:
    hook: dict[str, Any] = {"kind": "hook", "hook_event": "PreToolUse", "hook_command": "lint"}
    events = [
        *(an_event(**hook, hook_matcher="Bash") for _ in range(2)),
        an_event(**hook, hook_matcher="Edit"),
        *(
            an_event(kind="hook", hook_event=name, hook_command="notify")
            for name in ("Notification", "Stop", "SubagentStop", "SessionEnd")
        ),
    ]

    found = row(house, "hooks", events)

    assert found["hooks_invocations"] == 7
    assert [tuple(hook.values()) for hook in found["hooks_by_event"]] == [
        ("PreToolUse", "Bash", "lint", 2),
        ("Notification", "", "notify", 1),
        ("PreToolUse", "Edit", "lint", 1),
        ("SessionEnd", "", "notify", 1),
        ("Stop", "", "notify", 1),
        ("SubagentStop", "", "notify", 1),
    ]
