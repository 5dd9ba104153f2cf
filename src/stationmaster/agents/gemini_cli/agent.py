"""Gemini CLI as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.gemini_cli import hooks, spans, words
from stationmaster.agents.gemini_cli.transcript import BLANKS, GeminiTranscript
from stationmaster.agents.gemini_cli.words import LINEAGE, PRODUCT
from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.gemini_lineage.words import hook_event
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Blanks, Document, Transcript


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
    attributes_of=words.attributes_of,
    log=otlp.Logs(LINEAGE, Blanks(PRODUCT, "otlp_logs")).read,
    span=spans.read_span,
    points=counters.Counters(LINEAGE, Blanks(PRODUCT, "otlp_metrics")).read,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook, hook_event),
)
