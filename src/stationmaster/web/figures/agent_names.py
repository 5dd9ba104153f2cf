"""The names under which people know the agents, by product."""

from __future__ import annotations

from stationmaster.agents import cards


def agent_names() -> dict[str, str]:
    """The names of all agents."""
    return {card.product: card.title for card in cards.every()}


def agent_name(agent: str) -> str:
    """The name of an agent, or its product where it has none."""
    card = cards.find(agent)
    return agent if card is None else card.title
