"""Questions to one model within a budget, a limit of time and a limit of patience."""

from __future__ import annotations

import time
from typing import TypeVar

from stationmaster.errors import OperatorError
from stationmaster.settings import Settings
from stationmaster.wiki.prose.asking import TIMEOUT_S, Asker, Endpoint
from stationmaster.wiki.prose.budget import Budget, Limits, Prices, most
from stationmaster.wiki.prose.prompts import parsed
from stationmaster.wiki.prose.providers import Failed, Prompt

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
        held = used = most(prompt)
        if not self._budget.hold(held):
            raise Failed("budget")
        try:
            reply = await self._asker.ask(prompt)
            used = reply.usage
            answer = parsed(reply.text, kind)
        except Failed as fault:
            used = fault.usage if used is held else used
            self._failures += 1
            raise
        finally:
            self._budget.settle(held, used)
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
