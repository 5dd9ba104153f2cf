"""Small records of Gemini CLI: log records, chat lines, hooks."""

from __future__ import annotations

import json
from typing import Any

from stationmaster.agents.interface import Intake, Log, Point
from tests.agents.builders import AT, AT_MS, SESSION, agent, resource, what_happened

PROJECT = "1afbf223bb0b58ba08766ec87173ebd68e0507d66983531a95b52ff9b529c7db"
LOG_NAMES = (
    *("gemini_cli.config", "gemini_cli.user_prompt", "gemini_cli.api_response"),
    *("gemini_cli.tool_call", "gemini_cli.file_operation", "gemini_cli.slash_command"),
    *("gemini_cli.hook_call", "gemini_cli.plan.approval_mode_switch"),
)
SPAN_NAMES = ("llm_call", "tool_call", "user_prompt")
POINT_NAMES = (
    *("gemini_cli.token.usage", "gemini_cli.tool.call.count", "gemini_cli.hook_call.count"),
    "gemini_cli.file.operation.count",
)


def logs(*records: Log) -> Intake:
    intake = Intake()
    for record in records:
        record.attributes.setdefault("session.id", SESSION)
        agent("gemini-cli").log(resource("gemini-cli"), record, intake)
    return intake


def counter(
    name: str, value: float, start: int = 0, is_delta: bool = False, **attributes: Any
) -> Point:
    """A point of a counter that began `start` ms after a minute before AT."""
    series = repr((name, sorted(attributes.items())))
    begun = AT_MS - 60_000 + start
    return Point(name, value, is_delta, begun, AT_MS, attributes, series)


def meta(session: str = SESSION, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session, "projectHash": PROJECT, "startTime": AT, "kind": "main", **fields}


def said(text: Any, message_id: str = "u1", **fields: Any) -> dict[str, Any]:
    content = [{"text": text}] if isinstance(text, str) else text
    return {"id": message_id, "timestamp": AT, "type": "user", "content": content, **fields}


def figures(
    given: int, output: int, cached: int = 0, thoughts: int = 0, tool: int = 0
) -> dict[str, int]:
    return {
        "input": given,
        "output": output,
        "cached": cached,
        "thoughts": thoughts,
        "tool": tool,
        "total": given + output + thoughts + tool,
    }


def answered(
    message_id: str = "g1", tokens: Any = None, *tool_calls: Any, **fields: Any
) -> dict[str, Any]:
    message = {
        "id": message_id,
        "timestamp": AT,
        "type": "gemini",
        "content": "words",
        "tokens": figures(10, 3, 4) if tokens is None else tokens,
        "model": "gemini-2.5-pro",
        **fields,
    }
    return message | {"toolCalls": list(tool_calls)} if tool_calls else message


def called(
    call_id: str,
    tool: str,
    output: str = "done",
    display: Any = "",
    status: str = "success",
    **arguments: Any,
) -> dict[str, Any]:
    key = "output" if status == "success" else "error"
    response = {"id": call_id, "name": tool, "response": {key: output}}
    return {
        "id": call_id,
        "name": tool,
        "args": arguments,
        "status": status,
        "timestamp": AT,
        "result": [{"functionResponse": response}],
        "resultDisplay": display,
    }


def diff(path: str, added: int, removed: int, is_new: bool | None = None) -> dict[str, Any]:
    display: dict[str, Any] = {
        "fileDiff": "--- a",
        "filePath": path,
        "diffStat": {"model_added_lines": added, "model_removed_lines": removed},
    }
    return display if is_new is None else display | {"isNewFile": is_new}


def hook(event: str, **fields: Any) -> dict[str, Any]:
    return {
        "session_id": SESSION,
        "transcript_path": f"/home/dev/.gemini/tmp/p/chats/session-{SESSION[:8]}.jsonl",
        "cwd": "/home/dev/project",
        "hook_event_name": event,
        "timestamp": AT,
        **fields,
    }


def hooked(*given: dict[str, Any], event: str | None = None) -> Intake:
    intake = Intake()
    for one in given:
        agent("gemini-cli").hook(event, one, AT_MS + 5_000, intake)
    return what_happened(intake)


def after_model(
    given: int, output: int, total: int, is_last: bool = True, **fields: Any
) -> dict[str, Any]:
    usage = {"promptTokenCount": given, "candidatesTokenCount": output, "totalTokenCount": total}
    candidate = {"content": {"parts": ["words"]}, **({"finishReason": "STOP"} if is_last else {})}
    response = {"text": "words", "candidates": [candidate], "usageMetadata": usage}
    request = {"model": "gemini-2.5-pro", "messages": [{"content": "words"}]}
    return hook("AfterModel", llm_request=request, llm_response=response, **fields)


