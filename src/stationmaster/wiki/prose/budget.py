"""What a run may spend on a model, counted before each call as if it took all it may."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.wiki.prose.model import Usage
from stationmaster.wiki.prose.prompts import tokens
from stationmaster.wiki.prose.providers import ANSWER_TOKENS, Prompt

_MILLION = 1_000_000


class Prices(NamedTuple):
    """Of a million tokens, in the operator's currency; 0 where nobody said."""

    sent: float = 0.0
    received: float = 0.0

    def of(self, usage: Usage) -> float:
        return (usage.sent * self.sent + usage.received * self.received) / _MILLION


class Limits(NamedTuple):
    """Of one run. `cost` is None where only tokens are limited."""

    tokens: int
    cost: float | None = None
    prices: Prices = Prices()


class Budget:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = Usage()
        self.used = Usage()

    @property
    def cost(self) -> float:
        return self._limits.prices.of(self.used)

    def hold(self, usage: Usage) -> bool:
        """Set aside what a call may take; False where that is more than there is."""
        whole = self.used + self._held + usage
        limits = self._limits
        if whole.sent + whole.received > limits.tokens:
            return False
        if limits.cost is not None and limits.prices.of(whole) > limits.cost:
            return False
        self._held = self._held + usage
        return True

    def settle(self, held: Usage, used: Usage) -> None:
        self._held = Usage(self._held.sent - held.sent, self._held.received - held.received)
        self.used = self.used + used


def most(prompt: Prompt) -> Usage:
    """What a call takes at most."""
    return Usage(tokens(prompt.rules) + tokens(prompt.data), ANSWER_TOKENS)
