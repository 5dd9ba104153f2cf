"""Records that hold content wherever a record can: generated, with the mark as the content."""

from __future__ import annotations

import json
from typing import Any

from tests.support.marking import MARK

DAY = "2026-11-20"
_TIME = f"{DAY}T12:00:00.000Z"
_PATH = f"/home/{MARK}/{MARK}.py"
_COMMAND = f"cd /{MARK} && git commit -m '{MARK}' && gh pr create --title {MARK} <<E\n{MARK}\nE"
_PATCH = f"*** Begin Patch\n*** Add File: {MARK}/a.py\n+{MARK}\n*** End Patch"
_TOOL_INPUTS: dict[str, dict[str, Any]] = {
    "Bash": {"command": _COMMAND, "description": MARK},
    "Write": {"file_path": _PATH, "content": MARK},
    "Edit": {"file_path": _PATH, "old_string": MARK, "new_string": MARK},
    "MultiEdit": {"file_path": _PATH, "edits": [{"old_string": MARK, "new_string": MARK}]},
    "NotebookEdit": {"notebook_path": f"/{MARK}/n.ipynb", "new_source": MARK},
    "Read": {"file_path": f"/{MARK}/.env"},
    "Grep": {"pattern": MARK, "path": _PATH},
    "WebFetch": {"url": f"https://example.com/{MARK}", "prompt": MARK},
    "Task": {"description": MARK, "prompt": MARK, "subagent_type": "Explore"},
    "Skill": {"skill": "pdf", "args": MARK},
    "mcp__lab__lab_echo": {"text": MARK, "name": MARK, "type": MARK},
}


def claude_lines() -> bytes:
    """A Claude Code session of every kind of line, each full of content."""
    lines: list[dict[str, Any]] = [
        _user(MARK),
        _user([{"type": "text", "text": MARK}, {"type": "image", "source": {"data": MARK}}]),
        _user(f"<command-name>/review</command-name><command-args>{MARK}</command-args>"),
        _user(f"<bash-input>{MARK}</bash-input>"),
        _user(f"/home/{MARK} is a path and no command"),
    ]
    for number, (tool, given) in enumerate(_TOOL_INPUTS.items()):
        call = f"toolu_{number}"
        results: list[Any] = [
            MARK,
            {"type": "create", "filePath": _PATH, "content": MARK, "structuredPatch": []},
            {
                "type": "update",
                "filePath": _PATH,
                "originalFile": MARK,
                "structuredPatch": [{"lines": [f"+{MARK}", f"-{MARK}"]}],
            },
            {"stdout": f"[main abc1234] {MARK}\n{MARK}", "stderr": MARK, "interrupted": False},
        ]
        answer = [
            {"type": "thinking", "thinking": MARK, "signature": MARK},
            {"type": "text", "text": MARK},
            {"type": "tool_use", "id": call, "name": tool, "input": given},
            {"type": "novelty", "text": MARK},
        ]
        lines.append(_assistant(number, answer))
        result = {"type": "tool_result", "tool_use_id": call, "content": [{"text": MARK}]}
        lines.append(_user([result]) | {"toolUseResult": results[number % len(results)]})
    lines += [
        _assistant(98, MARK) | {"isApiErrorMessage": True, "error": MARK},
        {"type": "system", "subtype": "compact_boundary", "content": MARK},
        {"type": "system", "subtype": "api_error", "error": {"message": MARK}},
        {"type": "summary", "summary": MARK, "leafUuid": "u"},
        {"type": "custom-title", "customTitle": MARK},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": MARK}},
        {"type": "attachment", "attachment": _hook("hook_success", content=MARK, stdout=MARK)},
        {"type": "attachment", "attachment": _hook("hook_blocking_error", blockingError=MARK)},
        {"type": "progress", "data": _hook("hook_progress", statusMessage=MARK)},
        {"type": MARK, "message": {"role": MARK, "content": MARK}},
        {"type": "user", "message": {"role": "user", "content": {"strange": MARK}}},
        {"type": "user", "message": MARK},
        {MARK: MARK},
    ]
    encoded = [json.dumps(_place() | line).encode() for line in lines]
    return b"\n".join([*encoded, MARK.encode(), b'{"type": "user", "x": "' + MARK.encode(), b""])


def _place() -> dict[str, Any]:
    return {
        "timestamp": _TIME,
        "sessionId": "worst-claude",
        "cwd": f"/home/{MARK}",
        "version": "2.1.329",
        "slug": MARK,
        "unheardOf": {MARK: MARK},
    }


