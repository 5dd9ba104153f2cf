"""What closed days cost in US dollars, by model, user, agent, repository or team.

A day's dollars were added up call by call when it was rolled up, at the prices in force on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from datetime import date, timedelta
from functools import partial, reduce
from typing import Any, Literal, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from stationmaster import clock
from stationmaster.access.privacy import NAMED
from stationmaster.aggregate.slices import Slices, unpack
from stationmaster.analytics import privacy
from stationmaster.analytics.days import slices, stored
from stationmaster.analytics.days.breakdowns import NOT_SHOWN, REST
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.formats.bodies import Bodies, parts_of
from stationmaster.analytics.model import DayRange, Question
from stationmaster.analytics.spending import bills, cost_rows, cost_sums
from stationmaster.analytics.spending.bills import Bill, Share
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads, serving
from stationmaster.lake.rollups.rows import ModelUsage, Tier
from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.card import OLD_DAYS, Card
from stationmaster.pricing.credits.price import Amounts

Grouping = Literal["model", "user", "agent", "repository", "team"]

_COLUMNS: dict[str | None, str] = {
    "user": "user_id",
    "agent": "agent",
    "repository": "repository",
    "team": "team",
}
"""The columns of slices by grouping; by model and without a grouping everybody is one."""
_DAYS_AT_ONCE = 8
"""Slices of a large organization's day are some hundred kilobytes."""
UNKNOWN = "unknown"
"""The group of what was used on days that a version counted which knew no slices."""


class UnknownModel(Struct, frozen=True):
    """A model with tokens of unknown price: the counters without a price, the number of days,
    and the tokens that no sum of dollars includes. `is_on_card`: its credits are those of the
    card."""

    model_id: str
    is_on_card: bool
    missing: list[str]
    days: int
    last_day: str
    calls: int
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class CostsMeta(Struct, frozen=True):
    """`prices_as_of` is the date of the newest price list, `prices_are_old`: it is more than 45
    days ago."""

    org_id: str
    prices_as_of: str
    prices_are_old: bool
    start_date: str
    end_date: str
    totals: cost_rows.CostTotals
    unknown_models: list[UnknownModel]


class Costs(Struct, frozen=True):
    """Amounts are decimal numbers as text, exact to the last digit."""

    data: list[cost_rows.CostRow]
    meta: CostsMeta


class _User(Struct):
    user_id: str
    user_email: str | None
    by_model: list[ModelUsage]


class _Day(Struct):
    """What is read of a tokens document."""

    by_user: list[_User]


class _Unknown:
    """What is missing of one model."""

    def __init__(self) -> None:
        self.bill = Bill()
        self.days: set[date] = set()


class CostsAnswer(NamedTuple):
    """What `parts` make a Costs of: as JSON the rows of each day, comma-joined."""

    bodies: Sequence[bytes] | Bodies
    meta: CostsMeta

    @property
    def is_large(self) -> bool:
        """Whether it is sent in pieces."""
        return isinstance(self.bodies, Bodies) and self.bodies.is_large

    def parts(self) -> Iterator[bytes]:
        """The pieces of the answer's JSON, in order."""
        yield b'{"data":['
        yield from parts_of(self.bodies)
        yield b'],"meta":' + msgspec.json.encode(self.meta) + b"}"


class _Sums(NamedTuple):
    """Of days whose calls were priced one by one: their rows as JSON, and everything added up."""

    days: list[date]
    bodies: Bodies
    total: Bill
    unknown: dict[str, _Unknown]


def find(
    db: Database, card: Card, org: OrgId, days: DayRange, group_by: Grouping | None
) -> CostsAnswer:
    """The costs of days whose slices are current already: a row a day, or one a day and group.

    Raises Forbidden as `privacy.judged` does.
    """
    dimension = None if group_by == "model" else group_by
    question = privacy.judged(db, Question(org, "tokens", days, dimension))
    sums = _sums(db, question, group_by)
    others: dict[date, bytes] = {}
    total, unknown = deepcopy((sums.total, sums.unknown))
    for day, day_shares in shares(db, question, card, excluded=sums.days):
        for share in day_shares:
            total.add(share.bill)
            # Which part of a remainder has no price would describe few people.
            if share.bill.missing and share.label != REST:
                lacking = unknown.setdefault(share.label, _Unknown())
                lacking.bill.add(share.bill)
                lacking.days.add(day)
        others[day] = b",".join(map(msgspec.json.encode, _rows(day, day_shares, group_by)))
    first, last = days.texts
    meta = CostsMeta(
        org_id=org,
        prices_as_of=card.as_of.isoformat(),
        prices_are_old=(clock.today() - card.as_of).days > OLD_DAYS,
        start_date=first,
        end_date=last,
        totals=cost_rows.CostTotals(*_amounts(total)),
        unknown_models=_unknown_models(card, unknown),
    )
    return CostsAnswer(_with_others(sums, others), meta)


