"""Small records of Qwen Code: log records, chat records, hooks."""

from __future__ import annotations

import json
from typing import Any

from stationmaster.agents.interface import Intake, Log
from tests.agents.builders import AT, AT_MS, SESSION, agent, resource, what_happened

PROMPT = f"{SESSION}########0"
LOG_NAMES = (
    *("qwen-code.config", "qwen-code.user_prompt", "qwen-code.api_response"),
    *("qwen-code.tool_call", "qwen-code.file_operation", "qwen-code.slash_command"),
    *("qwen-code.skill_launch", "qwen-code.hook_call", "session.start"),
)
SPAN_NAMES = (
    *("qwen-code.llm_request", "qwen-code.tool", "qwen-code.interaction", "qwen-code.hook"),
    *("qwen-code.api_response", "qwen-code.tool_call"),
)
POINT_NAMES = ("qwen-code.token.usage", "qwen-code.tool.call.count", "qwen-code.session.count")


def logs(*records: Log) -> Intake:
    intake = Intake()
    for record in records:
        record.attributes.setdefault("session.id", SESSION)
        agent("qwen-code").log(resource("qwen-code"), record, intake)
    return intake


def record(kind: str, uuid: str = "r1", **fields: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "parentUuid": None,
        "sessionId": SESSION,
        "timestamp": AT,
        "type": kind,
        "cwd": "/home/dev/project",
        "version": "0.24.4",
        "gitBranch": "main",
        **fields,
    }


def said(text: str, uuid: str = "u1", **fields: Any) -> dict[str, Any]:
    return record("user", uuid, message={"role": "user", "parts": [{"text": text}]}, **fields)


def usage(given: int, output: int, cached: int = 0, thoughts: int = 0) -> dict[str, int]:
    """As a server of OpenAI's interface counts: thoughts are part of the output."""
    return {
        "promptTokenCount": given,
        "candidatesTokenCount": output,
        "cachedContentTokenCount": cached,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": given + output,
    }


