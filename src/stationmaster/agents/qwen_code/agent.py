"""Qwen Code as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Blanks, Document, Transcript
from stationmaster.agents.qwen_code import hooks, spans, words
from stationmaster.agents.qwen_code.transcript import BLANKS, QwenTranscript
from stationmaster.agents.qwen_code.words import LINEAGE, PRODUCT

_MARKS = (b'"systemPayload"', b'"parts"', b'"provenance"')
_TOTALS = "usage_record.jsonl"
_FOLDER = "/.qwen/"


def _is_transcript(path: str, head: bytes) -> bool:
    place = path.replace("\\", "/")
    if not place.endswith(".jsonl"):
        return _FOLDER in place and chats.is_chat_document(path, head)
    first = head.split(b"\n", 1)[0]
    if b'"sessionId"' not in first:
        return False
    if place.endswith(_TOTALS):
        return True
    return b'"uuid"' in first and any(mark in first for mark in _MARKS)


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if path.endswith(".json"):
        return chats.ChatDocument(path, LINEAGE, BLANKS)
    return QwenTranscript(path, state)


AGENT = Agent(
    product=PRODUCT,
    attributes_of=words.attributes_of,
    log=otlp.Logs(LINEAGE, Blanks(PRODUCT, "otlp_logs")).read,
    span=spans.read_span,
    points=counters.Counters(LINEAGE, Blanks(PRODUCT, "otlp_metrics")).read,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook),
)
