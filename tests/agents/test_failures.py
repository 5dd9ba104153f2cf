"""Failed attempts to call a model in the recorded sessions: by status, and no call more."""

from __future__ import annotations

from collections import Counter

import pytest

from stationmaster.agents.failures import set_failure, status_of
from stationmaster.events.model import Event
from tests.agents.test_recordings import exported, transcribed
from tests.support import recordings


def failed(name: str) -> Counter[int | None]:
    """What truly failed, by status; None where the server broke the answer off."""
    found: Counter[int | None] = Counter()
    for session in recordings.expected(name):
        calls = session["model_calls"]
        by_status = calls.get("failed") or {"500": calls["failed_http_500"]}
        found.update({int(status): count for status, count in by_status.items()})
        found[None] += calls.get("aborted", {}).get("server", 0)
    return +found


def reported(events: list[Event]) -> Counter[int | None]:
    found: Counter[int | None] = Counter()
    for event in events:
        if event.kind == "model_error" and event.error_class != "aborted":
            found[event.error_status] += event.count
    return found


@pytest.mark.parametrize(
    "name", ["codex", "codex-0.58.0", "codex-0.118.0", "gemini-cli", "gemini-0.24.0"]
)
def test_exported_logs_report_every_failed_attempt(name: str) -> None:
    assert reported(exported(name, "logs")) == failed(name)


def test_session_files_of_claude_code_report_every_failed_attempt() -> None:
    assert reported(transcribed("claude-code")) == failed("claude-code")


@pytest.mark.parametrize("name", ["claude-2.1.120", "claude-2.1.197"])
def test_spans_of_claude_code_report_how_many_attempts_were_made_again(name: str) -> None:
    again = [e for e in exported(name, "traces") if e.kind == "model_error"]

    assert {e.error_class for e in again} == {"unknown"}
    assert 0 < sum(e.count for e in again) <= sum(failed(name).values())


@pytest.mark.parametrize("name", ["claude-2.0.60", "claude-2.1.39", "claude-2.1.90"])
def test_logs_of_claude_code_report_what_a_person_broke_off(name: str) -> None:
    classes = [e.error_class for e in exported(name, "logs") if e.kind == "model_error"]

    assert classes == ["aborted"]


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (429, "rate_limited"),
        (529, "overloaded"),
        ("503", "overloaded"),
        (500, "server"),
        (404, "rejected"),
        (None, "unknown"),
        ("undefined", "unknown"),
        (10**30, "unknown"),
        (float("nan"), "unknown"),
    ],
)
def test_a_status_has_one_class(status: object, error_class: str) -> None:
    event = Event(event_id="0" * 32, kind="model_error", ts=0, product="x", source="otlp_logs")
    set_failure(event, status_of(status), "unknown")

    assert event.error_class == error_class
