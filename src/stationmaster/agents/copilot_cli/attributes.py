"""Which attributes Copilot's records are read for, by the record's name."""

from __future__ import annotations

_NOTHING: frozenset[str] = frozenset()
_USAGE = "gen_ai.usage."
CHAT = frozenset(
    {"gen_ai.conversation.id", "gen_ai.response.id", "gen_ai.request.model"}
    | {"gen_ai.response.model", "gen_ai.provider.name", "gen_ai.agent.name"}
    | {"github.copilot.initiator", "github.copilot.interaction_id"}
    | {_USAGE + "input_tokens", _USAGE + "output_tokens", _USAGE + "cache_read.input_tokens"}
    | {_USAGE + "cache_write.input_tokens", _USAGE + "cache_creation.input_tokens"}
    | {_USAGE + "reasoning.output_tokens", _USAGE + "reasoning_tokens"}
)
_PARAMETERS = "github.copilot.tool.parameters."
EXECUTE_TOOL = frozenset(
    {"gen_ai.conversation.id", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.agent.name"}
    | {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "error.type", "process.exit.code"}
    | {_PARAMETERS + "command", _PARAMETERS + "file_path"}
    | {_PARAMETERS + "mcp_server_name", _PARAMETERS + "mcp_tool_name"}
)
PERMISSION = frozenset({"gen_ai.conversation.id"})
_SPANS = {"chat": CHAT, "execute_tool": EXECUTE_TOOL, "permission": PERMISSION}

INFERENCE = "gen_ai.client.inference.usage."
OLD_USAGE = "gen_ai.client.token.usage"
TOOL_CALLS = "github.copilot.tool.call.count"
_MODEL = frozenset({"gen_ai.request.model", "gen_ai.response.model", "gen_ai.provider.name"})
_POINTS = {
    INFERENCE + "input_tokens": _MODEL,
    INFERENCE + "output_tokens": _MODEL,
    INFERENCE + "cache_read.input_tokens": _MODEL,
    INFERENCE + "cache_write.input_tokens": _MODEL,
    INFERENCE + "reasoning.output_tokens": _MODEL,
    OLD_USAGE: _MODEL | {"gen_ai.token.type"},
    TOOL_CALLS: frozenset({"gen_ai.tool.name", "success"}),
}


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of. A span's name ends with the model or the tool."""
    return _POINTS.get(name) or _SPANS.get(name.partition(" ")[0], _NOTHING)
