"""Threads in session files: calls of models, copied history, modes and clients."""

from __future__ import annotations

import pytest

from tests.agents.builders import (
    of_kind,
    rollout,
    token_count,
    usage,
)
from tests.agents.codex.rollouts import HISTORY, call, item, meta, read


def summed(*intakes):
    """(calls, input, cached, output) of the distinct model calls of several files."""
    calls = {event.event_id: event for intake in intakes for event in of_kind(intake, "model_call")}
    return (
        len(calls),
        sum(event.input_tokens for event in calls.values()),
        sum(event.cache_read_tokens for event in calls.values()),
        sum(event.output_tokens for event in calls.values()),
    )


def test_repeated_totals_are_no_calls():
    first, second = usage(1000, 250, 125, 0), usage(2500, 750, 425, 0)
    intake = read(
        meta(),
        token_count(first, usage(1000, 250, 125, 0)),
        token_count(first, usage(1000, 250, 125, 0)),
        rollout("event_msg", type_="token_count", info=None),
        token_count(second, usage(1500, 500, 300, 0)),
    )
    assert summed(intake) == (2, 1750, 750, 425)


def test_record_and_count_of_one_call_are_one():
    figures = usage(1000, 250, 125, 0)
    record = rollout("token_usage_record", usage=figures, thread_token_usage=figures)
    assert summed(read(meta(), record, token_count(figures, figures))) == (1, 750, 250, 125)


def test_missing_last_usage_is_the_difference_of_totals():
    intake = read(
        meta(), token_count(usage(10, 2, 3, 0), None), token_count(usage(30, 8, 7, 0), None)
    )
    assert summed(intake) == (2, 22, 8, 7)


def test_model_is_the_calls_own_else_the_turns():
    intake = read(
        meta(),
        rollout("turn_context", turn_id="t", model="gpt-5.2-codex"),
        token_count(usage(10, 0, 1, 0), usage(10, 0, 1, 0)),
        token_count(usage(20, 0, 2, 0), usage(10, 0, 1, 0), model="gpt-5.3-codex"),
    )
    assert [e.model for e in of_kind(intake, "model_call")] == ["gpt-5.2-codex", "gpt-5.3-codex"]


def later(lines):
    return [{**line, "timestamp": "2026-11-21T09:00:00.000Z"} for line in lines]


def test_copied_history_of_a_fork_counts_once():
    own = token_count(usage(35, 0, 9, 0), usage(5, 0, 6, 0))
    parent = read(meta("parent"), *HISTORY)
    child = read(meta("child", forked_from_id="parent"), *later(HISTORY), own)
    assert summed(parent, child) == (4, 35, 0, 9)


def test_siblings_of_a_missing_parent_bill_the_history_once():
    owns = [token_count(usage(30 + n, 0, 3 + n, 0), usage(n, 0, n, 0)) for n in (1, 2)]
    siblings = [
        read(meta(f"s{n}", forked_from_id="gone"), *HISTORY, own) for n, own in enumerate(owns)
    ]
    assert summed(*siblings) == (5, 33, 0, 6)


def test_fork_of_a_fork_has_the_identities_of_the_first():
    parent = read(meta("first"), *HISTORY)
    grandchild = read(
        meta("third", forked_from_id="second"),
        meta("second", forked_from_id="first"),
        meta("first"),
        *later(HISTORY),
    )
    assert summed(parent, grandchild) == (3, 30, 0, 3)


def test_spawned_thread_is_a_subagent_of_its_parent_and_repeats_nothing():
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}}
    parent = read(meta("parent"), *HISTORY)
    child = read(
        meta("child", source=source),
        *later(HISTORY),
        rollout("event_msg", type_="user_message", message="do this part"),
        token_count(usage(31, 0, 4, 0), usage(1, 0, 1, 0)),
    )
    assert summed(parent, child) == (4, 31, 0, 4)
    assert of_kind(child, "user_message") == []
    assert {(e.root_session_id, e.is_subagent) for e in child.events} == {("parent", True)}


def test_helper_thread_is_auxiliary():
    intake = read(meta(source={"subagent": "review"}), *HISTORY)
    assert {event.is_auxiliary for event in intake.events} == {True}


