"""The Arrow form of events: one flat column per field, the same in every part of the lake."""

from __future__ import annotations

import sys
import types
from array import array
from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec
import pyarrow as pa

from stationmaster.events.model import Event

_ARROW: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}
# Turned into columns at a time: few enough to stay in the processor's cache.
_CHUNK = 2_000
# Ranks stay below ten.
_NARROW = {"source_rank": pa.int8(), "source_group": pa.int8()}


def _arrow_type(name: str, kind: Any) -> pa.DataType:
    if name in _NARROW:
        return _NARROW[name]
    if isinstance(kind, types.UnionType) or get_origin(kind) is not None:
        options = [option for option in get_args(kind) if option is not type(None)]
        kind = type(options[0]) if get_origin(kind) is Literal else options[0]
        return _arrow_type(name, kind)
    return _ARROW[kind]


_FIELDS = [
    pa.field(field.name, _arrow_type(field.name, field.type))
    for field in msgspec.structs.fields(Event)
    if field.name != "event_id"
]
_WIDTH = len(Event.__struct_fields__)

SCHEMA: pa.Schema = pa.schema(
    [pa.field("event_id_hi", pa.int64()), pa.field("event_id_lo", pa.int64()), *_FIELDS]
)
"""`event_id` is two signed integers, its high and low 64 bits: engines group those several times
faster than text. All other fields of Event keep their names and their order; `ts` is UTC
milliseconds."""


def to_table(events: Sequence[Event]) -> pa.Table:
    """One row per event, in the given order, in SCHEMA.

    ValueError or a pyarrow error for a value that the schema cannot hold.
    """
    return pa.Table.from_batches(
        [_batch(events[start : start + _CHUNK]) for start in range(0, len(events), _CHUNK)], SCHEMA
    )


def event_id(hi: int, lo: int) -> str:
    """The 32 hex digits of an event id from its two columns."""
    return f"{hi % 2**64:016x}{lo % 2**64:016x}"


def _batch(events: Sequence[Event]) -> pa.RecordBatch:
    # One list of all values and a stride through it for each column: half the price of `zip`.
    values: list[Any] = []
    for event in events:
        values += msgspec.structs.astuple(event)
    arrays = _id_columns(values[::_WIDTH])
    for place, field in enumerate(_FIELDS, 1):
        arrays.append(_column(field.type, values[place::_WIDTH]))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _id_columns(event_ids: Sequence[str]) -> list[pa.Array]:
    halves = array("q", bytes.fromhex("".join(event_ids)))
    if len(halves) != 2 * len(event_ids):
        raise ValueError("an event id is not 32 hex digits")
    if sys.byteorder == "little":
        halves.byteswap()
    return [
        pa.Array.from_buffers(pa.int64(), len(event_ids), [None, pa.py_buffer(halves[half::2])])
        for half in (0, 1)
    ]


def _column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    # Most columns of a part are empty or have one value throughout, and the scan for that is far
    # cheaper than a conversion.
    first = values[0]
    if first == values[-1] and values.count(first) == len(values):
        return pa.repeat(pa.scalar(first, kind), len(values))
    return pa.array(values, kind)
