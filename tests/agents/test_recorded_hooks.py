"""What truly happened in every recorded session comes out of the hooks of the agents that join
them with their other sources."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stationmaster.agents.interface import Intake
from stationmaster.events.model import Event
from tests.agents import otlp_reader
from tests.agents.builders import agent
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.agents.test_recordings import exported, transcribed
from tests.support import marking
from tests.support.hooks import named_hooks
from tests.support.recordings import expected

AGENTS = ("claude-code", "codex")
SESSIONS = [
    pytest.param(product, session, id=f"{product}-{session['run']}")
    for product in AGENTS
    for session in expected(product)
]
NO_CALLS = dict.fromkeys(("input", "output", "cache_read", "cache_write", "assistant_messages"), 0)
"""A hook knows of no model call."""


def hooked(product: str) -> list[Event]:
    intake = Intake()
    for number, (_, given) in enumerate(named_hooks(product)):
        agent(product).hook(None, given, otlp_reader.RECEIVED_MS + number, intake)
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return intake.events


def in_words_of_hooks(product: str, told: dict[str, Any]) -> dict[str, Any]:
    """Codex calls its shell by another name in hooks, and does not tell the sandbox."""
    if product != "codex":
        return told
    tools = {
        "Bash" if name == "exec_command" else name: count for name, count in told["tools"].items()
    }
    return told | {"tools": tools, "autonomy": []}


@pytest.mark.parametrize(("product", "session"), SESSIONS)
def test_hooks_alone_tell_the_session_but_its_model_calls_and_its_client(product, session):
    told = facts(counted(hooked(product), session["session_id"]))
    true = truth(session, AUTONOMY[product, session["run"]]) | NO_CALLS | {"clients": []}
    assert told == in_words_of_hooks(product, true)


@pytest.mark.parametrize("others", ["exports", "session file", "both"])
@pytest.mark.parametrize(("product", "session"), SESSIONS)
def test_hooks_beside_other_sources_count_once(product, session, others):
    events = hooked(product)
    if others != "session file":
        events += exported(product, "logs", "metrics", "traces")
    if others != "exports":
        events += transcribed(product)
    told = facts(counted(events, session["session_id"]))
    assert told == truth(session, AUTONOMY[product, session["run"]])


@pytest.mark.parametrize("product", AGENTS)
def test_every_commit_of_a_hook_has_the_id_git_gave_it(product):
    made = [e.commit_sha for e in hooked(product) if e.kind == "git_commit"]
    true = [c["sha"] for s in expected(product) for c in s["git_commits"]]
    assert sorted(made) == sorted(sha[:7] for sha in true)


@pytest.mark.parametrize("product", AGENTS)
def test_created_and_changed_lines_of_hooks_agree_with_git(product):
    session = next(s for s in expected(product) if s["run"] == "basic")
    changes = [
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in hooked(product)
        if e.kind == "file_change" and e.session_id == session["session_id"]
    ]
    assert changes == [("created", "py", "Python", 9, 0), ("edited", "py", "Python", 2, 2)]


@pytest.mark.parametrize("product", AGENTS)
def test_no_content_of_a_hook_reaches_an_event(product):
    intake = Intake()
    for _, given in named_hooks(product):
        agent(product).hook(None, marking.members(given), otlp_reader.RECEIVED_MS, intake)
    kinds = {event.kind for event in intake.events}
    assert {"user_message", "tool_call", "file_change", "git_commit", "session_end"} <= kinds
    assert marking.MARK.lower() not in msgspec.json.encode(intake.events).decode().lower()
