"""Several small tables as the bytes of one stored body, each decoded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast as typed

import msgspec
import pyarrow as pa
import pyarrow.compute as pc


def cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table in one type and order, whichever engine it comes from."""
    if not table.num_rows:
        return schema.empty_table()
    rows = table.select(schema.names).cast(schema).combine_chunks()
    return rows.take(
        pc.sort_indices(_ranked(rows), [(name, "ascending") for name in rows.schema.names])
    )


def _ranked(table: pa.Table) -> pa.Table:
    """A table whose rows have the same order, with numbers for texts: those are sorted faster."""
    for place, field in enumerate(table.schema):
        if field.type == pa.string():
            texts = table.column(place)
            ordered = texts.unique().drop_null().sort()
            table = table.set_column(place, field.name, pc.index_in(texts, value_set=ordered))
    return table


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
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    return typed(bytes, sink.getvalue().to_pybytes())
