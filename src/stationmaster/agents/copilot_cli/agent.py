"""GitHub Copilot CLI as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents import sqlite
from stationmaster.agents.copilot_cli import counters, hooks, spans, store, words
from stationmaster.agents.copilot_cli.transcript import CopilotTranscript
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, SessionFile, has

AGENT = Agent(
    product=PRODUCT,
    span=spans.read_span,
    points=counters.read_points,
    files=(
        SessionFile(store.UsageStore, r"/session-store\.db$", sqlite.is_database),
        SessionFile(
            CopilotTranscript,
            r"\.jsonl$",
            lambda _, first: has(first, b'"session.start"', b'"copilotVersion"'),
        ),
    ),
    hook=read_by(PRODUCT, hooks.read_hook, words.hook_event),
)