LINES: list[Any] = [
    meta(),
    {"$set": {"messages": [said("hello")]}},
    said("hello"),
    said([{"functionResponse": {"id": "t0", "response": {"output": "x"}}}]),
    answered(
        "g1",
        None,
        called("t1", "write_file", display=diff("/a.py", 1, 0, True), file_path="/a.py"),
        called("t2", "run_shell_command", "Exit Code: 0", command="git commit -m x"),
        called("t3", "mcp_lab_echo", status="error", text="x"),
        called("t4", "activate_skill", name="deploy"),
    ),
    {"$rewindTo": "g1"},
    {"id": "i1", "timestamp": AT, "type": "info", "content": "Request cancelled."},
]


def marked_lines(mark: str) -> list[Any]:
    """Every field that holds content holds the mark; names, models and ids do not."""
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    command = f"A={mark} git commit -m '{mark}' && gh pr create --title {mark}; echo {mark}"
    shown = diff(path, 1, 1, True) | {
        "fileDiff": text,
        "fileName": path,
        "originalContent": text,
        "newContent": text,
    }
    return [
        meta(directories=[f"/home/{mark}"], summary=text),
        {
            "$set": {
                "summary": text,
                "messages": [said(text)],
                "memoryScratchpad": {"paths": [path]},
            }
        },
        said(text, displayContent=text),
        said(text, "u2", content=text),
        answered(
            "g1",
            None,
            called("t1", "write_file", text, shown, file_path=path, content=text),
            called("t2", "replace", text, shown, file_path=path, old_string=text, new_string=text),
            called("t3", "run_shell_command", f"Output: [main 34c4d56] {text}", command=command),
            called("t4", "mcp_lab_lab_echo", text, text=text),
            called("t5", "activate_skill", text, name="deploy"),
            called("t6", "read_file", text, status="error", file_path=path) | {"description": text},
            content=text,
            thoughts=[{"subject": text, "description": text}],
        ),
        {"id": "e1", "timestamp": AT, "type": "error", "content": text},
    ]


def marked_logs(mark: str) -> list[tuple[str, dict[str, Any]]]:
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    tool = {"success": True, "decision": "accept", "duration_ms": 5, "error": text}
    return [
        ("gemini_cli.user_prompt", {"prompt": text, "prompt_length": 5}),
        (
            "gemini_cli.api_response",
            {"input_token_count": 1, "model": "m", "response_text": text, "prompt_id": "p"},
        ),
        (
            "gemini_cli.tool_call",
            {
                **tool,
                "function_name": "replace",
                "function_args": json.dumps({"file_path": path, "old_string": text}),
                "metadata": json.dumps({"model_added_lines": 1, "note": text}),
            },
        ),
        (
            "gemini_cli.tool_call",
            {
                **tool,
                "function_name": "run_shell_command",
                "function_args": json.dumps({"command": f"git commit -m '{mark}'"}),
            },
        ),
        (
            "gemini_cli.hook_call",
            {
                "hook_event_name": "BeforeTool",
                "hook_name": f"KEY={mark} /opt/{mark}/run --token {mark}",
                "hook_input": text,
                "stdout": text,
            },
        ),
        ("gemini_cli.slash_command", {"command": "memory", "subcommand": text}),
    ]


def marked_hooks(mark: str) -> list[dict[str, Any]]:
    path, text = f"/home/{mark}/{mark}.py", f"words {mark} words"
    place = {"cwd": f"/home/{mark}", "transcript_path": path}
    shown = diff(path, 1, 1, True) | {"newContent": text}
    return [
        hook("SessionStart", source="startup", **place),
        hook("BeforeAgent", prompt=text, **place),
        hook("AfterAgent", prompt=text, prompt_response=text, **place),
        after_model(10, 3, 13, **place),
        hook(
            "AfterTool",
            tool_name="write_file",
            tool_input={"file_path": path, "content": text},
            tool_response={"llmContent": text, "returnDisplay": shown},
            **place,
        ),
        hook(
            "AfterTool",
            tool_name="run_shell_command",
            tool_input={"command": f"git commit -m '{mark}'", "description": text},
            tool_response={"llmContent": [{"text": text}], "returnDisplay": text},
            **place,
        ),
        hook("Notification", notification_type="ToolPermission", message=text, **place),
    ]
