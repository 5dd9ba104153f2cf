"""Ratios and dollars of whole columns, to the digit as `ratios` and `dollars` give them one by one.

Where a number does not fit into 64 bits, they are asked one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate import ratios
from stationmaster.pricing.credits import dollars

_COUNT = pa.int64()
_SCALE = 10_000
_STEP = dollars.PER_DOLLAR // 10**6


def shares(part: pa.ChunkedArray, whole: pa.ChunkedArray) -> pa.ChunkedArray:
    """One number over another, rounded half up to four decimals; null where there is nothing to
    divide by."""
    divisor = pc.if_else(pc.equal(whole, 0), None, whole)
    try:
        half_up = pc.add_checked(pc.multiply_checked(part, 2 * _SCALE), divisor)
        scaled = pc.divide_checked(half_up, pc.multiply_checked(divisor, 2))
        # Refuses what a float does not hold exactly.
        return pc.divide(pc.cast(scaled, pa.float64()), float(_SCALE))
    except pa.ArrowInvalid:
        return _one_by_one(ratios.ratio, pa.float64(), part, divisor)


def dollars_of(amounts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Amounts of 10⁻¹² dollars as text: see `dollars.text`."""
    try:
        return _texts(pc.cast(amounts, _COUNT))
    except pa.ArrowInvalid:
        return _one_by_one(lambda amount: dollars.text(int(amount)), pa.string(), amounts)


def dollars_each(amounts: pa.ChunkedArray, counts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Dollars of one of so many, rounded half up to six decimals; null where there is none."""
    divisor = pc.if_else(pc.equal(counts, 0), None, counts)
    try:
        steps = pc.multiply_checked(divisor, _STEP)
        half_up = pc.add_checked(pc.multiply_checked(pc.cast(amounts, _COUNT), 2), steps)
        rounded = pc.divide_checked(half_up, pc.multiply_checked(steps, 2))
        return _texts(pc.multiply_checked(rounded, _STEP))
    except pa.ArrowInvalid:
        return _one_by_one(_divided, pa.string(), amounts, divisor)


def _divided(amount: Any, count: int) -> str:
    return dollars.text((2 * int(amount) + count * _STEP) // (2 * count * _STEP) * _STEP)


def _texts(amounts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Raises ArrowInvalid for an amount below zero."""
    if (pc.min(amounts).as_py() or 0) < 0:
        raise pa.ArrowInvalid("below zero")
    whole = pc.divide(amounts, dollars.PER_DOLLAR)
    rest = pc.subtract(amounts, pc.multiply(whole, dollars.PER_DOLLAR))
    # A leading one keeps the zeros after it.
    digits = pc.cast(pc.add(rest, dollars.PER_DOLLAR), pa.string())
    cents = pc.utf8_slice_codeunits(digits, 1, 3)
    more = pc.utf8_rtrim(pc.utf8_slice_codeunits(digits, 3), "0")
    parts = pc.cast(whole, pa.string()), ".", cents, more, ""
    return pc.binary_join_element_wise(*parts)


def _one_by_one(
    call: Callable[..., Any], kind: pa.DataType, *columns: pa.ChunkedArray
) -> pa.ChunkedArray:
    """What the call makes of each row; null where any value is."""
    values = [
        None if None in row else call(*row)
        for row in zip(*(column.to_pylist() for column in columns), strict=True)
    ]
    return pa.chunked_array([pa.array(values, kind)])
