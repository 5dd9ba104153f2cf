"""What closed days cost in US dollars, by model, user, agent, repository or team.

Dollars are linear in the four disjoint token counters of a model and day, so they are worked out
from stored sums when somebody asks, by the card in force then. Two things no sum can show, and
then list prices are as if neither was: calls so long that they cost more (`is_minimum` says where
that may be), and a tier of its own price beside another one of the same model and day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from stationmaster.aggregate.slices import Slices, records, unpack
from stationmaster.analytics import privacy
from stationmaster.analytics.breakdowns import NOBODY
from stationmaster.analytics.crowds import REST
from stationmaster.analytics.model import DayRange, Question
from stationmaster.credits import dollars
from stationmaster.credits.card import Card, Rate
from stationmaster.credits.price import Price
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.rollups import reads, serving
from stationmaster.rollups.rows import ModelUsage, Tier

Grouping = Literal["model", "user", "agent", "repository", "team"]

SLICED: tuple[Grouping, ...] = ("agent", "repository", "team")
"""What finished documents do not tell, and slices of days do."""
_DAYS_AT_ONCE = 31
"""Documents of a large organization's day are some hundred kilobytes."""
UNKNOWN = "unknown"
"""The group of what was used on days that a version counted which knew no slices."""
ZEROS = (0, 0, 0, 0, 0)

Sums = tuple[int, int, int, int, int]
"""Credits and the four token counters."""
_Models = dict[tuple[str, Tier, tuple[str, Tier]], Sums]
"""By model and tier, and by what these are shown as."""


class ModelCost(Struct, frozen=True):
    """One model's share. `cost_usd` is null where tokens have no known price, `is_minimum` says
    that calls with very long input cost more than that."""

    model_id: str
    model_tier: Tier
    cost_usd: str | None
    is_minimum: bool
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class CostRow(Struct, frozen=True):
    """A day, or a group on a day. `cost_usd` is of what has a price, null where nothing does;
    `is_complete` says that all has. `user_email` is there in rows of users."""

    date: str
    cost_usd: str | None
    is_complete: bool
    is_minimum: bool
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    by_model: list[ModelCost]
    unknown_models: list[str]
    group_key: str | UnsetType = UNSET
    user_email: str | UnsetType | None = UNSET


class UnknownModel(Struct, frozen=True):
    """A model with tokens of unknown price: which counters lack one, on how many days, and what is
    therefore in no sum of dollars. `is_on_card` says that its credits are those of the card."""

    model_id: str
    is_on_card: bool
    missing: list[str]
    days: int
    last_day: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class CostTotals(Struct, frozen=True):
    cost_usd: str | None
    is_complete: bool
    is_minimum: bool
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class CostsMeta(Struct, frozen=True):
    org_id: str
    start_date: str
    end_date: str
    totals: CostTotals
    unknown_models: list[UnknownModel]


class Costs(Struct, frozen=True):
    """Amounts are decimal numbers as text, exact to the last digit."""

    data: list[CostRow]
    meta: CostsMeta


class Share(NamedTuple):
    """What one group used of one model on a day; `model` and `tier` are how that is shown."""

    key: str
    email: str | None
    usage: ModelUsage
    model: str
    tier: Tier


class _User(Struct):
    user_id: str
    user_email: str | None
    by_model: list[ModelUsage]


class _Day(Struct):
    """What is read of a tokens document."""

    by_user: list[_User]


class Bill:
    """Costs that are added up."""

    def __init__(self) -> None:
        self.amount = 0
        self.sums: Sums = ZEROS
        self.has_known = False
        self.has_unknown = False
        self.is_minimum = False

    def add(self, price: Price | None, sums: Sums) -> int | None:
        """One model's tokens; what they cost."""
        amount = dollars.cost(price, sums[1:])
        self.amount += amount or 0
        self.sums = plus(self.sums, sums)
        self.has_known |= amount is not None
        self.has_unknown |= amount is None
        self.is_minimum |= price is not None and bool(price.standard.tiers)
        return amount

    @property
    def cost_usd(self) -> str | None:
        if self.has_unknown and not self.has_known:
            return None
        return dollars.text(self.amount)


class _Unknown:
    """What is missing of one model."""

    def __init__(self) -> None:
        self.sums: Sums = ZEROS
        self.missing: set[str] = set()
        self.days: set[date] = set()


def find(db: Database, card: Card, org: OrgId, asked: DayRange, group_by: Grouping | None) -> Costs:
    """The costs of days that are current already: a row a day, or one a day and group.

    Raises Forbidden as `privacy.judged` does.
    """
    dimension = None if group_by == "model" else group_by
    question = privacy.judged(db, Question(org, "tokens", asked, dimension))
    # The same few models come up again for every user and day.
    rate = cache(card.rate)
    total = Bill()
    unknown: dict[str, _Unknown] = {}
    rows: list[CostRow] = []
    for day, found in shares(db, question):
        groups = _groups(found, group_by)
        for key, (email, models) in sorted(groups.items()):
            row = _row(rate, day, models, total, unknown)
            if group_by is not None:
                row = msgspec.structs.replace(row, group_key=key)
            if group_by == "user":
                row = msgspec.structs.replace(row, user_email=email)
            if group_by is None or key != NOBODY:
                rows.append(row)
    first, last = asked.texts
    return Costs(
        rows,
        CostsMeta(
            org,
            first,
            last,
            CostTotals(total.cost_usd, not total.has_unknown, total.is_minimum, *total.sums),
            _unknown_models(card, unknown),
        ),
    )


