"""Putting a mark into every text of a recording that is content, and finding it on a disk.

What is left as it is are the names that reports are about, listed here one by one: whatever is
not on a list is taken for content, so that something new is marked until someone decides.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.recordings import Body

MARK = "ZqMarkedContentqZ"
_REQUESTS: dict[str, type[Message]] = {
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
}


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_IDENTIFIERS_AND_TIMES = _words(
    "event.name event.timestamp event.sequence session.id prompt.id user.id message.uuid",
    "request_id tool_use_id conversation.id thread.id turn.id call_id agent_id",
)
_NAMES = _words(
    "service.name service.version app.version app.entrypoint user.email team originator model",
    "tool_name tool_namespace tool mcp_server mcp_servers mcp_server.name mcp_tool.name server",
    "skill skill.name skill.source plugin.name marketplace.name agent.name command_name",
    "command_source hook_event hook_name",
)
_WORDS_OF_A_FIXED_SET = _words(
    "event.kind query_source query_source_safe effort decision source decision_source to_mode",
    "permission_mode approval_policy sandbox_policy session_source token_type type speed success",
    "invocation_trigger model_reasoning_effort codex.turn.reasoning_effort",
)
_NUMBERS_AS_TEXT = _words(
    "duration_ms prompt_length num_hooks input_tokens output_tokens cache_read_tokens",
    "cache_creation_tokens cost_usd input_token_count output_token_count cached_token_count",
    "cache_write_token_count reasoning_token_count user_prompt_length",
)
_OF_COPILOT = _words(
    "gen_ai.conversation.id gen_ai.response.id gen_ai.tool.call.id service.instance.id",
    "github.copilot.interaction_id github.copilot.initiator gen_ai.provider.name error.type",
    "gen_ai.request.model gen_ai.response.model gen_ai.tool.name gen_ai.agent.name",
    "github.copilot.tool.parameters.mcp_server_name github.copilot.tool.parameters.mcp_tool_name",
)
_OF_GEMINI_AND_QWEN = _words(
    "installation.id prompt_id response_id gen_ai.prompt.name gen_ai.tool.call_id",
    "function_name mcp_server_name hook_event_name tool_type error_type operation extension",
    "programming_language approval_mode output_format role status qwen-code.prompt_id",
    "qwen-code.message_type qwen-code.approval_mode tool.failure_kind",
)
_OF_OPENCODE_AND_DROID = _words(
    "ai.model.provider ai.model.id ai.response.id ai.toolCall.name ai.toolCall.id",
    "tool.name tool.call_id mcp.server mcp.tool hook.event",
)
ATTRIBUTES_KEPT = (
    *(_IDENTIFIERS_AND_TIMES | _NAMES | _WORDS_OF_A_FIXED_SET | _NUMBERS_AS_TEXT | _OF_COPILOT),
    *(_OF_GEMINI_AND_QWEN | _OF_OPENCODE_AND_DROID),
)
MEMBERS_KEPT = _words(
    "agent agent_id agent_type agentId agentMode apiCallId apiProviderLock approval_policy",
    "autonomyLevel autonomyMode branch call_id callID callId cli_version code command_name",
    "command_source commit_hash composer_mode conversation_id copilotVersion cursor_version",
    "decision decisionSource effort entrypoint event.name event.timestamp failure_type",
    "function_name generation_id git_commit_id gitBranch hook_event_name hookEvent",
    "hookEventName hookInvocationId hookMatcher hookName hookStatus hookType hostType id",
    "initiator interactionId interactionMode kind leafUuid mcp_server_name mcp_tool_name",
    "mcpServerName mcpToolName messageID messageId mode model model_provider modelID",
    "modelProvider name names namespace newMode newModel operation originator owner",
    "parent_thread_id parentID parentUuid permission_mode permissionDecision permissionMode",
    "prompt_id promptId promptSource providerID providerLock prUrl reason reasoning_effort",
    "reasoningEffort repository repository_url repositoryHost requestId response_id resultType",
    "riskLevel role sandbox_policy selectedModel server server_name session_id sessionID",
    "sessionId sha skill source sourceSessionId status status_code stop_reason subagent_type",
    "subtype thread_source timestamp tool tool_call_id tool_name tool_use_id toolCallId",
    "toolDenialKind toolName toolUseID trigger turn_id type usageId user_email userType uuid",
    "version",
)
_COMMANDS = frozenset({"command", "full_command", "cmd"})
_PATCH_PATH = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def text(key: str, value: str) -> str:
    """A text with the mark in it, still of the form that its reader expects."""
    if value[:1] in ("{", "["):
        try:
            return json.dumps(members(json.loads(value)))
        except ValueError:
            pass
    if key in _COMMANDS:
        return f"cd /{MARK} && {value} # {MARK}"
    if "\n" not in value and (value.startswith("/") or key.endswith(("path", "cwd"))):
        return f"/{MARK}/{value.lstrip('/')}"
    return "\n".join(_marked_line(line) for line in value.split("\n"))


def _marked_line(line: str) -> str:
    for start in _PATCH_PATH:
        if line.startswith(start):
            return f"{start}{MARK}/{line.removeprefix(start)}"
    return line if line.startswith(("***", "@@")) else f"{line} {MARK}"


def members(value: Any, key: str = "") -> Any:
    """A JSON value with the mark in every text that is content, paths as keys included."""
    if isinstance(value, dict):
        return {
            (f"/{MARK}{name}" if name.startswith("/") else name): members(member, name)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [members(item, key) for item in value]
    if isinstance(value, str) and key not in MEMBERS_KEPT:
        return text(key, value)
    return value


def transcript(data: bytes) -> bytes:
    """A session file with the mark in every line, and in members and records nobody knows."""
    lines = []
    for line in data.splitlines():
        record = members(json.loads(line))
        if not isinstance(record, dict):
            continue
        record["unheardOf"] = {"text": MARK, MARK: [MARK]}
        lines.append(json.dumps(record).encode())
    return b"\n".join(lines) + b"\n"


def home(folder: Path) -> None:
    """Mark every file of a home folder that agents have written, whatever its form."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".db":
            database(path)
        elif path.suffix == ".jsonl":
            path.write_bytes(transcript(path.read_bytes()))
        elif path.suffix == ".json":
            path.write_text(json.dumps(members(json.loads(path.read_bytes()))))
        elif path.is_file():
            path.write_bytes(path.read_bytes() + f"\n# {MARK}\n".encode())


