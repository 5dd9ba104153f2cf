"""What past days would have come to by another rate card; nothing is stored.

Credits are rounded call by call, so they are counted again from the events of a day by the same
queries. Of a day whose events are erased only sums are left: its credits may then be off by half a
credit a call, and its rows say that they are not exact. Dollars always are.
"""

from __future__ import annotations

from datetime import date

import msgspec
from msgspec import Struct

from stationmaster.aggregate import day as days
from stationmaster.analytics import privacy
from stationmaster.analytics.costs import ZEROS, Bill, Share, Sums, plus, shares
from stationmaster.analytics.model import DayRange, Question
from stationmaster.credits import dollars
from stationmaster.credits.card import Card
from stationmaster.credits.rates import credits
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.rollups.rows import Tier
from stationmaster.settings import Settings

DAYS_MAX = 31
"""Each is counted again, which takes as long as to roll it up."""


class Comparison(Struct, frozen=True):
    """Now and then; a difference is then - now. Dollars are null where a price is unknown."""

    billable_tokens_now: int
    billable_tokens_then: int
    billable_tokens_difference: int
    cost_usd_now: str | None
    cost_usd_then: str | None
    cost_usd_difference: str | None
    is_exact: bool
    """Of credits: are they counted call by call?"""


class WhatIfRow(Comparison, frozen=True):
    """One model on one day."""

    date: str
    model_id: str


class WhatIfMeta(Struct, frozen=True):
    """Totals leave out the dollars of a model whose price either card does not know."""

    org_id: str
    start_date: str
    end_date: str
    totals: Comparison
    unknown_models: list[str]


class WhatIf(Struct, frozen=True):
    data: list[WhatIfRow]
    meta: WhatIfMeta


class _Side(Struct):
    """Credits and dollars by one card; dollars None where one is unknown."""

    credits: int = 0
    amount: int | None = 0

    def plus(self, other: _Side) -> _Side:
        is_known = self.amount is not None and other.amount is not None
        amount = (self.amount or 0) + (other.amount or 0) if is_known else None
        return _Side(self.credits + other.credits, amount)


def compare(
    db: Database, settings: Settings, card: Card, other: Card, org: OrgId, asked: DayRange
) -> WhatIf:
    """Days that are current already, by the card in force and by another one."""
    closed = horizon.closed_through(db, org)
    rows: list[WhatIfRow] = []
    now, then, unknown = _Side(), _Side(), set[str]()
    for day, found in shares(db, privacy.judged(db, Question(org, "tokens", asked))):
        is_exact = closed is None or day > closed
        weighed = None
        if is_exact:
            again = days.recount(db, settings, org, day, other)
            weighed = {usage.model_id: usage.billable_tokens for usage in again}
        shown: dict[str, tuple[_Side, _Side]] = {}
        labels = {each.usage.model_id: each.model for each in found}
        for model, sums in _by_model(found).items():
            sides = _now(card, day, model, sums), _then(other, day, model, sums, weighed)
            before = shown.get(labels[model])
            shown[labels[model]] = (
                sides if before is None else (before[0].plus(sides[0]), before[1].plus(sides[1]))
            )
        for model, sides in sorted(shown.items()):
            compared = msgspec.structs.asdict(_compared(*sides, is_exact))
            rows.append(WhatIfRow(**compared, date=day.isoformat(), model_id=model))
            is_known = None not in (sides[0].amount, sides[1].amount)
            for side, part in zip((now, then), sides, strict=True):
                side.credits += part.credits
                side.amount = (side.amount or 0) + ((part.amount or 0) if is_known else 0)
            if not is_known:
                unknown.add(model)
    first, last = asked.texts
    totals = _compared(now, then, all(row.is_exact for row in rows))
    return WhatIf(rows, WhatIfMeta(org, first, last, totals, sorted(unknown)))


_ByTier = dict[Tier, Sums]


def _by_model(found: list[Share]) -> dict[str, _ByTier]:
    models: dict[str, _ByTier] = {}
    for usage in (each.usage for each in found):
        tiers = models.setdefault(usage.model_id, {})
        tiers[usage.model_tier] = plus(tiers.get(usage.model_tier, ZEROS), usage.counters())
    return models


def _now(card: Card, day: date, model: str, tiers: _ByTier) -> _Side:
    return _Side(sum(sums[0] for sums in tiers.values()), _dollars(card, day, model, tiers))


def _then(
    card: Card, day: date, model: str, tiers: _ByTier, weighed: dict[str, int] | None
) -> _Side:
    if weighed is None:
        found = sum(credits(card.rate(model, tier, day), *sums[1:]) for tier, sums in tiers.items())
    else:
        found = weighed.get(model, 0)
    return _Side(found, _dollars(card, day, model, tiers))


def _dollars(card: Card, day: date, model: str, tiers: _ByTier) -> int | None:
    bill = Bill()
    for tier, sums in tiers.items():
        bill.add(card.rate(model, tier, day).usd, sums)
    return None if bill.has_unknown else bill.amount


def _compared(now: _Side, then: _Side, is_exact: bool) -> Comparison:
    difference = None
    if now.amount is not None and then.amount is not None:
        difference = dollars.text(then.amount - now.amount)
    return Comparison(
        billable_tokens_now=now.credits,
        billable_tokens_then=then.credits,
        billable_tokens_difference=then.credits - now.credits,
        cost_usd_now=None if now.amount is None else dollars.text(now.amount),
        cost_usd_then=None if then.amount is None else dollars.text(then.amount),
        cost_usd_difference=difference,
        is_exact=is_exact,
    )
