"""Codex as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from stationmaster.agents.card import Agent
from stationmaster.agents.codex import attributes, hooks, otlp, repeats
from stationmaster.agents.codex.transcript import CodexTranscript
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.hooks import read_by


def _sends(service_name: str, _scope: str, name: str) -> bool:
    if name.startswith("codex."):
        return True
    if name.startswith(("claude_code.", "gemini_cli.", "qwen-code.")):
        return False
    return service_name.startswith(("codex_", "codex-")) or service_name == "Codex Desktop"


def _is_transcript(path: str, head: bytes) -> bool:
    if not path.endswith(".jsonl") or head[:1] != b"{":
        return False
    first = head.split(b"\n", 1)[0]
    return b'"payload":' in first and b'"type":' in first


AGENT = Agent(
    product=PRODUCT,
    sends=_sends,
    attributes_of=attributes.of,
    log=otlp.read_log,
    span=repeats.read_span,
    points=repeats.read_points,
    is_transcript=_is_transcript,
    transcript=CodexTranscript,
    hook=read_by(PRODUCT, hooks.read_hook),
)