@pytest.mark.parametrize(
    ("source", "originator", "client", "surface"),
    [
        ("exec", "codex_exec", "non-interactive-cli", "cli"),
        ("cli", "codex-tui", "terminal-ui", "cli"),
        ("vscode", "codex_vscode", "terminal-ui", "ide"),
        (None, "Codex Desktop", "terminal-ui", "desktop"),
        ("mcp", None, "non-interactive-cli", "sdk"),
        ("new", "newer", None, None),
    ],
)
def test_client_is_read_off_source_and_originator(source, originator, client, surface):
    [context] = read(meta(source=source, originator=originator)).events
    assert (context.client, context.surface) == (client, surface)


@pytest.mark.parametrize(
    ("context", "level"),
    [
        (
            {"approval_policy": "never", "sandbox_policy": {"mode": "danger-full-access"}},
            "auto-high",
        ),
        (
            {"approval_policy": {"granular": {}}, "sandbox_policy": {"type": "workspace-write"}},
            "auto-low",
        ),
        (
            {
                "approval_policy": "on-request",
                "sandbox_policy": {"type": "workspace-write"},
                "approvals_reviewer": "auto_review",
            },
            "auto-medium",
        ),
        ({"approval_policy": "never", "permission_profile": {"type": "disabled"}}, "auto-high"),
        (
            {
                "approval_policy": "never",
                "permission_profile": {
                    "type": "managed",
                    "file_system": {"entries": [{"access": "write"}]},
                },
            },
            "auto-medium",
        ),
        ({"approval_policy": "never", "permission_profile": {"type": "managed"}}, "manual"),
        ({"approval_policy": "never", "collaboration_mode": {"mode": "plan"}}, "spec"),
    ],
)
def test_turn_context_is_a_level_of_autonomy(context, level):
    intake = read(meta(), rollout("turn_context", turn_id="t", **context), call("c1"))
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == [level]
    assert [event.autonomy for event in of_kind(intake, "tool_call")] == [level]


def test_message_written_in_both_forms_counts_once():
    line = rollout("event_msg", type_="user_message", message="x")
    assert len(of_kind(read(meta(), item(type="UserMessage", id="i"), line), "user_message")) == 1
    assert len(of_kind(read(meta(), line), "user_message")) == 1


def test_injected_user_items_are_no_messages():
    line = rollout("response_item", type_="message", role="user", content=[])
    assert of_kind(read(meta(), line), "user_message") == []


def test_repository_loses_its_credentials():
    git = {"repository_url": "https://u:secret@git.example.com/Acme/calc.git", "branch": "main"}
    [context] = read(meta(git=git)).events
    assert (context.repo, context.branch) == ("git.example.com/acme/calc", "main")


@pytest.mark.parametrize("line", [b"{not json", b"[]", b"null", b"[" * 100_000, b"\xff"])
def test_lines_that_are_no_records_stop_nothing(line):
    assert summed(read(meta(), line, *HISTORY)) == (3, 30, 0, 3)


def test_impossible_tokens_reject_their_line_only():
    wrong = token_count(usage(-5, 0, 0, 0), usage(-5, 0, 0, 0))
    intake = read(meta(), wrong, *HISTORY)
    assert (summed(intake), intake.drops["invalid"]) == ((3, 30, 0, 3), 1)


def test_service_tier_is_that_of_the_threads_settings_at_the_time():
    def applied(**settings):
        return rollout("event_msg", type_="thread_settings_applied", thread_settings=settings)

    intake = read(
        meta(),
        applied(service_tier="priority"),
        token_count(usage(10, 2), usage(10, 2)),
        applied(model="gpt-6-sol"),
        token_count(usage(30, 5), usage(20, 3)),
    )
    assert [call.service_tier for call in of_kind(intake, "model_call")] == ["priority", None]


@pytest.mark.parametrize(
    ("effort", "tier"), [(None, None), ("none", "standard"), ("low", "thinking")]
)
def test_an_effort_that_is_not_reported_is_not_a_standard_one(effort, tier):
    intake = read(
        rollout("turn_context", model="gpt-5.6-terra", effort=effort),
        token_count(usage(10, 0, 5, 0), usage(10, 0, 5, 0)),
    )
    [call] = of_kind(intake, "model_call")
    assert call.model_tier == tier
