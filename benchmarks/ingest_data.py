"""OTLP log bodies like those of Claude Code, every id unique, in protobuf."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

SESSION_RECORDS = 50
_MODELS = ("claude-opus-4-8", "claude-sonnet-5-1", "claude-haiku-4-5-20251001")
_TOOLS = ("Read", "Edit", "Bash", "Grep", "Write", "TodoWrite", "mcp__tracker__find_issue")


def bodies(requests: int, records: int, start: datetime, seed: int = 1) -> list[bytes]:
    """So many request bodies of so many records, all within the hour after `start`."""
    random = Random(seed)
    start_ms = int(start.timestamp() * 1000)
    return [_body(random, records, start_ms + n * 3_000_000 // requests) for n in range(requests)]


def _body(random: Random, records: int, at_ms: int) -> bytes:
    request = ExportLogsServiceRequest()
    for first in range(0, records, SESSION_RECORDS):
        resource_logs = request.resource_logs.add()
        _set(
            resource_logs.resource.attributes,
            {
                "service.name": "claude-code",
                "service.version": "2.1.329",
                "os.type": "linux",
                "os.version": "6.12.0",
                "host.arch": "amd64",
                "team": f"team-{random.randrange(20)}",
            },
        )
        scope_logs = resource_logs.scope_logs.add()
        scope_logs.scope.name = "com.anthropic.claude_code.events"
        scope_logs.scope.version = "2.1.329"
        session = {
            "session.id": _uuid(random),
            "user.id": f"{random.getrandbits(256):064x}",
            "user.email": f"person{random.randrange(2_000)}@example.com",
            "organization.id": _uuid(random),
            "app.version": "2.1.329",
            "app.entrypoint": "cli",
            "terminal.type": "vscode",
        }
        for number in range(min(SESSION_RECORDS, records - first)):
            _add_record(scope_logs.log_records.add(), random, session, number, at_ms)
    serialized: bytes = request.SerializeToString()
    return serialized


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
            "prompt.id": _uuid(random),
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
        "request_id": f"req_{random.getrandbits(96):024x}",
        "query_source": "repl_main_thread",
    }


def _tool_result(random: Random) -> dict[str, Any]:
    tool = random.choice(_TOOLS)
    return {
        "tool_name": tool,
        "tool_use_id": f"toolu_{random.getrandbits(96):024x}",
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
        "tool_use_id": f"toolu_{random.getrandbits(96):024x}",
        "decision": "accept" if random.random() < 0.9 else "reject",
        "source": "user_temporary",
    }


def _user_prompt(random: Random) -> dict[str, Any]:
    return {
        "prompt_length": str(random.randrange(5, 4_000)),
        "prompt": "<REDACTED>",
        "message.uuid": _uuid(random),
    }


_RECORDS: tuple[tuple[str, Callable[[Random], dict[str, Any]]], ...] = (
    ("api_request", _model_call),
    ("api_request", _model_call),
    ("tool_result", _tool_result),
    ("tool_result", _tool_result),
    ("tool_decision", _tool_decision),
    ("user_prompt", _user_prompt),
)


def _uuid(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def _set(attributes: Any, values: dict[str, Any]) -> None:
    fields = {str: "string_value", int: "int_value", float: "double_value"}
    for key, value in values.items():
        attribute = attributes.add()
        attribute.key = key
        setattr(attribute.value, fields[type(value)], value)
