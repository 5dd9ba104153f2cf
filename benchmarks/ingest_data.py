"""OTLP bodies like those of Claude Code, in protobuf: log records, and the spans that repeat them.

Made as templates: every identifier in one holds MARK, and so a body with a number in its place is
unique at nearly no cost to the client that sends it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Signal = Literal["logs", "traces"]
MARK = b"~NO.~"
SESSION_RECORDS = 50
TRACE_SPANS = 10
_MODELS = ("claude-opus-4-8", "claude-sonnet-5-1", "claude-haiku-4-5-20251001")
_TOOLS = ("Read", "Edit", "Bash", "Grep", "Write", "TodoWrite", "mcp__tracker__find_issue")


def numbered(template: bytes, number: int) -> bytes:
    """The body of that number; the number has the length of MARK."""
    return template.replace(MARK, b"%05d" % number)


def templates(signal: Signal, count: int, records: int, start: datetime) -> list[bytes]:
    """So many bodies to number, each of so many records, all within the hour after `start`."""
    random = Random(1)
    make = _logs if signal == "logs" else _spans
    start_ms = int(start.timestamp() * 1000)
    return [make(random, records, start_ms + n * 3_000_000 // count) for n in range(count)]


def _logs(random: Random, records: int, at_ms: int) -> bytes:
    request = ExportLogsServiceRequest()
    for first in range(0, records, SESSION_RECORDS):
        resource_logs = request.resource_logs.add()
        _set(resource_logs.resource.attributes, _sender(random))
        scope_logs = resource_logs.scope_logs.add()
        scope_logs.scope.name = "com.anthropic.claude_code.events"
        scope_logs.scope.version = "2.1.329"
        session = _session(random)
        for number in range(min(SESSION_RECORDS, records - first)):
            _add_record(scope_logs.log_records.add(), random, session, number, at_ms)
    serialized: bytes = request.SerializeToString()
    return serialized


def _spans(random: Random, records: int, at_ms: int) -> bytes:
    """A turn is a trace: the interaction, then model calls and tools in turn below it."""
    request = ExportTraceServiceRequest()
    resource_spans = request.resource_spans.add()
    _set(resource_spans.resource.attributes, _sender(random))
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = "com.anthropic.claude_code.tracing"
    scope_spans.scope.version = "2.1.329"
    for first in range(0, records, TRACE_SPANS):
        if first % SESSION_RECORDS == 0:
            session = _session(random)
        trace = random.randbytes(11) + MARK
        root = b""
        for number in range(min(TRACE_SPANS, records - first)):
            span = scope_spans.spans.add()
            span.trace_id = trace
            span.span_id = (first + number).to_bytes(3) + MARK
            span.parent_span_id = root
            root = root or span.span_id
            span.start_time_unix_nano = (at_ms + 40 * number) * 1_000_000
            span.end_time_unix_nano = span.start_time_unix_nano + random.randrange(10**6, 10**9)
            span.status.code = 1
            called, make = _SPANS[0] if number == 0 else _SPANS[1 + number % 2]
            span.name = f"claude_code.{called}"
            _set(span.attributes, session | {"span.type": called} | make(random))
    serialized: bytes = request.SerializeToString()
    return serialized


def _sender(random: Random) -> dict[str, Any]:
    return {
        "service.name": "claude-code",
        "service.version": "2.1.329",
        "os.type": "linux",
        "os.version": "6.12.0",
        "host.arch": "amd64",
        "team": f"team-{random.randrange(20)}",
    }


def _session(random: Random) -> dict[str, Any]:
    return {
        "session.id": _id(random, ""),
        "user.id": f"{random.getrandbits(256):064x}",
        "user.email": f"person{random.randrange(2_000)}@example.com",
        "organization.id": _id(random, ""),
        "app.version": "2.1.329",
        "app.entrypoint": "cli",
        "terminal.type": "vscode",
    }


def _add_record(
    record: Any, random: Random, session: dict[str, Any], number: int, at_ms: int
) -> None:
    at = datetime.fromtimestamp((at_ms + 40 * number) / 1000, UTC)
    record.time_unix_nano = (at_ms + 40 * number) * 1_000_000
    record.observed_time_unix_nano = record.time_unix_nano + 300_000
    name, make = random.choice(_RECORDS)
    record.body.string_value = f"claude_code.{name}"
    _set(
        record.attributes,
        session
        | {
            "event.name": name,
            "event.timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "event.sequence": number,
            "prompt.id": _id(random, ""),
        }
        | make(random),
    )


def _model_call(random: Random) -> dict[str, Any]:
    return {
        "model": random.choice(_MODELS),
        "input_tokens": random.randrange(3, 4_000),
        "output_tokens": random.randrange(10, 3_000),
        "cache_read_tokens": random.randrange(100_000),
        "cache_creation_tokens": random.randrange(8_000),
        "cost_usd": random.randrange(1, 10**6) / 10**6,
        "duration_ms": random.randrange(300, 40_000),
        "request_id": _id(random, "req_"),
        "query_source": "repl_main_thread",
    }


def _tool_result(random: Random) -> dict[str, Any]:
    tool = random.choice(_TOOLS)
    return {
        "tool_name": tool,
        "tool_use_id": _id(random, "toolu_"),
        "success": "true" if random.random() < 0.95 else "false",
        "duration_ms": random.randrange(2, 9_000),
        "tool_result_size_bytes": random.randrange(20, 30_000),
        "tool_input": json.dumps({"file_path": f"/srv/app/module_{random.randrange(500)}.py"}),
        "decision_type": "accept",
        "decision_source": "config",
    }


def _tool_decision(random: Random) -> dict[str, Any]:
    return {
        "tool_name": random.choice(_TOOLS),
        "tool_use_id": _id(random, "toolu_"),
        "decision": "accept" if random.random() < 0.9 else "reject",
        "source": "user_temporary",
    }


def _user_prompt(random: Random) -> dict[str, Any]:
    return {
        "prompt_length": str(random.randrange(5, 4_000)),
        "prompt": "<REDACTED>",
        "message.uuid": _id(random, ""),
    }


_RECORDS: tuple[tuple[str, Callable[[Random], dict[str, Any]]], ...] = (
    ("api_request", _model_call),
    ("api_request", _model_call),
    ("tool_result", _tool_result),
    ("tool_result", _tool_result),
    ("tool_decision", _tool_decision),
    ("user_prompt", _user_prompt),
)


def _tool_span(random: Random) -> dict[str, Any]:
    return {
        "tool_name": random.choice(_TOOLS),
        "tool_use_id": _id(random, "toolu_"),
        "duration_ms": random.randrange(2, 9_000),
        "result_tokens": random.randrange(5, 8_000),
        "file_path": f"/srv/app/module_{random.randrange(500)}.py",
    }


def _interaction(random: Random) -> dict[str, Any]:
    length = random.randrange(5, 4_000)
    return {"user_prompt": "<REDACTED>", "user_prompt_length": length, "interaction.sequence": 1}


_SPANS: tuple[tuple[str, Callable[[Random], dict[str, Any]]], ...] = (
    ("interaction", _interaction),
    ("llm_request", _model_call),
    ("tool", _tool_span),
)


def _id(random: Random, prefix: str) -> str:
    return f"{prefix}{random.getrandbits(64):016x}{MARK.decode()}"


def _set(attributes: Any, values: dict[str, Any]) -> None:
    fields = {str: "string_value", int: "int_value", float: "double_value"}
    for key, value in values.items():
        attribute = attributes.add()
        attribute.key = key
        setattr(attribute.value, fields[type(value)], value)
