from __future__ import annotations

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, Log, Point, Span
from tests.agents.builders import AT_MS, SESSION, agent, dotted, of_kind, resource

START_MS = AT_MS - 60_000


def point(name, value=1.0, is_delta=True, time_ms=AT_MS, **attributes):
    known = {"session.id": SESSION, **dotted(attributes)}
    series = f"{name}{sorted(known.items())}"
    return Point(f"droid.{name}", value, is_delta, START_MS, time_ms, known, series)


def read(*points):
    intake = Intake()
    agent("droid").points(resource("cli", **{"user.id": "u"}), points, intake)
    return intake


def test_metrics_are_known_by_their_prefix_because_their_service_is_called_cli():
    assert recognition.find_otlp("cli", "", "droid.tool.invocations") is agent("droid")
    assert recognition.find_otlp("cli", "", "process.cpu.time") is None


def test_tools_are_counted_by_name():
    intake = read(
        point("tool.invocations", 3.0, tool__name="Execute"),
        point("tool.invocations", 2.0, tool__name="Read"),
    )
    assert [(e.tool, e.count, e.is_aggregate, e.session_id) for e in intake.events] == [
        ("shell", 3, True, SESSION),
        ("read", 2, True, SESSION),
    ]


def test_call_of_a_servers_tool_in_both_counters_is_one():
    for called in ("mcp__lab__echo", "lab___echo", "echo"):
        intake = read(
            point("tool.invocations", tool__name=called),
            point("tool.invocations", tool__name="Read"),
            point("mcp.tool_invocations", mcp__server="Lab", mcp__tool="echo"),
            point("mcp.tool_invocations", mcp__server="lab", mcp__tool="echo"),
        )
        names = [(e.tool_raw, e.mcp_server) for e in intake.events if e.tool_kind == "mcp"]
        assert names == [("mcp__Lab__echo", "lab"), ("mcp__lab__echo", "lab")]
        assert [e.tool for e in intake.events if e.tool_kind != "mcp"] == ["read"]


def test_servers_tool_in_the_counter_of_all_tools_alone_counts():
    [made] = read(point("tool.invocations", tool__name="mcp__lab__echo")).events
    assert (made.mcp_server, made.mcp_tool) == ("lab", "echo")


@pytest.mark.parametrize(
    ("metric", "attributes", "kind", "field", "name"),
    [
        ("skill.invocations", {"skill__name": "deploy"}, "skill", "skill", "deploy"),
        ("hook.invocations", {"hook__event": "Stop"}, "hook", "hook_event", "Stop"),
        ("hook.invocations", {"hook__name": "Stop"}, "hook", "hook_event", "Stop"),
        ("hook.invocations", {}, "hook", "hook_event", "unknown"),
        (
            "slash_command.invocations",
            {"command__name": "/review all"},
            "slash_command",
            "slash_command",
            "review",
        ),
        ("slash_command.invocations", {}, "slash_command", "slash_command", "unknown"),
        ("tool.invocations", {}, "tool_call", "tool", "unknown"),
        ("code.files_modified", {}, "file_change", "file_op", "edited"),
        ("git.commits", {}, "git_commit", "commit_sha", None),
        ("git.pull_requests", {}, "git_pull_request", "pr_url", None),
    ],
)
def test_every_counter_is_its_kind(metric, attributes, kind, field, name):
    [event] = read(point(metric, 4.0, **attributes)).events
    assert (event.kind, getattr(event, field), event.count) == (kind, name, 4)


@pytest.mark.parametrize(
    "metric", ["tool.execution_time", "code.files_read", "code.lines_modified", "repo.metadata"]
)
def test_what_no_report_needs_is_dropped(metric):
    assert read(point(metric)).drops == {"not_counted": 1}


def test_unknown_counter_is_told_apart():
    assert read(point("brandnew")).drops == {"unknown_record": 1}


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_impossible_figures_are_dropped(value):
    assert read(point("git.commits", value)).drops == {"not_counted": 1}


def test_repeated_export_is_the_same_and_a_later_one_is_not():
    first, again = read(point("git.commits")), read(point("git.commits"))
    later = read(point("git.commits", time_ms=AT_MS + 60_000))
    assert first.events == again.events
    assert first.events[0].event_id != later.events[0].event_id


def test_a_running_figure_replaces_the_one_before():
    intake = Intake()
    known = agent("droid")
    for value, time_ms in ((2.0, AT_MS), (7.0, AT_MS + 2), (3.0, AT_MS + 1)):
        running = point("git.commits", value, is_delta=False, time_ms=time_ms)
        known.points(resource("cli"), [running], intake)
    [event] = intake.events
    assert (event.count, event.ts, event.quality) == (7, START_MS, "spread")


def test_point_without_a_session_says_so():
    nameless = Point("droid.git.commits", 1.0, True, START_MS, AT_MS, {}, "s")
    [event] = read(nameless).events
    assert (event.session_id, event.quality) == (None, "no_session")


def test_account_is_the_installation():
    [event] = read(point("git.commits", user__id="user_01")).events
    assert event.installation == "user_01"


def test_spans_of_content_and_logs_are_dropped_and_nothing_of_them_is_asked_for():
    known, intake = agent("droid"), Intake()
    known.span(resource("cli"), Span("droid.tool.call", 0, 1, {}, "", "", False), intake)
    known.log(resource("cli"), Log("droid.x", 0, "event", {}), intake)
    assert (intake.events, intake.drops) == ([], {"not_counted": 1, "unknown_record": 1})
    assert not known.span.knows("droid.tool.call")


def test_kinds_of_a_whole_export():
    intake = read(point("tool.invocations", tool__name="Edit"), point("code.files_modified", 2.0))
    assert len(of_kind(intake, "tool_call")) == len(of_kind(intake, "file_change")) == 1
