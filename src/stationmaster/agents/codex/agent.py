"""Codex as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents.codex import hooks, otlp, repeats
from stationmaster.agents.codex.transcript import CodexTranscript
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, SessionFile, has

AGENT = Agent(
    product=PRODUCT,
    log=otlp.read_log,
    span=repeats.read_span,
    points=repeats.read_points,
    files=(
        SessionFile(
            CodexTranscript,
            r"\.jsonl$",
            lambda _, first: first[:1] == b"{" and has(first, b'"payload":', b'"type":'),
        ),
    ),
    hook=read_by(PRODUCT, hooks.read_hook),
)
