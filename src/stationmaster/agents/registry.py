"""The agents we know, and which of them a record or a file is from."""

from __future__ import annotations

from stationmaster.agents import claude_code, codex
from stationmaster.agents.dialect import Agent

AGENTS: tuple[Agent, ...] = (claude_code.AGENT, codex.AGENT)


def find_otlp(service_name: str, scope: str, name: str) -> Agent | None:
    """The agent that sent an OTLP record, or None. `name` is an event, a span or a metric."""
    for agent in AGENTS:
        if agent.sends(service_name, scope, name):
            return agent
    return None


def find_transcript(path: str, head: bytes) -> Agent | None:
    """The agent whose session file this is, or None. `head` is its first 64 KiB."""
    for agent in AGENTS:
        if agent.is_transcript(path, head):
            return agent
    return None


def by_product(product: str) -> Agent | None:
    """The agent of a product name such as `codex`, or None."""
    for agent in AGENTS:
        if agent.product == product:
            return agent
    return None
