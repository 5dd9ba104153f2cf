"""Which attributes OpenCode's records are read for, by the record's name."""

from __future__ import annotations

_NOTHING: frozenset[str] = frozenset()
_SENDER = frozenset({"session.id", "user.email", "team"})
_AGENT = _SENDER | {"agent", "agent.type"}
_USAGE = "ai.usage."
_BY_NAME = {
    # Log records of a plugin.
    "session.created": _SENDER,
    "user_prompt": _AGENT | {"prompt_length"},
    "api_request": _AGENT
    | {"model", "provider", "cost_usd", "duration_ms", "input_tokens", "output_tokens"}
    | {"reasoning_tokens", "cache_read_tokens", "cache_creation_tokens"},
    "tool_result": _AGENT | {"tool_name", "success", "duration_ms", "error"},
    "skill_invoked": _AGENT | {"skill_name"},
    "commit": _AGENT,
    # The three spans that are read of some thousands.
    "ai.streamText.doStream": _SENDER
    | {"ai.response.id", "ai.model.id", "ai.model.provider", "ai.prompt.toolChoice"}
    | {"ai.request.headers.x-parent-session-id"}
    | {_USAGE + "inputTokens", _USAGE + "inputTokenDetails.noCacheTokens"}
    | {_USAGE + "inputTokenDetails.cacheWriteTokens", _USAGE + "cachedInputTokens"}
    | {_USAGE + "outputTokens", _USAGE + "reasoningTokens"},
    "ai.toolCall": _SENDER
    | {"ai.toolCall.name", "ai.toolCall.id", "ai.toolCall.args", "ai.toolCall.result"},
    "Tool.execute": _SENDER | {"tool.name", "tool.call_id"},
}
COUNTERS = ("token.usage", "commit.count")
_COUNTED = _AGENT | {"project.id", "model", "type"}


def called(name: str) -> str:
    """A record's name without the prefix of a plugin, which may be that of another agent; a
    counter's without any prefix, because a person may choose it."""
    for counter in COUNTERS:
        if name == counter or name.endswith(f".{counter}"):
            return counter
    return name.removeprefix("opencode.").removeprefix("claude_code.")


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of."""
    known = called(name)
    return _COUNTED if known in COUNTERS else _BY_NAME.get(known, _NOTHING)
