"""Columns of ratios and dollars are, digit by digit, what the functions for one number give."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
from hypothesis import given, strategies as st

from stationmaster.aggregate import ratios
from stationmaster.analytics.formats import exact
from stationmaster.pricing.credits import dollars

COUNTS = st.one_of(st.integers(0, 30), st.integers(0, 2**62))
AMOUNTS = st.one_of(st.integers(0, 10**13), st.integers(0, 10**30))


def _column(values: list[int], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([Decimal(value) for value in values]).cast(kind)])


@given(st.lists(st.tuples(COUNTS, COUNTS), max_size=20))
def test_shares_are_those_of_single_numbers_and_null_without_a_whole(
    pairs: list[tuple[int, int]],
) -> None:
    parts, wholes = (pa.chunked_array([[p[n] for p in pairs]], pa.int64()) for n in (0, 1))

    expected = [ratios.ratio(part, whole) if whole else None for part, whole in pairs]
    assert exact.shares(parts, wholes).to_pylist() == expected


@given(st.lists(st.tuples(AMOUNTS, COUNTS), max_size=20))
def test_dollars_are_those_of_single_amounts_however_large(pairs: list[tuple[int, int]]) -> None:
    amounts = _column([amount for amount, _ in pairs], pa.decimal128(38, 0))
    counts = pa.chunked_array([[count for _, count in pairs]], pa.int64())
    step = 10**6

    assert exact.dollars_of(amounts).to_pylist() == [dollars.text(amount) for amount, _ in pairs]
    assert exact.dollars_each(amounts, counts).to_pylist() == [
        dollars.text((2 * amount + count * step) // (2 * count * step) * step) if count else None
        for amount, count in pairs
    ]
