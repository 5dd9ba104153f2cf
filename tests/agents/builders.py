"""Builders of small records and session lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stationmaster.agents import recognition
from stationmaster.agents.interface import Agent, Intake, Log, Point, Resource, Span
from stationmaster.events.model import Event

SESSION = "11111111-2222-4333-8444-555555555555"
AT_MS = 1_795_226_773_682
AT = "2026-11-21T02:06:13.682Z"


def agent(product: str) -> Agent:
    known = recognition.by_product(product)
    assert known is not None
    return known


def resource(service: str, **attributes: Any) -> Resource:
    return Resource(service, "9.9", attributes, AT_MS)


def log(name: str, at_ms: int = AT_MS, **attributes: Any) -> Log:
    """A log record; underscores in names stand for themselves, `__` for a dot."""
    return Log(name, at_ms, "event", dotted(attributes))


def span(name: str, **attributes: Any) -> Span:
    return Span(name, AT_MS, AT_MS + 5, dotted(attributes), "a" * 32, "b" * 16, False)


def point(name: str, value: float, is_delta: bool = True, **attributes: Any) -> Point:
    known = dotted(attributes)
    return Point(name, value, is_delta, AT_MS - 60_000, AT_MS, known, f"{name}{sorted(known)}")


def dotted(attributes: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("__", "."): value for key, value in attributes.items()}


def claude_logs(*records: Log) -> Intake:
    intake = Intake()
    for record in records:
        record.attributes.setdefault("session.id", SESSION)
        agent("claude-code").log(resource("claude-code"), record, intake)
    return intake


def codex_logs(*records: Log, service: str = "codex_exec") -> Intake:
    intake = Intake()
    for record in records:
        record.attributes.setdefault("conversation.id", SESSION)
        agent("codex").log(resource(service), record, intake)
    return intake


def transcript(product: str, lines: Iterable[Any], path: str = f"/p/{SESSION}.jsonl") -> Intake:
    """What a session file of these lines says; a line is an object or bytes as they are."""
    intake = Intake()
    reader = agent(product).transcript(path)
    for line in lines:
        reader.feed(line if isinstance(line, bytes) else json.dumps(line).encode(), intake)
    reader.finish(intake)
    return intake


def what_happened(intake: Intake) -> Intake:
    """The same without the events that say that a hook ran, which every hook tells."""
    intake.keep(lambda event: event.kind != "hook")
    return intake


def of_kind(intake: Intake, kind: str) -> list[Event]:
    return [event for event in intake.events if event.kind == kind]


def user(text: Any, **fields: Any) -> dict[str, Any]:
    """A Claude Code line with a person's message, or with other content."""
    return {
        "type": "user",
        "sessionId": SESSION,
        "timestamp": AT,
        "message": {"role": "user", "content": text},
        **fields,
    }


def assistant(
    message_id: str, output: int, *blocks: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    """A Claude Code line with one part of a model's answer."""
    usage = {
        "input_tokens": 3,
        "output_tokens": output,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 7,
    }
    message = {
        "id": message_id,
        "role": "assistant",
        "model": "claude-opus-4-5-20251101",
        "content": list(blocks),
        "usage": usage,
        "stop_reason": fields.pop("stop_reason", None),
    }
    return {
        "type": "assistant",
        "sessionId": SESSION,
        "timestamp": AT,
        "requestId": f"req_{message_id}",
        "message": message,
        **fields,
    }


def tool_use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, answer: Any, is_error: bool | None = False, **fields: Any) -> Any:
    """A Claude Code line with the result of a tool call."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "x", "is_error": is_error}
    return user([block], toolUseResult=answer, **fields)


def rollout(kind: str, timestamp: str = AT, **payload: Any) -> dict[str, Any]:
    """A Codex line; `type_` is the payload's own type."""
    if "type_" in payload:
        payload["type"] = payload.pop("type_")
    return {"timestamp": timestamp, "type": kind, "payload": payload}


def usage(*figures: int) -> dict[str, int]:
    """A Codex usage: input, cached, output, reasoning."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    return dict(zip(names, figures, strict=False))


def token_count(
    total: dict[str, int] | None, last: dict[str, int] | None, timestamp: str = AT, **info: Any
) -> dict[str, Any]:
    figures = {"total_token_usage": total, "last_token_usage": last, **info}
    return rollout("event_msg", timestamp, type_="token_count", info=figures)
