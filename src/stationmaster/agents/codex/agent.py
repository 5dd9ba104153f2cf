"""Codex as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from stationmaster.agents.codex import hooks, otlp, repeats
from stationmaster.agents.codex.transcript import CodexTranscript
from stationmaster.agents.codex.words import PRODUCT, WORDS
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent


def _is_transcript(path: str, head: bytes) -> bool:
    if not path.endswith(".jsonl") or head[:1] != b"{":
        return False
    first = head.split(b"\n", 1)[0]
    return b'"payload":' in first and b'"type":' in first


AGENT = Agent(
    product=PRODUCT,
    attributes_of=WORDS.attributes_of,
    log=otlp.read_log,
    span=repeats.read_span,
    points=repeats.read_points,
    is_transcript=_is_transcript,
    transcript=CodexTranscript,
    hook=read_by(PRODUCT, hooks.read_hook),
)
