"""Which attributes Codex's records are read for, by the record's name."""

from __future__ import annotations

_NOTHING: frozenset[str] = frozenset()
_SENDER = frozenset({"app.version", "originator", "user.email", "user.account_id", "team"})
_LOG = _SENDER | {"event.timestamp", "conversation.id"}
_TOOL = _LOG | {"tool_name", "tool_namespace", "mcp_server", "call_id"}
_TURN = "codex.turn.token_usage."
_BY_NAME = {
    # Log records.
    "conversation_starts": _LOG | {"approval_policy", "sandbox_policy", "mcp_servers"},
    "user_prompt": _LOG | {"prompt_length"},
    "sse_event": _LOG
    | {
        "error.message",
        "event.kind",
        "model",
        "model_reasoning_effort",
        "input_token_count",
        "cached_token_count",
    }
    | {"cache_write_token_count", "output_token_count", "reasoning_token_count", "service_tier"},
    "api_request": _LOG | {"http.response.status_code", "error.message", "model", "duration_ms"},
    "tool_decision": _TOOL | {"decision", "source"},
    "tool_result": _TOOL | {"success", "duration_ms", "arguments", "output"},
    # The one span of some 800 that is read.
    "session_task.turn": _SENDER
    | {"thread.id", "turn.id", "model", "codex.turn.reasoning_effort"}
    | {_TURN + "input_tokens", _TURN + "cached_input_tokens", _TURN + "cache_write_input_tokens"}
    | {_TURN + "output_tokens", _TURN + "reasoning_output_tokens"},
}
_COUNTED = _SENDER | {
    *("session_source", "model", "model_reasoning_effort", "source", "success", "token_type"),
    *("tool", "tool_name", "server", "mcp_server", "hook_name", "skill"),
}
_COUNTERS = frozenset({"turn.token_usage", "tool.call", "mcp.call", "hooks.run", "skill.injected"})


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of."""
    called = name.removeprefix("codex.")
    return _COUNTED if called in _COUNTERS else _BY_NAME.get(called, _NOTHING)
