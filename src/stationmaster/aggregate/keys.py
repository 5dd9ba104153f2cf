"""How days that are counted together are separated: the name of each agent is prefixed with its
day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import days

_MARKED = ("product", "pr_url")
"""Every query that compares events of different sessions does so within one of these."""


class CountSeparately(Exception):
    """The days cannot be counted together; fewer of them can."""


class Keys:
    """The keys of some days. The queries group and join by `product`, so its values are made
    different from day to day. Of one day alone nothing is changed."""

    def __init__(self, run: Iterable[date]) -> None:
        self.days = list(run)
        self._are_several = len(self.days) > 1

    def __len__(self) -> int:
        return len(self.days)

    def key(self, day: date) -> str:
        """The prefix of the agents of a day."""
        return f"{day.isoformat()} " if self._are_several else ""

    def named(self, product: str) -> list[str]:
        """An agent under its names on all days."""
        return [self.key(day) + product for day in self.days]

    def split(self, product: str) -> tuple[date, str]:
        """The day and the agent of a key."""
        if not self._are_several:
            return self.days[0], product
        day, _, agent = product.partition(" ")
        return days.parse(day), agent

    def mark(self, day: date, events: pa.Table) -> pa.Table:
        """The events of a day under its key."""
        if not self._are_several:
            return events
        for name in _MARKED:
            if name in events.column_names:
                place = events.schema.get_field_index(name)
                events = events.set_column(
                    place, events.schema.field(place), self._marked(day, events[name])
                )
        return events

    def _marked(self, day: date, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        if not pa.types.is_dictionary(texts.type):
            return pc.binary_join_element_wise(self.key(day), texts, "")
        chunks = [
            pa.DictionaryArray.from_arrays(
                chunk.indices, pc.binary_join_element_wise(self.key(day), chunk.dictionary, "")
            )
            for chunk in texts.chunks
        ]
        return pa.chunked_array(chunks, texts.type)

    def unmarked(self, table: pa.Table, name: str) -> pa.Table:
        """A table without the keys at the beginning of a column of texts."""
        if not self._are_several or not table.num_rows:
            return table
        place = table.schema.get_field_index(name)
        texts = pc.utf8_slice_codeunits(table[name].cast(pa.string()), len(self.key(date.max)))
        return table.set_column(place, name, texts)

    def places(self, products: pa.ChunkedArray) -> pa.Array:
        """By row the number of its day among the days."""
        if not self._are_several:
            return pa.repeat(pa.scalar(0, pa.int32()), len(products))
        keys = pa.array([self.key(day) for day in self.days], pa.string())
        prefixes = pc.utf8_slice_codeunits(products.cast(pa.string()), 0, len(self.key(date.max)))
        return pc.index_in(prefixes, value_set=keys).combine_chunks()

    def by_day(self, table: pa.Table) -> dict[date, pa.Table]:
        """The rows of each day of a table with the column `product`, without the keys."""
        if not self._are_several:
            return {self.days[0]: table}
        if not table.num_rows:
            return dict.fromkeys(self.days, table)
        parts = partition(self.unmarked(table, "product"), self.places(table["product"]), len(self))
        return dict(zip(self.days, parts, strict=True))


def partition(table: pa.Table, places: pa.Array, number: int) -> list[pa.Table]:
    """The rows of a table by their places, of which there are a number."""
    rows = [0] * number
    for count in pc.value_counts(places).to_pylist():
        rows[count["values"]] = count["counts"]
    ordered = table.take(pc.sort_indices(places))
    starts = accumulate(rows, initial=0)
    return [ordered.slice(start, length) for start, length in zip(starts, rows, strict=False)]
