"""Sample files of open-source projects, where they stand beside the project."""

from __future__ import annotations

import pytest

from tests.agents.builders import of_kind
from tests.agents.filed import PUBLIC, of_file

FOLDER = PUBLIC / "droid" / "agent-sessions"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the samples are not here")


@pytest.mark.parametrize(
    ("file", "messages", "answers", "calls", "tokens"),
    [
        ("session_store_small", 1, 1, [("Execute", False)], 0),
        ("session_store_large", 2, 4, [("Execute", True)], 0),
        ("session_store_schema_drift", 1, 1, [], 0),
        ("stream_json_small", 1, 0, [("Shell", True)], 0),
        ("stream_json_large", 1, 1, [("Shell", True)], 0),
        ("stream_json_schema_drift", 1, 0, [("Execute", False)], 15),
    ],
)
def test_what_is_in_a_sample(file, messages, answers, calls, tokens):
    intake = of_file("droid", FOLDER / f"{file}.jsonl")
    assert len(of_kind(intake, "user_message")) == messages
    assert len(of_kind(intake, "assistant_message")) == answers
    assert [(e.tool_raw, e.success) for e in of_kind(intake, "tool_call")] == calls
    used = of_kind(intake, "model_call")
    assert sum(e.input_tokens + e.output_tokens for e in used) == tokens
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
