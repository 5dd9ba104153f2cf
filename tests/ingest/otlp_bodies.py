"""OTLP bodies for tests: records of Claude Code unless told otherwise, in either encoding."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from stationmaster.access.model import Caller
from stationmaster.ids import KeyId, OrgId
from stationmaster.ingest import otlp
from stationmaster.ingest.otlp_walk import Decoded
from stationmaster.ingest.signals import Signal

RECEIVED_MS = 1_795_176_000_000
"""2026-11-20, noon."""
PROTOBUF = "application/x-protobuf"
JSON = "application/json"


def a_caller(**fields: Any) -> Caller:
    """A service account's full key, unless told otherwise."""
    usual = {
        "org_id": OrgId("org_a"),
        "principal_kind": "service",
        "principal_id": "svc_1",
        "email": None,
        "role": "member",
        "key_id": KeyId("key_1"),
        "scope": "full",
    }
    return Caller(**(usual | fields))


def a_model_call(**attributes: Any) -> dict[str, Any]:
    """The attributes of one `api_request` record."""
    usual = {
        "event.name": "api_request",
        "event.timestamp": "2026-11-20T11:59:00.000Z",
        "session.id": "5e55104e-0000-4000-8000-000000000001",
        "user.id": "ab" * 32,
        "prompt.id": "prompt-1",
        "request_id": "req_1",
        "model": "claude-opus-4-8",
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_tokens": 30,
        "cache_creation_tokens": 40,
        "cost_usd": 0.25,
        "duration_ms": 900,
    }
    return {key.replace("__", "."): value for key, value in (usual | attributes).items()}


def logs_protobuf(
    *records: dict[str, Any],
    resource: dict[str, Any] | None = None,
    time_unix_nano: int = 0,
    observed_time_unix_nano: int = 0,
) -> bytes:
    """A protobuf body with one resource; ints, floats, bools and texts only."""
    request = ExportLogsServiceRequest()
    resource_logs = request.resource_logs.add()
    _fill(resource_logs.resource.attributes, _resource(resource))
    scope_logs = resource_logs.scope_logs.add()
    scope_logs.scope.name = "com.anthropic.claude_code.events"
    for attributes in records:
        record = scope_logs.log_records.add()
        record.time_unix_nano = time_unix_nano
        record.observed_time_unix_nano = observed_time_unix_nano
        record.body.string_value = f"claude_code.{attributes.get('event.name', 'none')}"
        _fill(record.attributes, attributes)
    serialized: bytes = request.SerializeToString()
    return serialized


def logs_json(
    *records: dict[str, Any], resource: dict[str, Any] | None = None, **members: Any
) -> bytes:
    """The same as JSON; a value that is a dict is taken as an AnyValue as it is."""
    log_records = [
        {
            "timeUnixNano": "0",
            "body": {"stringValue": f"claude_code.{attributes.get('event.name', 'none')}"},
            "attributes": _pairs(attributes),
        }
        | members
        for attributes in records
    ]
    return json.dumps(
        {
            "resourceLogs": [
                {
                    "resource": {"attributes": _pairs(_resource(resource))},
                    "scopeLogs": [
                        {
                            "scope": {"name": "com.anthropic.claude_code.events"},
                            "logRecords": log_records,
                        }
                    ],
                }
            ]
        }
    ).encode()


def decode(body: bytes, media: str = PROTOBUF, signal: Signal = "logs", **named: Any) -> Decoded:
    """`otlp.decode` with what most tests do not care about."""
    usual: dict[str, Any] = {"received_ms": RECEIVED_MS, "body_max": 2**20}
    return otlp.decode(signal, media, named.pop("encoding", None), body, **(usual | named))


def _resource(attributes: dict[str, Any] | None) -> dict[str, Any]:
    return {"service.name": "claude-code", "service.version": "2.1.329"} | (attributes or {})


def _fill(attributes: Any, values: dict[str, Any]) -> None:
    kinds = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}
    for key, value in values.items():
        attribute = attributes.add()
        attribute.key = key
        setattr(attribute.value, kinds[type(value)], value)


def _pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
    return [
        {"key": key, "value": value if isinstance(value, dict) else {kinds[type(value)]: value}}
        for key, value in values.items()
    ]
