"""Which attributes Gemini CLI's records are read for, by the record's name."""

from __future__ import annotations

from stationmaster.agents.gemini_cli.words import PREFIX
from stationmaster.agents.gemini_lineage import attributes

_SPAN = attributes.SENDER | {"gen_ai.conversation.id"}
_SPANS = {
    "tool_call": _SPAN | {"gen_ai.tool.name", "gen_ai.tool.call_id"},
    "llm_call": _SPAN
    | {"gen_ai.request.model", "gen_ai.prompt.name"}
    | {"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"},
}


def of(name: str) -> frozenset[str]:
    """See card.Agent.attributes_of. Logs and metrics have the prefix, spans have none."""
    return _SPANS.get(name) or attributes.of(attributes.plain_name(name, PREFIX))