def asks(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": tool, "args": arguments}}


def answered(
    *parts: dict[str, Any], uuid: str = "a1", figures: Any = None, **fields: Any
) -> dict[str, Any]:
    message = {"role": "model", "parts": [{"text": "words"}, *parts]}
    known = {} if figures is None else {"usageMetadata": figures}
    return record("assistant", uuid, model="qwen3-coder-plus", message=message, **known, **fields)


def result(
    call_id: str,
    tool: str,
    output: str = "done",
    display: Any = "",
    status: str = "success",
    **fields: Any,
) -> dict[str, Any]:
    key = "output" if status == "success" else "error"
    response = {"id": call_id, "name": tool, "response": {key: output}}
    return record(
        "tool_result",
        f"r-{call_id}",
        message={"role": "user", "parts": [{"functionResponse": response}]},
        toolCallResult={"callId": call_id, "status": status, "resultDisplay": display, **fields},
    )


def noted(subtype: str, uuid: str = "s1", **payload: Any) -> dict[str, Any]:
    return record("system", uuid, subtype=subtype, systemPayload=payload)


def copied(name: str, uuid: str = "s1", **event: Any) -> dict[str, Any]:
    """A copy of an exported record."""
    own = {"event.name": f"qwen-code.{name}", "event.timestamp": AT, "prompt_id": PROMPT, **event}
    return noted("ui_telemetry", uuid, uiEvent=own)


def response(response_id: str, given: int, output: int, cached: int = 0) -> dict[str, Any]:
    """The attributes of a model call."""
    return {
        "response_id": response_id,
        "model": "qwen3-coder-plus",
        "input_token_count": given,
        "output_token_count": output,
        "cached_content_token_count": cached,
        "thoughts_token_count": 0,
        "total_token_count": given + output,
        "prompt_id": PROMPT,
    }


def diff(path: str, added: int, removed: int) -> dict[str, Any]:
    return {
        "fileDiff": "--- a",
        "filePath": path,
        "diffStat": {"model_added_lines": added, "model_removed_lines": removed},
    }


def hook(event: str, **fields: Any) -> dict[str, Any]:
    return {
        "session_id": SESSION,
        "transcript_path": f"/home/dev/.qwen/projects/p/chats/{SESSION}.jsonl",
        "cwd": "/home/dev/project",
        "hook_event_name": event,
        "timestamp": AT,
        "permission_mode": "default",
        **fields,
    }


def hooked(*given: dict[str, Any], event: str | None = None) -> Intake:
    intake = Intake()
    for one in given:
        agent("qwen-code").hook(event, one, AT_MS + 5_000, intake)
    return what_happened(intake)


LINES: list[Any] = [
    said("hello", systemPayload={"displayText": "hello"}, provenance="real_user"),
    noted("session_approval_mode", mode="auto-edit"),
    copied("api_response", **response("x", 10, 3)),
    answered(asks("t1", "write_file", file_path="/a.py", content="x"), figures=usage(10, 3)),
    copied("tool_call", call_id="t1", function_name="write_file", success=True, duration_ms=5),
    result("t1", "write_file", "Successfully created", diff("/a.py", 1, 0)),
    answered(asks("t2", "run_shell_command", command="git commit -m x"), figures=usage(9, 1)),
    result("t2", "run_shell_command", "Exit Code: 0"),
    answered(asks("t3", "tool_call", name="mcp__lab__echo", arguments={"text": "x"})),
    result("t3", "tool_call", "no", status="error", errorType="execution_denied"),
    answered(asks("t4", "skill", skill="deploy"), agentId="h", isSidechain=True),
    noted("slash_command", phase="invocation", rawCommand="/mcp list"),
]


def marked_lines(mark: str) -> list[Any]:
    """Every field that holds content holds the mark; names, models and ids do not."""
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    command = f"A={mark} git commit -m '{mark}' && gh pr create --title {mark}; echo {mark}"
    shown = diff(path, 1, 1) | {"newContent": text, "originalContent": text, "fileName": path}
    place = {"cwd": f"/home/{mark}"}
    return [
        said(text, systemPayload={"displayText": text, "hookContext": text}, **place),
        noted("attribution_snapshot", snapshot={"fileStates": {path: {"contentHash": mark}}}),
        copied("api_response", **response("x", 10, 3), response_text=text),
        answered(
            {"text": text, "thought": True},
            asks("t1", "write_file", file_path=path, content=text),
            asks("t2", "edit", file_path=path, old_string=text, new_string=text),
            asks("t3", "run_shell_command", command=command, description=text),
            asks("t4", "tool_call", name="mcp__lab__echo", arguments={"text": text}),
            asks("t5", "skill", skill="deploy", args=text),
            figures=usage(10, 3),
        ),
        copied(
            "tool_call",
            call_id="t1",
            function_name="write_file",
            function_args={"file_path": path, "content": text},
            success=True,
            error=text,
        ),
        copied(
            "tool_call",
            call_id="helper",
            function_name="run_shell_command",
            function_args={"command": command},
            success=True,
        ),
        result("t1", "write_file", text, shown),
        result("t2", "edit", text, shown),
        result("t3", "run_shell_command", f"Output: [main 34c4d56] {text}", {"text": text}),
        result("t4", "tool_call", text, text),
        result("t5", "skill", text, text, error={"message": text}),
        noted("slash_command", phase="invocation", rawCommand=f"/memory {text}"),
        noted("slash_command", "s2", phase="result", outputHistoryItems=[{"text": text}]),
        noted("custom_title", customTitle=text),
        noted("chat_compression", compressedHistory=[{"parts": [{"text": text}]}]),
    ]


def marked_logs(mark: str) -> list[tuple[str, dict[str, Any]]]:
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    tool = {"success": True, "decision": "accept", "duration_ms": 5, "error": text}
    return [
        ("qwen-code.user_prompt", {"prompt": text, "prompt_length": 5, "prompt_id": PROMPT}),
        ("qwen-code.api_response", {**response("x", 1, 1), "response_text": text}),
        (
            "qwen-code.tool_call",
            {
                **tool,
                "call_id": "t1",
                "function_name": "write_file",
                "function_args": json.dumps({"file_path": path, "content": text}),
                "metadata": {"model_added_lines": 1, "note": text},
            },
        ),
        (
            "qwen-code.tool_call",
            {
                **tool,
                "call_id": "t2",
                "function_name": "run_shell_command",
                "function_args": json.dumps({"command": f"git commit -m '{mark}'"}),
            },
        ),
        ("qwen-code.slash_command", {"command": "memory", "subcommand": text}),
        ("qwen-code.subagent_execution", {"subagent_name": "x", "result": text}),
    ]


def marked_hooks(mark: str) -> list[dict[str, Any]]:
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    place = {"cwd": f"/home/{mark}", "transcript_path": path}
    return [
        hook("SessionStart", source="startup", **place),
        hook("UserPromptSubmit", prompt=text, submitted_prompt=text, prompt_id=PROMPT, **place),
        hook("Stop", last_assistant_message=text, **place),
        hook(
            "PostToolUse",
            tool_name="write_file",
            tool_call_id="t1",
            tool_input={"file_path": path, "content": text},
            tool_response={"llmContent": text, "returnDisplay": diff(path, 1, 1)},
            **place,
        ),
        hook(
            "PostToolUse",
            tool_name="run_shell_command",
            tool_call_id="t2",
            tool_input={"command": f"git commit -m '{mark}'", "description": text},
            tool_response={"llmContent": text, "returnDisplay": text},
            **place,
        ),
        hook(
            "PostToolUseFailure",
            tool_name="run_shell_command",
            tool_call_id="t3",
            tool_input={"command": text},
            error=text,
            **place,
        ),
        hook("Notification", notification_type="permission_prompt", message=text, **place),
    ]
