"""Gemini CLI as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.card import Agent, Document, Transcript
from stationmaster.agents.gemini_cli import attributes, hooks, spans, words
from stationmaster.agents.gemini_cli.transcript import BLANKS, GeminiTranscript
from stationmaster.agents.gemini_cli.words import LINEAGE, PREFIX, PRODUCT, SERVICE
from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.gemini_lineage.words import hook_event
from stationmaster.agents.hooks import read_by

_OTHERS = ("claude_code.", "codex.", "qwen-code.")


def _sends(service_name: str, _scope: str, name: str) -> bool:
    if name.startswith(PREFIX):
        return True
    return service_name == SERVICE and not name.startswith(_OTHERS)


def _is_transcript(path: str, head: bytes) -> bool:
    if path.endswith(".jsonl"):
        first = head.split(b"\n", 1)[0]
        return b'"sessionId"' in first and b'"projectHash"' in first
    return chats.is_chat_document(path, head)


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if path.endswith(".json"):
        return chats.ChatDocument(path, LINEAGE, BLANKS)
    return GeminiTranscript(path, state)


AGENT = Agent(
    product=PRODUCT,
    sends=_sends,
    attributes_of=attributes.of,
    log=otlp.Logs(LINEAGE, words.blanks(otlp.KINDS, "otlp_logs")).read,
    span=spans.read_span,
    points=counters.Counters(LINEAGE, words.blanks(counters.KINDS, "otlp_metrics")).read,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook, hook_event),
)
