"""Lines of session files of Copilot CLI, and readings of them."""

from __future__ import annotations

import json

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT, SESSION, agent, of_kind

PATH = f"/home/dev/.copilot/session-state/{SESSION}/events.jsonl"


def line(kind, at=AT, identity=None, agent_id=None, **data):
    """A line; underscores in names of data are written as Copilot writes them."""
    record = {"type": kind, "data": camel(data), "id": identity or kind, "timestamp": at}
    return record | ({"agentId": agent_id} if agent_id else {})


def camel(value):
    if isinstance(value, dict):
        return {
            spelled(key): inner if key == "arguments" else camel(inner)
            for key, inner in value.items()
        }
    return [camel(inner) for inner in value] if isinstance(value, list) else value


def spelled(key):
    first, *rest = key.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def person(text="hi", identity="u1", **data):
    return line("user.message", identity=identity, content=text, **data)


def start(**data):
    return line("session.start", session_id=SESSION, copilot_version="1.0.102", **data)


def read(*lines, path=PATH):
    intake = Intake()
    reader = agent("copilot-cli").transcript(path)
    for one in lines:
        reader.feed(one if isinstance(one, bytes) else json.dumps(one).encode(), intake)
    reader.finish(intake)
    return intake


def record(call, given, output, read_=0, written=0, reasoning=0, identity=None, **fields):
    usage = {
        "model": "gpt-5",
        "input_tokens": given,
        "output_tokens": output,
        "cache_read_tokens": read_,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
        "api_call_id": call,
        **fields,
    }
    return line("session.usage_record", identity=identity or f"record {call}", usage=usage)


def message(identity, output=None, model="gpt-5", **data):
    return line(
        "assistant.message",
        identity=f"line of {identity}",
        message_id=identity,
        model=model,
        **({} if output is None else {"output_tokens": output}),
        **data,
    )


def shutdown(given, output, read_=0, written=0, model="gpt-5"):
    usage = {
        "inputTokens": given,
        "outputTokens": output,
        "cacheReadTokens": read_,
        "cacheWriteTokens": written,
    }
    record = line("session.shutdown", identity=f"end {given}")
    record["data"]["modelMetrics"] = {model: {"requests": {"count": 1}, "usage": usage}}
    return record


def tool_start(call="c", tool="bash", arguments=None, **data):
    return line(
        "tool.execution_start",
        identity=f"start {call}",
        tool_call_id=call,
        tool_name=tool,
        arguments=arguments or {},
        **data,
    )


def tool_end(call="c", success=True, text="", **data):
    return line(
        "tool.execution_complete",
        identity=f"end {call}",
        tool_call_id=call,
        success=success,
        result={"content": text},
        **data,
    )


def figures(intake):
    """(input, output, cache read, cache write) of all model calls that count."""
    calls = of_kind(intake, "model_call")
    best = min((e.source_group for e in calls), default=0)
    counted = [e for e in calls if e.source_group == best]
    return tuple(
        sum(getattr(e, field) or 0 for e in counted)
        for field in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    )