def _groups(
    shares: Iterable[Share], group_by: Grouping | None
) -> dict[str, tuple[str | None, _Models]]:
    """By group: its e-mail address and what it used. Ungrouped: one, ever."""
    found: dict[str, tuple[str | None, _Models]] = {}
    if group_by is None:
        found[""] = (None, {})
    for key, email, usage, model, tier in shares:
        group = {None: "", "model": model}.get(group_by, key)
        _, models = found.setdefault(group, (email, {}))
        of = (usage.model_id, usage.model_tier, (model, tier))
        models[of] = plus(models.get(of, ZEROS), usage.counters())
    return found


def _row(
    rate: Callable[[str, Tier, date], Rate],
    day: date,
    models: _Models,
    total: Bill,
    unknown: dict[str, _Unknown],
) -> CostRow:
    """A row, which is added to the total and to what is not known."""
    bill = Bill()
    shown: dict[tuple[str, Tier], Bill] = {}
    for (model, tier, label), sums in models.items():
        price = rate(model, tier, day).usd
        total.add(price, sums)
        amount = bill.add(price, sums)
        shown.setdefault(label, Bill()).add(price, sums)
        # Which part of a rest has no price would tell of few people.
        if amount is None and label[0] != REST:
            lacking = unknown.setdefault(label[0], _Unknown())
            lacking.sums = plus(lacking.sums, sums)
            lacking.missing.update(dollars.missing(price, sums[1:]))
            lacking.days.add(day)
    ranked = sorted(shown.items(), key=lambda item: (-item[1].amount, *item[0]))
    return CostRow(
        day.isoformat(),
        bill.cost_usd,
        not bill.has_unknown,
        bill.is_minimum,
        *bill.sums,
        [ModelCost(*of, part.cost_usd, part.is_minimum, *part.sums) for of, part in ranked],
        sorted({name for (name, _), part in ranked if part.has_unknown}),
    )


def _unknown_models(card: Card, unknown: dict[str, _Unknown]) -> list[UnknownModel]:
    """Those with most tokens first."""
    found = [
        UnknownModel(
            model,
            card.rate(model, "standard", max(lacking.days)).is_known,
            [name for name in dollars.COUNTERS if name in lacking.missing],
            len(lacking.days),
            max(lacking.days).isoformat(),
            *lacking.sums,
        )
        for model, lacking in unknown.items()
    ]
    return sorted(found, key=lambda each: (-each.billable_tokens, each.model_id))


def shares(db: Database, question: Question) -> Iterator[tuple[date, list[Share]]]:
    """What was used by day: by each user, or by each agent, repository or team, as they are shown.

    Without a grouping the users are the true ones, for sums alone.
    """
    org, asked, group_by = question.org, question.range, question.group_by
    is_grouped = question.policy is not None and question.policy.is_grouped
    first = asked.first
    while first <= asked.last:
        last = min(first + timedelta(days=_DAYS_AT_ONCE - 1), asked.last)
        is_sliced = is_grouped or group_by in SLICED
        slices = dict(serving.slices(db, org, first, last)) if is_sliced else {}
        for stored in reads.documents(db, org, "tokens", first, last):
            if stored.day in slices:
                yield stored.day, _of_slices(unpack(slices[stored.day]), question)
            else:
                found = _of_users(stored.body, UNKNOWN if is_sliced else None)
                is_shown = group_by == "user"
                found = _renamed(found, question) if is_shown else found
                yield stored.day, _without_models(found) if is_grouped else found
        first = last + timedelta(days=1)


def _without_models(found: list[Share]) -> list[Share]:
    """Of a day on which nobody knows how many people used a model."""
    return [each._replace(model=REST) for each in found]


def _renamed(found: list[Share], question: Question) -> list[Share]:
    policy = question.policy
    if policy is None or policy.is_named:
        return found
    return [each._replace(key=policy.pseudonym(each.key), email=None) for each in found]


def _of_users(body: bytes, group: str | None) -> list[Share]:
    """The shares of users, or all of them as those of one group."""
    return [
        Share(
            group or user.user_id,
            None if group else user.user_email,
            usage,
            usage.model_id,
            usage.model_tier,
        )
        for user in msgspec.json.decode(body, type=_Day).by_user
        for usage in user.by_model
    ]


def _of_slices(day: Slices, question: Question) -> list[Share]:
    veiled = privacy.veil(day, question)
    keys = veiled.column(question.group_by or "user_id")
    models = veiled["tokens"]["model"].to_pylist()
    found = [
        Share(keys[number], None, ModelUsage(model, tier, *figures), shown, tier)
        for (number, model, tier, _, *figures), shown in zip(
            records(day["tokens"]), models, strict=True
        )
    ]
    if question.policy is None or not question.policy.is_grouped:
        return found
    # Who used a model with reasoning may be a few of those who used it.
    tiers: dict[str, Tier] = {}
    for each in found:
        tiers[each.model] = max(each.tier, tiers.get(each.model, each.tier))
    return [each._replace(tier=tiers[each.model]) for each in found]


def plus(some: Sums, more: Sums) -> Sums:
    return (
        some[0] + more[0],
        some[1] + more[1],
        some[2] + more[2],
        some[3] + more[3],
        some[4] + more[4],
    )
