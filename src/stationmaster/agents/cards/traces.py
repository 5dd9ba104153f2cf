"""What workflows and repositories show of agents, also of those whose sessions are not read."""

from __future__ import annotations

from functools import cache
from typing import Literal

from stationmaster.agents import cards
from stationmaster.catalogue import agents as catalogue
from stationmaster.catalogue.agents import Traces


@cache
def every() -> dict[str, Traces]:
    """By the name of the agent; those whose sessions are read come first."""
    return {card.product: card.traces for card in cards.every()} | catalogue.others()


Kind = Literal[
    "nested", "instructions", "rules", "commands", "skills", "plugins", "guards", "servers"
]


@cache
def files(*kinds: Kind) -> tuple[str, ...]:
    """Patterns of what a repository holds for any agent, of these kinds of catalogue.agents.Files;
    each once."""
    patterns = (
        pattern
        for kind in kinds
        for shown in every().values()
        for pattern in getattr(shown.files, kind)
    )
    return tuple(dict.fromkeys(patterns))


@cache
def reviewers() -> frozenset[str]:
    """Agents that do nothing but review changes."""
    return frozenset(agent for agent, traces in every().items() if traces.only_reviews)
