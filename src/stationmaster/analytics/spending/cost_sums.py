"""What was used and what it cost, of all days of a range: by day, group and model.

`bills.of_slices` makes bills of those of one day.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate.slices import LOWER_BOUNDS
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.pricing.credits.price import Amounts

_TOKENS = ("billable_tokens", "input_tokens", "output_tokens")
TOKENS = (*_TOKENS, "cache_read_tokens", "cache_write_tokens")
UNPRICED = tuple(f"unpriced_{name}" for name in TOKENS)
MISSING = tuple(f"missing_{name}" for name in Amounts._fields)
"""1 where a price is missing."""
_SUMS = (
    *(*TOKENS, *UNPRICED, "cache_write_1h_tokens", "calls", "unpriced_calls", "amount"),
    *(*LOWER_BOUNDS, "agent_calls", "agent_amount", "same_amount"),
)
_TEXTS = ("tier", "email")
_HIGHEST = (*_TEXTS, "is_priced", *MISSING)
_OF_COSTS = (
    *("calls", "cache_write_1h_tokens", "amount", *LOWER_BOUNDS),
    *("agent_calls", "agent_amount", "same_amount"),
)
TABLES = ("tokens", "costs", "without_price")


def of_models(
    span: SliceSpan, veiled: SliceSpan, column: str | None, *, one_tier: bool
) -> pa.Table:
    """By `day`, `key` and `label`, what a model is shown as: TOKENS, amounts and what has no price.

    `veiled` has the same rows under the names that are shown; `column` is the one of its slices
    that groups. With `one_tier` a label has the same tier in every group of a day.
    """
    sums, texts, is_shown = _of_numbers(span, veiled, column)
    sums = sums.drop_columns("model") if is_shown else added(sums, ("day", "key", "label"))
    sums = _named(sums, texts, ("key", "label"))
    return _one_tier(sums) if one_tier else sums


def of_true_models(span: SliceSpan, veiled: SliceSpan, column: str | None) -> pa.Table:
    """The same by `model`, too."""
    sums, texts, _ = _of_numbers(span, veiled, column)
    return _named(sums, texts, ("key", "label", "model"))


def _of_numbers(
    span: SliceSpan, veiled: SliceSpan, column: str | None
) -> tuple[pa.Table, dict[str, list[str]], bool]:
    """Sums by day and by the numbers of keys, labels and models, the texts of these, and whether
    every model is shown as itself."""
    tokens = span.rows("tokens", ["model", "model_tier", *TOKENS])
    costs = span.rows("costs", _OF_COSTS)
    labels = veiled.rows("tokens", ["model"])["model"]
    rows = pa.table(
        {
            "slice": tokens["slice"],
            "model": tokens["model"],
            "label": labels,
            "tier": tokens["model_tier"],
            **{name: tokens[name] for name in TOKENS},
            **{name: costs[name] for name in _OF_COSTS},
        }
    )
    rows = pa.concat_tables([rows, _without_price(span, rows)], promote_options="default")
    rows = rows.filter(pc.is_valid(rows["label"]))
    numbers = rows["slice"].combine_chunks()
    texts = pa.repeat("", len(span.day)) if column is None else veiled.column(column)
    rows = rows.append_column("day", span.day.take(numbers))
    rows = rows.append_column("key", texts.take(numbers))
    rows = rows.append_column("email", veiled.column("email").take(numbers))
    rows, texts = coded(rows, ("key", "label", "model"))
    # All calls of a model together show whether any of it has a price.
    sums = added(rows, ("day", "key", "label", "model"))
    differs = [pc.not_equal(sums[name], sums[f"unpriced_{name}"]) for name in TOKENS[1:]]
    priced = pc.cast(reduce(pc.or_, differs), pa.int64())
    sums = _with(sums, "is_priced", priced)
    is_shown = texts["label"] == texts["model"] and rows["label"].equals(rows["model"])
    return sums, texts, is_shown


def _named(sums: pa.Table, texts: dict[str, list[str]], columns: Sequence[str]) -> pa.Table:
    """The sums with texts in the place of their numbers."""
    for name in columns:
        sums = _with(sums, name, pa.array(texts[name], pa.string()).take(sums[name]))
    return sums


def coded(rows: pa.Table, columns: Sequence[str]) -> tuple[pa.Table, dict[str, list[str]]]:
    """The rows with a number for each text of some columns, and the texts by number, sorted."""
    texts = {}
    for name in columns:
        codes = rows[name].combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(codes.dictionary)
        places = pc.inverse_permutation(order.cast(pa.int64()))
        texts[name] = codes.dictionary.take(order).to_pylist()
        rows = _with(rows, name, places.take(codes.indices))
    return rows, texts


def added(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Rows added up by some keys. A column that is missing is 0."""
    rows, texts = coded(rows, _TEXTS)
    sums = [name for name in _SUMS if name in rows.column_names]
    highest = [name for name in _HIGHEST if name in rows.column_names]
    aggregations = [*((name, "sum") for name in sums), *((name, "max") for name in highest)]
    totals = rows.group_by([*keys], use_threads=False).aggregate(aggregations)
    columns = {key: totals[key] for key in keys}
    zeros = pa.repeat(pa.scalar(0), totals.num_rows)
    for names, how in ((_SUMS, "sum"), (_HIGHEST, "max")):
        for name in names:
            column = f"{name}_{how}"
            if name in texts:
                values = pa.array(texts[name], pa.string())
                columns[name] = values.take(totals[column])
            elif column in totals.column_names:
                columns[name] = pc.fill_null(totals[column], 0)
            else:
                columns[name] = zeros
    return pa.table(columns)


