"""Columns of a row type: flat paths for CSV, an Arrow schema for Parquet."""

from __future__ import annotations

from functools import cache

import msgspec
import pyarrow as pa
from msgspec import Struct


@cache
def flat_columns(row: type[Struct]) -> tuple[tuple[str, ...], ...]:
    """The path of every column: objects are entered, arrays are not."""
    return tuple(_paths(msgspec.inspect.type_info(row), ()))


def _paths(info: msgspec.inspect.Type, above: tuple[str, ...]) -> list[tuple[str, ...]]:
    if not isinstance(info, msgspec.inspect.StructType):
        return [above]
    return [
        path for member in info.fields for path in _paths(member.type, (*above, member.encode_name))
    ]


@cache
def arrow_schema(row: type[Struct]) -> pa.Schema:
    """Typed columns; the member `date` is a date."""
    info = msgspec.inspect.type_info(row)
    assert isinstance(info, msgspec.inspect.StructType)
    return pa.schema(
        [
            pa.field(m.encode_name, pa.date32() if m.encode_name == "date" else _arrow(m.type))
            for m in info.fields
        ]
    )


def _arrow(info: msgspec.inspect.Type) -> pa.DataType:
    match info:
        case msgspec.inspect.StructType():
            return pa.struct([pa.field(m.encode_name, _arrow(m.type)) for m in info.fields])
        case msgspec.inspect.ListType():
            return pa.list_(_arrow(info.item_type))
        case msgspec.inspect.UnionType():
            # Every union of a row is of something and null.
            [kind] = (t for t in info.types if not isinstance(t, msgspec.inspect.NoneType))
            return _arrow(kind)
        case msgspec.inspect.IntType():
            return pa.int64()
        case msgspec.inspect.FloatType():
            return pa.float64()
        case _:
            return pa.string()
