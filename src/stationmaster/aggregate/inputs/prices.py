"""The prices of a day as rows for the queries, which choose one for every model call."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.keys import NotTogether
from stationmaster.pricing.credits.card import Card, Rate, Tier
from stationmaster.pricing.credits.price import Amounts, Bracket, Price, brackets, mode_of

_INPUT_MIN, _INPUT_MAX = -(2**63), 2**63 - 1
_KEY = ("model", "tier", "region", "speed", "service_tier")
"""What prices go by, in the order of the query `models`."""
_WEIGHTS = ("multiplier_milli", "cache_read_milli", "cache_write_milli")
_AMOUNT = pa.decimal128(12, 0)


class _Row(NamedTuple):
    """One price, and the calls that it holds for."""

    key: tuple[str | None, ...]
    """_KEY as calls report it."""
    rate: Rate
    bracket: Bracket
    tiers_above: int | None
    """With more input than this a higher context tier holds."""


def register(engine: Engine, models: pa.Table, run: Iterable[date], card: Card) -> tuple[str, ...]:
    """Make the prices of `models` on some days the table `rates`. Returns models that no card
    names. Raises NotTogether where a price is not the same on all of the days.

    Every call has exactly one row. Amounts are 10⁻¹² dollars per token; where one is missing,
    `lacks_…` says so. `has_retentions` says that it matters for how long a cache write is kept.
    """
    names = models.to_pylist()
    starts = card.starts()
    unlike = {bisect_right(starts, day): day for day in run}.values()
    (rows, unknown), *others = (_rows(names, day, card) for day in unlike)
    if any(other != (rows, unknown) for other in others):
        raise NotTogether
    engine.register("rates", _table(rows))
    return tuple(sorted(unknown))


def same_kind(models: pa.Table) -> str:
    """The condition, of usage.sql, that a price `r` is one for calls of the kind of `e`. It says
    only what tells the day's calls apart, because each comparison costs some time for each call."""
    conditions = []
    for theirs, mine in zip(models.column_names, _KEY, strict=True):
        if mine == "model" or pc.count_distinct(models[theirs], mode="all").as_py() > 1:
            how = "is not distinct from" if models[theirs].null_count else "="
            conditions.append(f"r.{mine} {how} e.{theirs}")
    return " and ".join(conditions)


def _rows(
    models: Iterable[dict[str, str | None]], day: date, card: Card
) -> tuple[list[_Row], set[str]]:
    rows: list[_Row] = []
    unknown: set[str] = set()
    for key in models:
        model = key["model"] or ""
        tier: Tier = "thinking" if key["model_tier"] == "thinking" else "standard"
        rate = card.rate(model, tier, day, key["region"])
        if not rate.is_known:
            unknown.add(key["model"] or "")
        steps = _steps(rate.usd, key["speed"], key["service_tier"])
        above = steps[0].up_to
        rows += [_Row(tuple(key.values()), rate, step, above) for step in steps]
    return rows, unknown


def _steps(price: Price | None, speed: str | None, service_tier: str | None) -> list[Bracket]:
    """The brackets of calls of one kind, shortest calls first; one without amounts for no price."""
    mode = mode_of(speed, service_tier)
    steps = [] if price is None else [step for step in brackets(price) if step.mode == mode]
    return steps or [Bracket("standard", -1, None, Amounts())]


def _table(rows: list[_Row]) -> pa.Table:
    columns = {"number": pa.array(range(len(rows)), pa.int32())}
    for place, name in enumerate(_KEY):
        columns[name] = pa.array([row.key[place] for row in rows], pa.string())
    for name in _WEIGHTS:
        columns[name] = pa.array([getattr(row.rate, name) for row in rows], pa.int64())
    limits = {
        "input_from": [_after(row.bracket.above) for row in rows],
        "input_to": [_limit(row.bracket.up_to) for row in rows],
        "tiers_above": [_limit(row.tiers_above) for row in rows],
    }
    columns |= {name: pa.array(values, pa.int64()) for name, values in limits.items()}
    for name in Amounts._fields:
        amounts = [getattr(row.bracket.amounts, name) for row in rows]
        columns[name] = pa.array(amounts, _AMOUNT)
        columns[f"lacks_{name}"] = pa.array([amount is None for amount in amounts], pa.bool_())
    retentions = [_has_retentions(row.bracket.amounts) for row in rows]
    columns["has_retentions"] = pa.array(retentions, pa.bool_())
    return pa.table(columns)


def _after(tokens: int) -> int:
    return _INPUT_MIN if tokens < 0 else min(tokens + 1, _INPUT_MAX)


def _limit(tokens: int | None) -> int:
    return _INPUT_MAX if tokens is None else min(tokens, _INPUT_MAX)


def _has_retentions(amounts: Amounts) -> bool:
    return amounts.cache_write_1h is not None and amounts.cache_write_1h != amounts.cache_write