def _with(rows: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The rows with another column of a name that they have."""
    return rows.set_column(rows.schema.get_field_index(name), name, column)


def _without_price(span: SliceSpan, rows: pa.Table) -> pa.Table:
    """What has no price, in columns of their own, labelled as the model of its slice is."""
    lacking = span.rows("without_price", ["model", "missing", "calls", *TOKENS])
    models = pa.chunked_array([*rows["model"].chunks, *lacking["model"].chunks], pa.string())
    codes = models.combine_chunks().dictionary_encode().indices
    size = rows.num_rows
    place = pc.index_in(
        _numbered(lacking["slice"], codes.slice(size)),
        value_set=_numbered(rows["slice"], codes.slice(0, size)),
    )
    columns = {
        "slice": lacking["slice"],
        "model": lacking["model"],
        "label": rows["label"].combine_chunks().take(place),
        "unpriced_calls": lacking["calls"],
    }
    columns |= {f"unpriced_{name}": lacking[name] for name in TOKENS}
    names = lacking["missing"].combine_chunks().dictionary_encode()
    for name in Amounts._fields:
        has = [int(name in missing.split(",")) for missing in names.dictionary.to_pylist()]
        columns[f"missing_{name}"] = pa.array(has, pa.int64()).take(names.indices)
    return pa.table(columns)


def _numbered(slices: pa.ChunkedArray, codes: pa.Array) -> pa.Array:
    """One number for a slice and a model."""
    numbers = pc.cast(slices.combine_chunks(), pa.int64())
    return pc.add(pc.multiply(numbers, 2**31), pc.cast(codes, pa.int64()))


def _one_tier(rows: pa.Table) -> pa.Table:
    """The rows with the highest tier that their label has on the day."""
    highest = rows.group_by(["day", "label"], use_threads=False).aggregate([("tier", "max")])
    both = pa.concat_tables([rows.select(["day", "label"]), highest.select(["day", "label"])])
    codes = both["label"].combine_chunks().dictionary_encode().indices
    numbers = _numbered(both["day"], codes)
    place = pc.index_in(numbers.slice(0, rows.num_rows), value_set=numbers.slice(rows.num_rows))
    tiers = highest["tier_max"].combine_chunks().take(place)
    return _with(rows, "tier", tiers)
