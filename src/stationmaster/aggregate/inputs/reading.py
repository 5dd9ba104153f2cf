"""The events of small days as tables in memory: every part is read once, hashed and decoded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.errors import OperatorError
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part

_TEXTS = [field.name for field in SCHEMA if field.type == pa.string()]
_EVENTS = pa.schema(
    [
        field.with_type(pa.dictionary(pa.int32(), field.type)) if field.name in _TEXTS else field
        for field in SCHEMA
    ]
)


class Body(NamedTuple):
    """The bytes of a part."""

    part: Part
    content: bytes

    @property
    def digest(self) -> str:
        """The SHA-256, in hex."""
        return hashlib.sha256(self.content).hexdigest()


def bodies(lake: Lake, parts: Iterable[Part]) -> list[Body]:
    """The bytes of parts. FileNotFoundError when one is gone; raises as Lake does."""
    read_parts = []
    for part in parts:
        with lake.reading(part) as file:
            read_parts.append(Body(part, file.read()))
    return read_parts


def events(parts: Iterable[Body]) -> pa.Table:
    """The events of parts, in the columns of SCHEMA; those that a part lacks are null. Texts are in
    dictionaries, since most of them are equal.

    OperatorError or ArrowInvalid for a part that does not decode.
    """
    return pa.concat_tables([_EVENTS.empty_table(), *(_decoded(part) for part in parts)])


def _decoded(body: Body) -> pa.Table:
    try:
        content = pa.BufferReader(body.content)
        file = pq.ParquetFile(content, read_dictionary=_TEXTS, page_checksum_verification=True)
        present = set(file.schema_arrow.names)
        columns = [name for name in SCHEMA.names if name in present]
        table = file.read(columns=columns, use_threads=False)
    except OSError as fault:
        # The bytes are in memory, so this is the part and not the disk.
        raise OperatorError(f"{body.part.path} cannot be decoded.", code="rollup_failed") from fault
    for place, field in enumerate(SCHEMA):
        if field.name not in present:
            table = table.add_column(place, field, pa.nulls(table.num_rows, field.type))
    return table.select(SCHEMA.names).cast(_EVENTS)