def _user(content: Any) -> dict[str, Any]:
    return {"type": "user", "promptId": "p1", "message": {"role": "user", "content": content}}


def _assistant(number: int, content: Any) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "type": "assistant",
        "requestId": f"req_worst_{number}",
        "message": {
            "id": f"msg_worst_{number}",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "usage": usage,
            "stop_reason": "tool_use",
        },
    }


def _hook(kind: str, **content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "hookEvent": "PreToolUse",
        "hookName": "PreToolUse:Bash",
        "toolUseID": "toolu_0",
        "command": f"/{MARK}/bin/check --token {MARK}",
        **content,
    }


def codex_lines() -> bytes:
    """A Codex session of every kind of line, each full of content."""
    lines: list[tuple[str, Any]] = [
        (
            "session_meta",
            {
                "id": "worst-codex",
                "cwd": f"/home/{MARK}",
                "originator": "codex_exec",
                "cli_version": "0.169.0",
                "instructions": MARK,
                "base_instructions": {"text": MARK},
            },
        ),
        (
            "turn_context",
            {
                "turn_id": "t1",
                "cwd": f"/home/{MARK}",
                "model": "gpt-5.5",
                "approval_policy": "never",
                "user_instructions": MARK,
                "summary": MARK,
                "sandbox_policy": {"type": "workspace-write", "writable_roots": [f"/{MARK}"]},
            },
        ),
        ("event_msg", {"type": "user_message", "message": MARK, "images": [MARK]}),
        ("event_msg", {"type": "agent_message", "message": MARK}),
        ("event_msg", {"type": "agent_reasoning", "text": MARK}),
        ("event_msg", {"type": "error", "message": MARK}),
        ("event_msg", {"type": "novelty", "text": MARK}),
        (
            "event_msg",
            {
                "type": "exec_command_end",
                "call_id": "c1",
                "command": ["bash", "-lc", _COMMAND],
                "stdout": f"[main abc1234] {MARK}",
                "stderr": MARK,
                "aggregated_output": MARK,
                "exit_code": 0,
            },
        ),
        (
            "event_msg",
            {
                "type": "patch_apply_end",
                "call_id": "c2",
                "stdout": MARK,
                "success": True,
                "changes": {_PATH: {"type": "add", "content": MARK}},
            },
        ),
        ("event_msg", {"type": "mcp_tool_call_end", "call_id": "c4", "result": {"Ok": MARK}}),
        ("response_item", {"type": "message", "role": "user", "content": [{"text": MARK}]}),
        ("response_item", {"type": "message", "role": "developer", "content": [{"text": MARK}]}),
        ("response_item", {"type": "reasoning", "summary": [{"text": MARK}], "content": MARK}),
        ("response_item", _call("function_call", "c1", "exec_command", {"cmd": _COMMAND})),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": MARK}),
        ("response_item", _call("custom_tool_call", "c2", "apply_patch", _PATCH)),
        ("response_item", {"type": "custom_tool_call_output", "call_id": "c2", "output": MARK}),
        ("response_item", _call("function_call", "c3", "shell", {"command": ["ls", _PATH]})),
        ("response_item", _call("function_call", "c4", "lab__lab_echo", {"text": MARK})),
        ("response_item", _call("custom_tool_call", "c5", "exec", MARK)),
        ("response_item", {"type": "local_shell_call", "action": {"command": ["ls", MARK]}}),
        ("response_item", {"type": "web_search_call", "action": {"query": MARK}}),
        ("response_item", {"type": "novelty", "text": MARK}),
        ("compacted", {"message": MARK, "replacement_history": [{"text": MARK}]}),
        (MARK, {"type": MARK, "text": MARK}),
        ("event_msg", MARK),
    ]
    encoded = [
        json.dumps({"timestamp": _TIME, "type": kind, "payload": payload}).encode()
        for kind, payload in lines
    ]
    return b"\n".join([*encoded, MARK.encode(), b'{"payload": "' + MARK.encode(), b""])


def _call(kind: str, call: str, name: str, given: Any) -> dict[str, Any]:
    if kind == "custom_tool_call":
        return {"type": kind, "call_id": call, "name": name, "input": given}
    return {"type": kind, "call_id": call, "name": name, "arguments": json.dumps(given)}


def otlp() -> list[tuple[str, bytes]]:
    """OTLP/JSON bodies by signal: known and unknown records of known and unknown senders."""
    senders = {
        "claude-code": ("claude_code.", "com.anthropic.claude_code.events"),
        "codex_cli_rs": ("codex.", "codex_otel.log_only"),
        "strange-agent": ("strange.", "strange"),
    }
    return [
        body
        for service, (prefix, scope) in senders.items()
        for body in (
            ("logs", _export("Logs", service, scope, "logRecords", _logs(prefix))),
            ("traces", _export("Spans", service, scope, "spans", _spans(prefix))),
            ("metrics", _export("Metrics", service, scope, "metrics", _metrics(prefix))),
        )
    ]


