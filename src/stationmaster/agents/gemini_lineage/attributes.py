"""Which attributes the family's records are read for, by the name without its prefix."""

from __future__ import annotations

SENDER = frozenset({"session.id", "installation.id", "interactive", "user.email", "team"})
LOG = SENDER | {"event.timestamp", "prompt_id"}
_NOTHING: frozenset[str] = frozenset()
_LOGS = {
    "config": LOG
    | {"approval_mode", "output_format", "interactive_shell_enabled", "github_workflow_name"},
    "user_prompt": LOG | {"prompt_length"},
    "api_response": LOG
    | {"model", "input_token_count", "output_token_count", "cached_content_token_count"}
    | {"thoughts_token_count", "tool_token_count", "total_token_count", "duration_ms"}
    | {"response_id", "role", "subagent_name"},
    "api_error": LOG | {"model", "model_name", "status_code", "error_type", "duration_ms"},
    "tool_call": LOG
    | {"call_id", "function_name", "function_args", "duration_ms", "success", "decision"}
    | {"error_type", "mcp_server_name", "metadata", "content_length"},
    "file_operation": LOG
    | {"tool_name", "operation", "lines", "extension", "programming_language"},
    "slash_command": LOG | {"command", "status"},
    "skill_launch": LOG | {"skill_name", "success"},
    "hook_call": LOG | {"hook_event_name", "hook_name", "success", "duration_ms"},
    "plan.approval_mode_switch": LOG | {"to_mode"},
}
_POINTS = {
    "token.usage": SENDER | {"model", "type"},
    "tool.call.count": SENDER | {"function_name", "success", "decision", "tool_type"},
    "hook_call.count": SENDER | {"hook_event_name", "hook_name", "success"},
    "file.operation.count": SENDER | {"operation", "extension", "programming_language"},
}
_MODE_SWITCH = "Approval mode switched from "
"""How the text of a record begins that older builds send without a name."""


def of(called: str) -> frozenset[str]:
    """Those of a log record or a metric; none for a name that is not read."""
    if called in _LOGS:
        return _LOGS[called]
    return _POINTS.get(called, _NOTHING)


def plain_name(called: str, prefix: str) -> str:
    """A record's name without its prefix; that of the record which older builds do not name."""
    if called.startswith(_MODE_SWITCH):
        return "plan.approval_mode_switch"
    return called.removeprefix(prefix)
