"""Sample files of open-source projects, where they stand beside the project."""

from __future__ import annotations

import shutil

import pytest

from tests.agents.builders import of_kind
from tests.agents.filed import PUBLIC, of_file

FOLDER = PUBLIC / "cursor"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the samples are not here")
TALK = "codeburn/agent-transcripts/1031d227-0c67-4e17-8954-0b6e2b3322f0"


@pytest.mark.parametrize(
    ("file", "messages", "answers", "tools"),
    [
        ("agent-sessions/small.jsonl", 2, 2, ["Bash"]),
        ("agent-sessions/large.jsonl", 3, 5, ["Bash", "Read"]),
        ("agent-sessions/schema_drift.jsonl", 1, 2, ["read_file"]),
        ("agent-sessions/app-tests/test-session.jsonl", 2, 4, ["Shell", "Shell"]),
        ("agent-sessions/app-tests/subagent-session.jsonl", 1, 2, ["Shell"]),
        ("agent-sessions/subagent/parent.jsonl", 1, 1, ["Agent"]),
        ("agent-sessions/subagent/subagents/child.jsonl", 0, 0, []),
        (f"{TALK}/1031d227-0c67-4e17-8954-0b6e2b3322f0.jsonl", 1, 1, []),
    ],
)
def test_what_is_in_a_sample(file, messages, answers, tools):
    intake = of_file("cursor", FOLDER / file)
    assert len(of_kind(intake, "user_message")) == messages
    assert len(of_kind(intake, "assistant_message")) == answers
    assert [e.tool_raw for e in of_kind(intake, "tool_call")] == tools
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops


def test_what_is_in_a_store(tmp_path):
    path = tmp_path / "store.db"
    shutil.copy(FOLDER / "agent-sessions" / "app-tests" / "test-store.db", path)
    [event] = of_file("cursor", path).events
    assert (event.ts, event.model) == (1_775_522_590_321, "claude-4-sonnet")
    assert event.session_id == "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