def _with_others(sums: _Sums, others: dict[date, bytes]) -> Sequence[bytes] | Bodies:
    """The rows of all days in order."""
    if not others:
        return sums.bodies
    rows = dict(zip(sums.days, sums.bodies.read(), strict=True)) | others
    return [rows[day] for day in sorted(rows)]


def _sums(db: Database, question: Question, group_by: Grouping | None) -> _Sums:
    """Kept while the days stay as they are."""
    return stored.answer(
        db,
        ("costs", question, group_by),
        (question.org, question.range.first, question.range.last),
        partial(_added, db, question, group_by),
        lambda sums: sums.bodies.nbytes,
    )


def _added(db: Database, question: Question, group_by: Grouping | None) -> _Sums:
    rows: dict[date, bytes] = {}
    total = Bill()
    unknown: dict[str, _Unknown] = {}
    for span, models in _models(db, question):
        if group_by is None:
            unused = {day: msgspec.json.encode(_row(day, ())) for day in span.days}
        else:
            unused = dict.fromkeys(span.days, b"")
        rows.update(unused | cost_rows.of_models(models, span.days, group_by))
        total.add(cost_rows.bill(models))
        _note_unknown(unknown, span.days, models)
    return _Sums([*rows], Bodies([*rows.values()]), total, unknown)


def _models(db: Database, question: Question) -> Iterator[tuple[SliceSpan, pa.Table]]:
    """What was used by day, group and model, of the days whose calls were priced one by one."""
    policy, day_range = question.policy or NAMED, question.range
    broken_down = ["tokens"] if policy.is_grouped else []
    for part in slices.read(db, question, day_range.first, day_range.last, cost_sums.TABLES):
        days = [stored_day for stored_day in part if stored_day.slices.has("costs")]
        if days:
            span = SliceSpan([(day.day, day.slices) for day in days])
            veiled = [(day.day, slices.veiled(db, day, question, broken_down)) for day in days]
            column = _COLUMNS.get(question.group_by)
            # Who used a model with reasoning may be a few of those who used it.
            one_tier = policy.is_grouped
            yield span, cost_sums.of_models(span, SliceSpan(veiled), column, one_tier=one_tier)


def _note_unknown(
    unknown: dict[str, _Unknown], span_days: Sequence[date], models: pa.Table
) -> None:
    """Add what has no price, except a remainder: which part of it that is would describe few
    people."""
    missing = reduce(pc.or_, [pc.greater(models[name], 0) for name in cost_sums.MISSING])
    lacking = models.filter(pc.and_(missing, pc.not_equal(models["label"], REST)))
    for row in cost_sums.added(lacking, ["day", "label"]).to_pylist():
        of_model = unknown.setdefault(row["label"], _Unknown())
        of_model.bill.add(bills.of_row(row))
        of_model.days.add(span_days[row["day"]])


def shares(
    db: Database, question: Question, card: Card, *, excluded: Collection[date] = ()
) -> Iterator[tuple[date, list[Share]]]:
    """What was used by day: by each user, agent, repository or team, as they are shown, or by all.

    The card is for days of which nothing but sums of tokens is left.
    """
    org, days = question.org, question.range
    first = days.first
    while first <= days.last:
        last = min(first + timedelta(days=_DAYS_AT_ONCE - 1), days.last)
        left = sorted(reads.rolled_days(db, org, first, last) - {*excluded})
        packed = dict(serving.slices(db, org, left[0], left[-1])) if left else {}
        for day in left:
            if day in packed:
                yield day, of_slices(unpack(packed[day]), question, card, day)
            else:
                yield (
                    day,
                    [
                        share
                        for stored in reads.documents(db, org, "tokens", day, day)
                        for share in _of_document(stored.body, question, card, day)
                    ],
                )
        first = last + timedelta(days=1)