def database(path: Path) -> None:
    """Mark every JSON in an agent's database, and titles and folders beside it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        tables = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            rows = opened.execute(f'SELECT rowid, * FROM "{table}"')
            columns = [column for column, *_ in rows.description][1:]
            for number, *values in rows.fetchall():
                for column, value in zip(columns, values, strict=True):
                    opened.execute(
                        f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?',
                        (_marked_value(column, value), number),
                    )


def _marked_value(column: str, value: Any) -> Any:
    if column in ("title", "directory", "worktree", "path"):
        return f"/{MARK}/{value}"
    if isinstance(value, bytes) and value[:1] in (b"{", b"["):
        return json.dumps(members(json.loads(value))).encode()
    if isinstance(value, str) and value[:1] in ("{", "["):
        return text(column, value)
    if isinstance(value, str) and value.startswith("7b22"):
        # Cursor keeps the JSON of a chat, its title included, in hexadecimal digits.
        return json.dumps(json.loads(bytes.fromhex(value)) | {"name": MARK}).encode().hex()
    return value


def body(recorded: Body) -> tuple[bytes, str]:
    """A recorded OTLP body, marked and not compressed, with its content type."""
    data = gzip.decompress(recorded.data) if recorded.content_encoding else recorded.data
    if recorded.content_type == "application/json":
        return json.dumps(_marked_json(json.loads(data))).encode(), recorded.content_type
    request = _REQUESTS[recorded.signal]()
    request.ParseFromString(data)
    _mark_protobuf(request)
    return request.SerializeToString(), recorded.content_type


def _marked_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_marked_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("key"), str) and isinstance(value.get("value"), dict):
        given = value["value"]
        if "stringValue" in given and value["key"] not in ATTRIBUTES_KEPT:
            given = {"stringValue": text(value["key"], given["stringValue"])}
        return {"key": value["key"], "value": given}
    marked = {name: _marked_json(member) for name, member in value.items()}
    if "attributes" in marked:
        marked["attributes"].append({"key": f"custom.{MARK}", "value": {"stringValue": MARK}})
        nested = {"arrayValue": {"values": [{"stringValue": MARK}]}}
        marked["attributes"].append({"key": "custom.list", "value": nested})
    if "description" in marked:
        marked["description"] = MARK
    if "spanId" in marked and "name" in marked:
        marked["status"] = {"code": 2, "message": MARK}
    return marked


def _mark_protobuf(message: Message) -> None:
    kind = message.DESCRIPTOR.name
    if kind == "KeyValue":
        if message.value.HasField("string_value") and message.key not in ATTRIBUTES_KEPT:
            message.value.string_value = text(message.key, message.value.string_value)
        return
    for field, value in list(message.ListFields()):
        if field.message_type is not None:
            for part in value if field.is_repeated else [value]:
                _mark_protobuf(part)
    if "attributes" in message.DESCRIPTOR.fields_by_name:
        added = message.attributes.add()
        added.key = f"custom.{MARK}"
        added.value.string_value = MARK
    if kind == "Metric":
        message.description = MARK
    if kind == "Span":
        message.status.message = MARK


def places(*folders: Path, mark: str = MARK) -> list[str]:
    """Every place under the folders that holds the mark, in whatever form it is stored."""
    wanted = mark.lower().encode()
    return [
        f"{path.name}: {what}"
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for what, data in _contents(path)
        if wanted in data.lower()
    ]


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, and what its compressed parts hold."""
    yield "name", str(path.name).encode()
    yield "bytes", path.read_bytes()
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        yield "schema", str(table.schema.metadata).encode()
        for name in table.column_names:
            yield f"column {name}", repr(table.column(name).to_pylist()).encode()
    elif path.name == "inbox.sqlite3":
        inbox = sqlite3.connect(path)
        rows = inbox.execute("SELECT id, payload FROM inbox WHERE payload IS NOT NULL")
        for number, payload in rows:
            size = int.from_bytes(payload[:4], "big")
            plain = pa.Codec("zstd").decompress(payload[4:], size, asbytes=True)
            yield f"payload {number}", plain
        inbox.close()
