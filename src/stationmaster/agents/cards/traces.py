"""What workflows and repositories show of agents, also of those whose sessions are not read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from stationmaster.agents.cards import PRODUCTS
from stationmaster.catalogue import agents as catalogue
from stationmaster.catalogue.agents import Traces
from stationmaster.catalogue.table import read

_ROOM = Path(__file__).parents[1]


@cache
def every() -> dict[str, Traces]:
    """By the name of the agent; those whose sessions are read are first."""
    return {product: of(product) for product in PRODUCTS} | catalogue.others()


def of(product: str) -> Traces:
    """Those of an agent whose sessions are read, from its package."""
    return read("traces", Traces, _ROOM / product.replace("-", "_"))


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
