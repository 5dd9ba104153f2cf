"""Several small tables as the bytes of one stored body, each decoded when it is asked for.

Columns of 64 bits and decimals are figures, all others are keys: a table has one row for each
combination of its keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast as typed

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

FIGURES = (pa.int64(), pa.decimal128(38, 0))
"""The types of figures."""
_NUMBERS_MAX = 2**62
"""Keys of so many possible combinations are not distinguished by one number."""
_SPAN_MAX = 2**32
"""Integers that are further apart are numbered by their order."""


def cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table in one type and in the order of its keys, the same from every engine."""
    if not table.num_rows:
        return schema.empty_table()
    return ordered(table.select(schema.names), keys(schema)).cast(schema)


def ordered(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The rows of a table in the order of some columns. Equal tables have equal bytes, also where
    they are in order already: what an engine leaves in the place of nulls and behind the last value
    is gone."""
    rows = table.combine_chunks()
    order = numbers(rows, columns)
    if not pc.all(pc.less_equal(order[:-1], order[1:])).as_py():
        return rows.take(pc.sort_indices(order))
    same = pc.subtract(pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), len(rows))), 1)
    return rows.take(same)


def keys(schema: pa.Schema) -> list[str]:
    """The names of the columns that are no figures."""
    return [field.name for field in schema if field.type not in FIGURES]


def numbers(table: pa.Table, columns: Sequence[str]) -> pa.Array:
    """A number for every row by some columns: in the order of the rows, and equal for equal ones;
    nulls are last. Numbers are sorted and compared many times faster than texts."""
    ranks, size = pa.repeat(pa.scalar(0, pa.int64()), table.num_rows), 1
    for name in columns:
        own, number = _ranked(table[name].combine_chunks())
        if size * number > _NUMBERS_MAX:
            ordered = ranks.unique().sort()
            ranks, size = pc.index_in(ranks, value_set=ordered).cast(pa.int64()), len(ordered)
        ranks, size = pc.add(pc.multiply(ranks, number), own), size * number
    return ranks


def _ranked(column: pa.Array) -> tuple[pa.Array, int]:
    """The values of a column as numbers from 0 in their order, and a limit of these."""
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        ends = pc.min_max(column)
        first, last = (int(ends[end].as_py() or 0) for end in ("min", "max"))
        number = last - first + 1
        if number <= _SPAN_MAX:
            ranks = pc.subtract(column.cast(pa.int64()), first)
            return pc.fill_null(ranks, number), number + 1
    values = column.dictionary_encode()
    places = pc.index_in(values.dictionary, value_set=values.dictionary.sort())
    ranks = places.take(values.indices).cast(pa.int64())
    return pc.fill_null(ranks, len(places)), len(places) + 1


def folded(table: pa.Table, columns: Sequence[str], figure: str) -> pa.Table:
    """The sums of a figure by the first of the columns by which a table is in order."""
    ends = pc.run_end_encode(numbers(table, columns), pa.int64()).run_ends
    last = pc.subtract(ends, 1)
    sums = pc.cumulative_sum(table[figure]).combine_chunks().take(last)
    firsts = pa.concat_arrays([pa.array([0], pa.int64()), sums[:-1]])
    return table.select(columns).take(last).append_column(figure, pc.subtract(sums, firsts))


def pack(tables: Mapping[str, pa.Table]) -> bytes:
    """The stored form; the same tables give the same bytes."""
    return msgspec.msgpack.encode({name: _stream(table) for name, table in tables.items()})


def unpack(body: bytes) -> dict[str, bytes]:
    """The tables of a stored body by name, for `read`."""
    return msgspec.msgpack.decode(body, type=dict[str, bytes])


def read(stream: bytes, columns: list[str] | None = None) -> pa.Table:
    """One table of a stored body, or only some of its columns."""
    if columns is None:
        return pa.ipc.open_stream(stream).read_all()
    schema = pa.ipc.open_stream(stream).schema
    options = pa.ipc.IpcReadOptions(
        included_fields=[schema.get_field_index(name) for name in columns]
    )
    return pa.ipc.open_stream(stream, options=options).read_all().select(columns)


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    return typed(bytes, sink.getvalue().to_pybytes())
