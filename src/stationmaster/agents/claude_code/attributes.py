"""Which attributes Claude Code's records are read for, by the record's name."""

from __future__ import annotations

_NOTHING: frozenset[str] = frozenset()
_SENDER = frozenset(
    {"session.id", "prompt.id", "user.id", "user.email", "user.account_uuid", "team"}
    | {"app.version", "app.entrypoint"}
)
_LOG = _SENDER | {"event.timestamp", "event.sequence"}
_CALL = frozenset(
    {"model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"}
    | {"cache_creation_1h_tokens", "speed"}
    | {"duration_ms", "effort", "query_source", "agent.name", "agent_id", "request_id"}
)
_COUNTED = _SENDER | {
    *("model", "query_source", "effort", "speed", "agent.name", "skill.name", "plugin.name"),
    *("marketplace.name", "mcp_server.name", "mcp_tool.name"),
}
_BY_NAME = {
    # Log records.
    "api_request": _LOG | _CALL | {"cost_usd"},
    "api_error": _LOG | _CALL | {"status_code", "error"},
    "api_refusal": _LOG | _CALL,
    "user_prompt": _LOG | {"message.uuid", "prompt_length", "command_name", "command_source"},
    "tool_result": _LOG
    | {"tool_name", "tool_use_id", "tool_parameters", "tool_input", "success", "duration_ms"}
    | {"decision_source"},
    "tool_decision": _LOG
    | {"tool_name", "tool_use_id", "tool_parameters", "decision", "source", "permission_mode"},
    "permission_mode_changed": _LOG | {"to_mode"},
    "skill_activated": _LOG | {"skill.name", "skill.source", "invocation_trigger"},
    "hook_execution_complete": _LOG | {"hook_event", "hook_name", "num_hooks", "num_success"},
    # Spans.
    "llm_request": _SENDER | _CALL | {"attempt"} | {"query_source_safe"},
    "tool": _SENDER | {"tool_name", "tool_use_id", "duration_ms", "file_path"},
    "tool.execution": _SENDER | {"tool_use_id", "success"},
    "tool.blocked_on_user": _SENDER | {"decision", "source"},
    "interaction": _SENDER | {"user_prompt", "user_prompt_length"},
    # Counters.
    "token.usage": _COUNTED | {"type"},
    "commit.count": _COUNTED,
    "pull_request.count": _COUNTED,
}


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of."""
    return _BY_NAME.get(name.removeprefix("claude_code."), _NOTHING)
