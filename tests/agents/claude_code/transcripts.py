"""Readings of session files made of lines, and sums of them."""

from __future__ import annotations

from tests.agents.builders import (
    AT,
    SESSION,
    of_kind,
    transcript,
)


def read(*lines, path=f"/p/{SESSION}.jsonl"):
    return transcript("claude-code", lines, path)


def totals(intake):
    calls = of_kind(intake, "model_call")
    return len(calls), sum(call.output_tokens for call in calls)


def progress(line, agent_id="a1"):
    """A line of the waiting session that repeats one of its subagent."""
    inner = {key: value for key, value in line.items() if key != "sessionId"}
    data = {"type": "agent_progress", "agentId": agent_id, "message": inner}
    return {"type": "progress", "sessionId": SESSION, "timestamp": AT, "data": data}
