"""The slices of a range of days as one, so that a question is folded once and not day by day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property
from itertools import accumulate, compress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate.slices import Slices

_NUMBER = pa.int32()


class SliceSpan:
    """Slices of days in order, numbered through all of them, or those chosen of them.

    A table is joined when it is asked for, from the columns that are asked for.
    """

    def __init__(
        self, days: Sequence[tuple[date, Slices]], chosen: pa.BooleanArray | None = None
    ) -> None:
        self.days = [day for day, _ in days]
        self._parts = [part for _, part in days]
        self.chosen = chosen
        """By slice number; None for all."""
        sizes = (part.whole("slices").num_rows for part in self._parts)
        self._starts = [*accumulate(sizes, initial=0)]

    def only(self, fit: pa.BooleanArray) -> SliceSpan:
        """The same days with those of the chosen slices that fit."""
        chosen = fit if self.chosen is None else pc.and_(self.chosen, fit)
        return SliceSpan([*zip(self.days, self._parts, strict=True)], chosen)

    def kept(self, is_kept: Sequence[bool]) -> SliceSpan:
        """Some of the days, with those of their slices that are chosen."""
        if all(is_kept):
            return self
        days = [*compress(zip(self.days, self._parts, strict=True), is_kept)]
        kept = self.by_day(is_kept, pa.bool_())
        return SliceSpan(days, None if self.chosen is None else self.chosen.filter(kept))

    def of_day(self, place: int) -> Slices:
        """The chosen slices of the day at a place."""
        part, first = self._parts[place], self._starts[place]
        if self.chosen is None:
            return part
        return part.only(self.chosen.slice(first, self._starts[place + 1] - first))

    @cached_property
    def day(self) -> pa.Array:
        """Of each slice the place of its day in `days`."""
        return self.by_day(range(len(self.days)), _NUMBER)

    def by_day(self, values: Iterable[Any], kind: pa.DataType) -> pa.Array:
        """One value for each day, repeated for each of its slices."""
        sizes = (end - start for start, end in zip(self._starts, self._starts[1:], strict=False))
        runs = [
            pa.repeat(pa.scalar(value, kind), size)
            for value, size in zip(values, sizes, strict=True)
        ]
        return pa.concat_arrays(runs) if runs else pa.array([], kind)

    def column(self, name: str) -> pa.Array:
        """A column of the table `slices`, of all slices."""
        return _one([part.whole("slices")[name] for part in self._parts])

    def keys(self, name: str) -> pa.DictionaryArray:
        """A column of texts of the table `slices`, as a code for each slice."""
        return self.column(name).dictionary_encode()

    def rows(self, name: str, columns: Sequence[str]) -> pa.Table:
        """Columns of another table, of the chosen slices: `slice` first, numbered through."""
        return self.numbered([part.whole(name) for part in self._parts], columns)

    def numbered(self, tables: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
        """The same of tables that mean slices of each day by their number within it."""
        numbers = [
            pc.add(table["slice"], pa.scalar(start, _NUMBER))
            for table, start in zip(tables, self._starts, strict=False)
        ]
        joined = {"slice": _one(numbers)}
        joined |= {name: _one([table[name] for table in tables]) for name in columns}
        rows = pa.table(joined)
        return rows if self.chosen is None else rows.filter(self.chosen.take(joined["slice"]))


def _one(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Columns of one type behind one another; texts where there is none."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    if chunks:
        return pa.concat_arrays(chunks)
    return pa.array([], columns[0].type if columns else pa.string())
