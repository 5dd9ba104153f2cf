"""Questions to one model within a budget, a limit of time and a limit of patience.

The most that a call may take is reserved before it is made, and corrected after it.
"""

from __future__ import annotations

import time
from typing import NamedTuple, TypeVar

from stationmaster.errors import OperatorError
from stationmaster.settings import Settings
from stationmaster.wiki.prose.asking import TIMEOUT_S, Asker, Endpoint
from stationmaster.wiki.prose.model import Usage
from stationmaster.wiki.prose.prompts import parsed, tokens
from stationmaster.wiki.prose.providers import ANSWER_TOKENS, Failed, Prompt

_MILLION = 1_000_000


class Prices(NamedTuple):
    """Per million tokens, in the operator's currency; 0 where no price is set."""

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
        self._reserved = Usage()
        self.used = Usage()

    @property
    def cost(self) -> float:
        return self._limits.prices.of(self.used)

    def hold(self, usage: Usage) -> bool:
        """Set aside what a call may take; False where that is more than there is."""
        whole = self.used + self._reserved + usage
        limits = self._limits
        if whole.sent + whole.received > limits.tokens:
            return False
        if limits.cost is not None and limits.prices.of(whole) > limits.cost:
            return False
        self._reserved = self._reserved + usage
        return True

    def settle(self, reserved: Usage, used: Usage) -> None:
        self._reserved = Usage(
            self._reserved.sent - reserved.sent, self._reserved.received - reserved.received
        )
        self.used = self.used + used


def most(prompt: Prompt) -> Usage:
    """What a call takes at most."""
    return Usage(tokens(prompt.rules) + tokens(prompt.data), ANSWER_TOKENS)


_T = TypeVar("_T")
FAILURES_MAX = 5
"""In a row, after which nothing more is asked."""
TIME_MAX_S = 1_800.0


class Session:
    def __init__(self, asker: Asker, budget: Budget, time_max_s: float = TIME_MAX_S) -> None:
        self._asker = asker
        self._budget = budget
        self._until = time.monotonic() + time_max_s
        self._failures = 0

    async def ask(self, prompt: Prompt, kind: type[_T]) -> _T:
        """What the model answers, as JSON of a kind. Raises Failed: also `budget`, `time` and
        `failures in a row`, without a call."""
        if self._failures >= FAILURES_MAX:
            raise Failed("failures in a row")
        if time.monotonic() > self._until:
            raise Failed("time")
        reserved = used = most(prompt)
        if not self._budget.hold(reserved):
            raise Failed("budget")
        try:
            reply = await self._asker.ask(prompt)
            used = reply.usage or reserved
            answer = parsed(reply.text, kind)
        except Failed as fault:
            used = fault.usage or used
            self._failures += 1
            raise
        finally:
            self._budget.settle(reserved, used)
        self._failures = 0
        return answer


def has_model(settings: Settings) -> bool:
    return settings.wiki_model_provider is not None and settings.wiki_model is not None


def endpoint_of(settings: Settings, timeout_s: float = TIMEOUT_S) -> Endpoint | None:
    """The model that the operator names, if any. Raises OperatorError for half a setting."""
    provider, model = settings.wiki_model_provider, settings.wiki_model
    if provider is None and model is None:
        return None
    if provider is None or model is None:
        raise OperatorError(
            "A model needs both STATIONMASTER_WIKI_MODEL_PROVIDER and STATIONMASTER_WIKI_MODEL.",
            code="bad_settings",
        )
    return Endpoint(provider, model, settings.wiki_model_url, settings.wiki_model_key, timeout_s)


def limits_of(settings: Settings) -> Limits:
    prices = Prices(settings.wiki_model_price_sent, settings.wiki_model_price_received)
    return Limits(settings.wiki_model_tokens_max, settings.wiki_model_cost_max, prices)
