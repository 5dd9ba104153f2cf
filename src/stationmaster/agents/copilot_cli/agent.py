"""GitHub Copilot CLI as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents import sqlite
from stationmaster.agents.card import Agent, Document, Transcript
from stationmaster.agents.copilot_cli import attributes, counters, hooks, spans, store, words
from stationmaster.agents.copilot_cli.transcript import CopilotTranscript
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.hooks import read_by
from stationmaster.agents.session_files import COPILOT_STORE

_OTHERS = ("claude_code.", "codex.", "gemini_cli.", "qwen-code.", "copilot_chat.")


def _sends(service_name: str, scope: str, name: str) -> bool:
    # The editor's chat is another program, with names of its own.
    if service_name == "copilot-chat" or name.startswith(_OTHERS):
        return False
    return (
        service_name == "github-copilot"
        or scope == "github.copilot"
        or name.startswith("github.copilot.")
    )


def _is_transcript(path: str, head: bytes) -> bool:
    if path.replace("\\", "/").endswith(f"/{COPILOT_STORE}"):
        return head.startswith(sqlite.HEAD)
    if not path.endswith(".jsonl"):
        return False
    first = head.split(b"\n", 1)[0]
    return b'"session.start"' in first and b'"copilotVersion"' in first


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if path.endswith(COPILOT_STORE):
        return store.UsageStore(path, state)
    return CopilotTranscript(path, state)


AGENT = Agent(
    product=PRODUCT,
    sends=_sends,
    attributes_of=attributes.of,
    span=spans.read_span,
    points=counters.read_points,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook, words.hook_event),
)
