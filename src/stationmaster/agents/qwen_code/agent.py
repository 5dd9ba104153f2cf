"""Qwen Code as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Blanks, SessionFile, has
from stationmaster.agents.qwen_code import hooks, spans
from stationmaster.agents.qwen_code.transcript import BLANKS, QwenTranscript
from stationmaster.agents.qwen_code.words import LINEAGE, PRODUCT

_MARKS = (b'"systemPayload"', b'"parts"', b'"provenance"')


def _is_session(_head: bytes, first: bytes) -> bool:
    return has(first, b'"sessionId"', b'"uuid"') and any(mark in first for mark in _MARKS)


AGENT = Agent(
    product=PRODUCT,
    log=otlp.Logs(LINEAGE, Blanks(PRODUCT, "otlp_logs")).read,
    span=spans.read_span,
    points=counters.Counters(LINEAGE, Blanks(PRODUCT, "otlp_metrics")).read,
    files=(
        chats.whole_chat(r"/\.qwen/.*\.json$", LINEAGE, BLANKS),
        SessionFile(
            QwenTranscript, r"usage_record\.jsonl$", lambda _, first: has(first, b'"sessionId"')
        ),
        SessionFile(QwenTranscript, r"\.jsonl$", _is_session),
    ),
    hook=read_by(PRODUCT, hooks.read_hook),
)
