"""The account of one call: what is held for it while it runs, and its cost.

Input is held in full before the call, output in slices: when little is left of what is held,
another slice is asked for, and where a budget refuses it the answer ends once all is used.
"""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

import msgspec

from stationmaster import ids
from stationmaster.gateway.accounting.meter import Meter
from stationmaster.gateway.accounting.tariffs import Tariff
from stationmaster.gateway.accounting.usage import TokenUse
from stationmaster.gateway.asking import ModelCall
from stationmaster.gateway.budget_decisions import LIVES_MS, BudgetDecisions
from stationmaster.limits.budgets import Call, Cost
from stationmaster.limits.holds import Refusal

SLICE_TOKENS = 4_000
LOW_TOKENS = 1_500
"""With less left of what is held, another slice is asked for."""
WHOLE_TOKENS = 128_000
"""The most that a model writes in one answer that is not streamed and has no limit."""
TAIL_TOKENS = 1_000
"""What a model writes at most between the last look and the end of its answer."""
_RENEW_S = LIVES_MS / 3_000


class Settled(NamedTuple):
    """The cost of a call."""

    usage: TokenUse
    cost: Cost
    is_complete: bool
    """All figures are the provider's."""


class Account:
    """What one call holds of budgets while it runs: `open` is first, `close` last."""

    def __init__(
        self, decisions: BudgetDecisions, call: Call, asking: ModelCall, tariff: Tariff, beta: str
    ) -> None:
        """`beta` are the features of the provider that the caller asked for."""
        self._budgets = decisions
        self.call = call
        self._asking = asking
        self._tariff = tariff
        self.request_id = ids.new("call")
        self._tokens_in = asking.input_max(tariff.window(beta))
        self._input = tariff.input(asking, self._tokens_in)
        self._hold: str | None = None
        self._held_out = 0
        self._renewed_at = 0.0
        self._asking_for_more = asyncio.Lock()

    async def open(self) -> Refusal | None:
        """Hold input and a first slice; why not, where a budget has no room. Raises Unavailable."""
        most, is_stream = self._asking.output_max, self._asking.is_stream
        first = WHOLE_TOKENS if most is None else most
        if is_stream:
            first = min(first, SLICE_TOKENS)
        answer = await self._budgets.admit(
            self.call,
            _sum(self._input, self._output(first)),
            floor=self._input,
            tail=self._output(TAIL_TOKENS) if is_stream else Cost(),
            request_id=self.request_id,
        )
        if isinstance(answer, Refusal):
            return answer
        self._hold, self._held_out = answer.id, first
        self._renewed_at = time.monotonic()
        return None

    def needs(self, meter: Meter | None) -> bool:
        """Should `go_on` be called now?"""
        if self._hold is None or self._asking_for_more.locked():
            return False
        is_old = time.monotonic() - self._renewed_at > _RENEW_S
        return is_old or (meter is not None and self._is_low(meter))

    def is_used_up(self, meter: Meter) -> bool:
        """Has the answer reached what is held for it?"""
        asking = self._asking
        if self._hold is None or not asking.is_stream or self._held_out == asking.output_max:
            return False
        return meter.written >= self._held_out

    async def go_on(self, meter: Meter | None) -> None:
        """Ask for another slice where little is left, and renew the hold. What is refused now is
        asked for again; meanwhile all that is held may be used. Raises Unavailable."""
        if self._hold is None:
            return
        async with self._asking_for_more:
            more = self._next_slice(meter)
            least = 0 if meter is None else meter.least_written
            is_extended = await self._budgets.extend(
                *(self.call.org, self._hold, self._output(more)),
                _sum(self._input, self._output(least)),
            )
            if is_extended:
                self._held_out += more
                self._renewed_at = time.monotonic()

    async def refusal(self) -> str:
        """Why there is no further slice, in words."""
        cost = self._output(SLICE_TOKENS)
        reason = await self._budgets.refusal(self.call, cost, self.request_id)
        return reason or "A budget for this call has no room for more, so the answer ends here."

    def close(self, settled: Settled) -> None:
        """Count what the call cost, and hold nothing for it any longer."""
        self._budgets.settle(self.call, self._hold, settled.cost)

    def settled(self, meter: Meter | None, *, is_sent: bool) -> Settled:
        """The cost of a call: by the provider's figures, else at least its bytes by four.

        A call that the provider never had, or answered with an error, costs nothing.
        """
        if not is_sent or (meter is not None and not meter.is_paid):
            return Settled(TokenUse(0, 0), Cost(), True)
        reported = TokenUse() if meter is None else meter.report.usage
        is_complete = reported.is_whole and meter is not None and meter.is_ended
        if is_complete and meter is not None and not meter.report.is_wrong:
            return Settled(reported, self._tariff.actual(self._asking, reported), True)
        least = 0 if meter is None else meter.least_written
        input_tokens = -(-self._asking.bytes_in // 4) if reported.input is None else reported.input
        output = max(least, reported.output or 0)
        usage = msgspec.structs.replace(reported, input=input_tokens, output=output)
        return Settled(usage, self._tariff.actual(self._asking, usage), False)

    def _next_slice(self, meter: Meter | None) -> int:
        """Tokens to hold in addition, so that LOW_TOKENS are left; 0 where enough is left."""
        if meter is None or not self._is_low(meter):
            return 0
        more = max(SLICE_TOKENS, meter.written + LOW_TOKENS - self._held_out)
        most = self._asking.output_max
        return more if most is None else min(more, max(most - self._held_out, 0))

    def _is_low(self, meter: Meter) -> bool:
        is_all = self._held_out == self._asking.output_max
        return self._asking.is_stream and not is_all and self._held_out - meter.written < LOW_TOKENS

    def _output(self, tokens: int) -> Cost:
        return self._tariff.output(self._asking, tokens, self._tokens_in)


def _sum(one: Cost, other: Cost) -> Cost:
    return Cost(one.picodollars + other.picodollars, one.credits + other.credits)
