"""GitHub Copilot CLI as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents import sqlite
from stationmaster.agents.copilot_cli import counters, hooks, spans, store, words
from stationmaster.agents.copilot_cli.transcript import CopilotTranscript
from stationmaster.agents.copilot_cli.words import PRODUCT, WORDS
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Document, Transcript


def _is_transcript(path: str, head: bytes) -> bool:
    if path.replace("\\", "/").endswith(f"/{store.FILE}"):
        return head.startswith(sqlite.HEAD)
    if not path.endswith(".jsonl"):
        return False
    first = head.split(b"\n", 1)[0]
    return b'"session.start"' in first and b'"copilotVersion"' in first


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if path.endswith(store.FILE):
        return store.UsageStore(path, state)
    return CopilotTranscript(path, state)


AGENT = Agent(
    product=PRODUCT,
    # A span's name ends with the model or the tool.
    attributes_of=lambda called: WORDS.attributes_of(called.partition(" ")[0]),
    span=spans.read_span,
    points=counters.read_points,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook, words.hook_event),
)
