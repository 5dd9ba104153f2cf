"""Cursor as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents import sqlite
from stationmaster.agents.cursor import hooks
from stationmaster.agents.cursor.store import FILE, CursorStore
from stationmaster.agents.cursor.transcript import CursorTranscript, is_line
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.interface import Agent, Document, Transcript


def _is_transcript(path: str, head: bytes) -> bool:
    if _is_store(path):
        return head.startswith(sqlite.HEAD)
    return path.endswith(".jsonl") and head[:1] == b"{" and is_line(head.split(b"\n", 1)[0])


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if _is_store(path):
        return CursorStore(path)
    return CursorTranscript(path, state)


def _is_store(path: str) -> bool:
    return path.replace("\\", "/").rsplit("/", 1)[-1] == FILE


AGENT = Agent(
    product=PRODUCT, is_transcript=_is_transcript, transcript=_transcript, hook=hooks.read_hook
)