def of_slices(sliced: Slices, question: Question, card: Card, day: date) -> list[Share]:
    """The shares of a day as the question shows them."""
    column = _COLUMNS.get(question.group_by)
    veiled = privacy.veil(sliced, question)
    rows = list(bills.of_slices(sliced, veiled, column, card, day))
    if question.policy is None or not question.policy.is_grouped:
        return rows
    # Who used a model with reasoning may be a few of those who used it.
    tiers: dict[str, Tier] = {}
    for bill_row in rows:
        tiers[bill_row.label] = max(bill_row.tier, tiers.get(bill_row.label, bill_row.tier))
    return [row._replace(tier=tiers[row.label]) for row in rows]


def _of_document(body: bytes, question: Question, card: Card, day: date) -> Iterator[Share]:
    """The shares of users, or of one group where slices would be needed for more."""
    policy, by_user = question.policy, question.group_by == "user"
    for user in msgspec.json.decode(body, type=_Day).by_user:
        key, email = user.user_id, user.user_email
        if not by_user:
            key, email = UNKNOWN if question.group_by else "", None
        elif policy is not None and not policy.is_named:
            key, email = policy.pseudonym(key), None
        for usage in user.by_model:
            share = bills.of_sums(key, email, usage, card, day)
            # It is unknown how many people used the model.
            is_grouped = policy is not None and policy.is_grouped
            yield share._replace(label=REST) if is_grouped else share


def _rows(
    day: date, day_shares: Iterable[Share], group_by: Grouping | None
) -> Iterator[cost_rows.CostRow]:
    for key, group in sorted(_groups(day_shares, group_by).items()):
        row = _row(day, group)
        if group_by is not None:
            row = msgspec.structs.replace(row, group_key=key)
        if group_by == "user":
            row = msgspec.structs.replace(row, user_email=group[0].email)
        if group_by is None or key != NOT_SHOWN:
            yield row


def _groups(day_shares: Iterable[Share], group_by: Grouping | None) -> dict[str, list[Share]]:
    """The shares by group. Ungrouped: one, ever."""
    groups: dict[str, list[Share]] = {} if group_by is not None else {"": []}
    for share in day_shares:
        groups.setdefault(share.label if group_by == "model" else share.key, []).append(share)
    return groups


def _row(day: date, group: Iterable[Share]) -> cost_rows.CostRow:
    total = Bill()
    models: dict[str, tuple[Tier, Bill]] = {}
    for share in group:
        total.add(share.bill)
        tier, bill = models.setdefault(share.label, (share.tier, Bill()))
        bill.add(share.bill)
        models[share.label] = (max(tier, share.tier), bill)
    ranked = sorted(models.items(), key=lambda item: (-item[1][1].amount, item[0]))
    by_model = [
        cost_rows.ModelCost(*(*_amounts(bill), model, tier)) for model, (tier, bill) in ranked
    ]
    unknown = sorted(item.model_id for item in by_model if not item.is_complete)
    return cost_rows.CostRow(*(*_amounts(total), day.isoformat(), by_model, unknown))


def _amounts(bill: Bill) -> tuple[Any, ...]:
    """The members of CostTotals."""
    has_estimate = bill.agent_calls > 0
    return (
        bill.cost_usd,
        bill.is_complete,
        bool(bill.reasons),
        [why for why in bills.REASONS if why in bill.reasons],
        bill.is_per_call,
        bill.calls,
        bill.unpriced_calls,
        dollars.text(bill.agent_amount) if has_estimate else None,
        bill.agent_calls,
        dollars.text(bill.same_amount) if has_estimate else None,
        *bill.tokens,
        bill.cache_write_1h_tokens,
    )


def _unknown_models(card: Card, unknown: dict[str, _Unknown]) -> list[UnknownModel]:
    """Those with most tokens first."""
    unknown_models = [
        UnknownModel(
            model,
            card.rate(model, "standard", max(lacking.days)).is_known,
            [name for name in Amounts._fields if name in lacking.bill.missing],
            len(lacking.days),
            max(lacking.days).isoformat(),
            lacking.bill.unpriced_calls,
            *lacking.bill.unpriced,
        )
        for model, lacking in unknown.items()
    ]
    return sorted(
        unknown_models,
        key=lambda unknown_model: (-unknown_model.billable_tokens, unknown_model.model_id),
    )