_CONTENT = {
    "prompt": MARK,
    "user_prompt": MARK,
    "prompt_text": MARK,
    "response": MARK,
    "error": MARK,
    "error.message": MARK,
    "body": MARK,
    "stdout": MARK,
    "cwd": f"/home/{MARK}",
    "file_path": _PATH,
    "process.command_args": MARK,
    f"custom.{MARK}": MARK,
}
_LOG_NAMES = (
    *("user_prompt", "tool_result", "tool_decision", "api_request", "api_error", "hook_execution"),
    *("assistant_response", "sse_event", "conversation_starts", "skill_activated", "novelty"),
    *("hook_execution_complete", "websocket.event", "api_request_body", "internal_error"),
)


def _logs(prefix: str) -> list[dict[str, Any]]:
    records = [
        {
            "body": {"stringValue": prefix + name if number % 2 else MARK},
            "attributes": _attributes(
                {"event.name": prefix + name if number % 2 else name}
                | {"event.timestamp": _TIME, "session.id": "w", "conversation.id": "w"}
                | {"tool_name": "Bash" if number % 2 else "apply_patch", "call_id": f"c{number}"}
                | {"tool_use_id": f"toolu_{number}", "success": "true", "decision": "accept"}
                | {"tool_parameters": json.dumps({"full_command": _COMMAND, "description": MARK})}
                | {"tool_input": json.dumps({"command": _COMMAND, "file_path": _PATH})}
                | {"arguments": _PATCH if number % 2 else json.dumps({"cmd": _COMMAND})}
                | {"output": MARK, "input_tokens": "1", "output_tokens": "1", "model": "m"}
                | {"event.kind": "response.completed", "input_token_count": "1"}
                | _CONTENT
            ),
        }
        for number, name in enumerate(_LOG_NAMES * 2)
    ]
    bad = {"event.name": prefix + "api_request", "input_tokens": MARK, "duration_ms": MARK}
    records.append({"attributes": _attributes(bad | {"session.id": "w"})})
    records.append({"body": {"stringValue": MARK}, "attributes": []})
    records.append({"body": {"kvlistValue": {"values": _attributes({MARK: MARK})}}})
    return records


def _spans(prefix: str) -> list[dict[str, Any]]:
    names = ("interaction", "llm_request", "tool", "tool.execution", "handle_responses", "novelty")
    return [
        {
            "traceId": "ab" * 16,
            "spanId": f"{number + 1:016x}",
            "name": name,
            "startTimeUnixNano": "1795176000000000000",
            "endTimeUnixNano": "1795176001000000000",
            "attributes": _attributes({"session.id": "w", "tool_name": "Bash"} | _CONTENT),
            "events": [{"name": MARK, "attributes": _attributes(_CONTENT)}],
            "links": [{"traceId": "cd" * 16, "attributes": _attributes(_CONTENT)}],
            "status": {"code": 2, "message": MARK},
            "traceState": MARK,
        }
        for number, name in enumerate([*(prefix + name for name in names), *names, MARK])
    ]


def _metrics(prefix: str) -> list[dict[str, Any]]:
    names = ("token.usage", "session.count", "lines_of_code.count", "tool.call", "novelty")
    point = {
        "timeUnixNano": "1795176000000000000",
        "startTimeUnixNano": "1795175000000000000",
        "asInt": "1",
        "attributes": _attributes({"session.id": "w", "type": "input", "model": "m"} | _CONTENT),
        "exemplars": [{"filteredAttributes": _attributes(_CONTENT), "asInt": "1"}],
    }
    return [
        {
            "name": name,
            "description": MARK,
            "unit": MARK,
            "sum": {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [point]},
        }
        for name in [*(prefix + name for name in names), MARK]
    ]


def _export(kind: str, service: str, scope: str, member: str, records: list[Any]) -> bytes:
    resource = {"attributes": _attributes({"service.name": service} | _CONTENT)}
    named = {"name": scope, "version": "1", "attributes": _attributes(_CONTENT)}
    scoped = [{"scope": named, member: records, "schemaUrl": MARK}]
    return json.dumps(
        {f"resource{kind}": [{"resource": resource, f"scope{kind}": scoped}]}
    ).encode()


def _attributes(values: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
