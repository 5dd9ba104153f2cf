"""Which attributes Qwen Code's records are read for, by the record's name."""

from __future__ import annotations

from stationmaster.agents.gemini_lineage import attributes
from stationmaster.agents.qwen_code.words import PREFIX

_SPAN = attributes.SENDER | {"qwen-code.prompt_id"}
_SPANS = {
    "llm_request": _SPAN
    | {"gen_ai.request.model", "gen_ai.response.id", "gen_ai.usage.input_tokens", "duration_ms"}
    | {"gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens"}
    | {"thoughts_token_count", "subagent_name"},
    "tool": _SPAN | {"call_id", "tool_name", "success", "duration_ms", "tool.failure_kind"},
    "interaction": _SPAN | {"qwen-code.message_type", "qwen-code.approval_mode"},
}


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of. A span may be a log record that was sent as one."""
    called = attributes.plain_name(name, PREFIX)
    return _SPANS.get(called) or attributes.of(called)
