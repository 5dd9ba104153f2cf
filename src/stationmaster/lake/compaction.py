"""Many small parts of a day into few larger ones, so that reading a day opens few files.

Only parts of about one size are merged with each other. So an event is written once for each size
that its part grows through, not again for every later part.

The merged part is durable before the first of its sources is removed. A crash in between leaves
events twice, which readers count once; the next compaction merges both. A source that differs from
what was written is not merged: the hash of the merged part would hide that.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import blake2b
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from stationmaster.lake import entries
from stationmaster.lake.entries import PartEntry
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part, Partition

PARTS_MAX = 32
"""Parts of one size from which on they are merged, and parts that are written between two looks."""
SIZES = (2**20, 32 * 2**20)
"""Bytes below which parts are of one size; those of the last and more stay as they are."""
MERGED_MAX = 64 * 2**20
"""Bytes of the parts that one merge takes, so that none delays what follows."""
GROUP_ROWS = 2**17
"""Rows of a merged part's row groups, which are what a merge holds in memory."""
_BATCH_ROWS = 2**14

_log = logging.getLogger(__name__)


def compact(state: Database, lake: Lake, org: str, day: date) -> list[str]:
    """Merge a day's small parts where too many are of one size; the paths of the merged parts.

    A failure is logged and leaves every source in place.
    """
    merged = []
    try:
        entered = entries.of_day(state, org, day)
        # A merge may be the one that makes the next size too many.
        for below, limit in zip((0, *SIZES), SIZES, strict=False):
            listed = entries.visible(state, lake, org, day)
            parts = [part for part in listed if below <= part.size < limit]
            if len(parts) >= PARTS_MAX:
                merged.append(_merge(state, lake, (org, day), _enough(parts), entered))
    except (OSError, StationmasterError, pa.ArrowException) as fault:
        _log.warning("the parts of %s on %s were not merged: %s", org, day, fault)
    return merged


def _enough(parts: list[Part]) -> list[Part]:
    """As many parts as one merge takes."""
    sizes = accumulate(part.size for part in parts)
    return [part for part, size in zip(parts, sizes, strict=True) if size <= MERGED_MAX]


def _merge(
    state: Database,
    lake: Lake,
    partition: Partition,
    parts: list[Part],
    entered: Mapping[str, PartEntry],
) -> str:
    org, day = partition
    names = "\n".join(part.name for part in parts)
    name = "merged_" + blake2b(names.encode(), digest_size=10).hexdigest()
    target = lake.write(org, day, name, _groups(lake, parts, entered))
    sources = [part for part in parts if part.path != target.path]
    with state.transaction() as connection:
        entries.remove(connection, org, day, (part.name for part in sources))
        entries.enter(connection, {partition: [target]})
    for part in sources:
        lake.files.delete(part.path)
    return target.path


def _groups(lake: Lake, parts: list[Part], entered: Mapping[str, PartEntry]) -> Iterator[pa.Table]:
    tables: list[pa.Table] = []
    for part in parts:
        # Threads cost small parts three times what reading them does.
        stored = pq.ParquetFile(pa.BufferReader(_checked(lake, part, entered)), pre_buffer=True)
        for batch in stored.iter_batches(_BATCH_ROWS, use_threads=False):
            tables.append(_conformed(batch))
            if sum(table.num_rows for table in tables) >= GROUP_ROWS:
                yield pa.concat_tables(tables)
                tables = []
    if tables:
        yield pa.concat_tables(tables)


def _checked(lake: Lake, part: Part, entered: Mapping[str, PartEntry]) -> bytes:
    """The bytes of a part. ArrowInvalid where they are not those that were written."""
    with lake.reading(part) as file:
        body: bytes = file.read()
    entry = entered.get(part.name)
    if entry is not None and hashlib.sha256(body).hexdigest() != entry.sha256:
        raise pa.ArrowInvalid(f"{part.name} has changed since it was written")
    return body


def _conformed(batch: pa.RecordBatch) -> pa.Table:
    """A batch with every column of SCHEMA; those that an older version did not write are null.

    ArrowInvalid for one with a column that only a newer version knows.
    """
    if batch.schema.equals(SCHEMA):
        return pa.Table.from_batches([batch])
    present = set(batch.schema.names)
    unknown = present - set(SCHEMA.names)
    if unknown:
        raise pa.ArrowInvalid(f"a newer version has written {', '.join(sorted(unknown))}")
    columns = [
        batch.column(field.name).cast(field.type)
        if field.name in present
        else pa.nulls(batch.num_rows, field.type)
        for field in SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)
