"""Cursor as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents import sqlite
from stationmaster.agents.cursor import hooks
from stationmaster.agents.cursor.store import CursorStore
from stationmaster.agents.cursor.transcript import CursorTranscript, is_line
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.interface import Agent, SessionFile

AGENT = Agent(
    product=PRODUCT,
    files=(
        SessionFile(lambda path, _: CursorStore(path), r"(?:^|/)store\.db$", sqlite.is_database),
        SessionFile(
            CursorTranscript, r"\.jsonl$", lambda _, first: first[:1] == b"{" and is_line(first)
        ),
    ),
    hook=hooks.read_hook,
)
