"""What past days would have cost with another rate card; nothing is stored.

Credits and dollars are worked out call by call, so they are counted again from the events of a day
by the same queries. Of a day whose events are erased only sums are left: its credits may then be
off by half a credit a call, its dollars are those of short calls, and its rows are marked as not
exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import msgspec
from msgspec import Struct

from stationmaster.aggregate import day as days
from stationmaster.analytics import privacy
from stationmaster.analytics.model import DayRange, Question
from stationmaster.analytics.spending import bills
from stationmaster.analytics.spending.costs import of_slices, shares
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.lake.rollups.rows import ModelUsage
from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.card import Card
from stationmaster.pricing.credits.rates import credits
from stationmaster.pricing.credits.reading import parse
from stationmaster.pricing.review import reviewed
from stationmaster.settings import Settings

DAYS_MAX = 31
"""Each is counted again, which takes as long as to roll it up."""


class Comparison(Struct, frozen=True):
    """The figures `now` and with the other card (`then`); a difference is then - now. Dollars
    are null if a price is unknown."""

    billable_tokens_now: int
    billable_tokens_then: int
    billable_tokens_difference: int
    cost_usd_now: str | None
    cost_usd_then: str | None
    cost_usd_difference: str | None
    is_exact: bool
    """Is it counted call by call?"""


class WhatIfRow(Comparison, frozen=True):
    """One model on one day."""

    date: str
    model_id: str


class WhatIfMeta(Struct, frozen=True):
    """Totals leave out the dollars of a model without a price in either card."""

    org_id: str
    start_date: str
    end_date: str
    totals: Comparison
    unknown_models: list[str]


class WhatIf(Struct, frozen=True):
    data: list[WhatIfRow]
    meta: WhatIfMeta


def cards(db: Database, settings: Settings, org: OrgId, text: str) -> tuple[Card, Card]:
    """The card in force, after days whose prices have changed were made due, and the card of a
    text (TOML) before it. Raises BadRequest for a text that cannot be read."""
    mine = reviewed(db, settings, org)
    return mine, parse(text, "request").before(mine)


def compare(
    db: Database, settings: Settings, card: Card, other: Card, org: OrgId, day_range: DayRange
) -> WhatIf:
    """Days whose slices are current already, by the card in force and by another one."""
    closed = horizon.closed_through(db, org)
    rows: list[WhatIfRow] = []
    now, then, unknown = bills.Bill(), bills.Bill(), set[str]()
    question = privacy.judged(db, Question(org, "tokens", day_range))
    for day, day_shares in shares(db, question, card):
        is_exact = closed is None or day > closed
        if is_exact:
            again = days.recount(db, settings, org, day, other)
            weighed = of_slices(again, question, other, day)
        else:
            weighed = [_from_sums(share, other, day) for share in day_shares]
        mine, theirs = _by_model(day_shares), _by_model(weighed)
        for model in sorted(mine):
            sides = mine[model], theirs.get(model, bills.Bill())
            compared = msgspec.structs.asdict(_compared(*sides, is_exact))
            rows.append(WhatIfRow(**compared, date=day.isoformat(), model_id=model))
            is_known = all(side.is_complete for side in sides)
            for total, side in zip((now, then), sides, strict=True):
                total.add(side if is_known else bills.Bill(side.tokens))
            if not is_known:
                unknown.add(model)
    first, last = day_range.texts
    totals = _compared(now, then, all(row.is_exact for row in rows))
    return WhatIf(rows, WhatIfMeta(org, first, last, totals, sorted(unknown)))


def _from_sums(share: bills.Share, card: Card, day: date) -> bills.Share:
    """A share by another card, as far as sums of tokens show."""
    weight = credits(card.rate(share.model, share.tier, day), *share.bill.tokens[1:])
    usage = ModelUsage(share.model, share.tier, weight, *share.bill.tokens[1:])
    return bills.of_sums(share.key, share.email, usage, card, day)._replace(label=share.label)


def _by_model(day_shares: Iterable[bills.Share]) -> dict[str, bills.Bill]:
    models: dict[str, bills.Bill] = {}
    for share in day_shares:
        models.setdefault(share.label, bills.Bill()).add(share.bill)
    return models


def _compared(now: bills.Bill, then: bills.Bill, is_exact: bool) -> Comparison:
    costs = [side.amount if side.is_complete else None for side in (now, then)]
    difference = None
    if costs[0] is not None and costs[1] is not None:
        difference = dollars.text(costs[1] - costs[0])
    return Comparison(
        billable_tokens_now=now.tokens[0],
        billable_tokens_then=then.tokens[0],
        billable_tokens_difference=then.tokens[0] - now.tokens[0],
        cost_usd_now=None if costs[0] is None else dollars.text(costs[0]),
        cost_usd_then=None if costs[1] is None else dollars.text(costs[1]),
        cost_usd_difference=difference,
        is_exact=is_exact,
    )
