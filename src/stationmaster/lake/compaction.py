"""Many small parts of a day into few larger ones, so that reading a day opens few files.

Only parts of about one size are merged with each other. So an event is written once for each size
that its part grows through, not again for every part that comes after it.

The merged part is durable before the first of its sources goes. A death in between leaves events
twice, which readers count once; the next compaction merges both.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from hashlib import blake2b
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.errors import StationmasterError
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part

PARTS_MAX = 32
"""Parts of one size from which on they are merged, and parts that are written between two looks."""
SIZES = (2**20, 32 * 2**20)
"""Bytes below which parts are of one size; those of the last and more stay as they are."""
MERGED_MAX = 64 * 2**20
"""Bytes of the parts that one merge takes, so that none holds up what comes after it."""
GROUP_ROWS = 2**17
"""Rows of a merged part's row groups, which are what a merge holds in memory."""
_BATCH_ROWS = 2**14

_log = logging.getLogger(__name__)


def compact(lake: Lake, org: str, day: date) -> list[str]:
    """Merge a day's small parts where too many are of one size; the merged parts.

    A failure is logged and leaves every source in place.
    """
    merged = []
    try:
        # A merge may be the one that makes the next size too many.
        for below, limit in zip((0, *SIZES), SIZES, strict=False):
            parts = [part for part in lake.parts(org, day) if below <= part.size < limit]
            if len(parts) >= PARTS_MAX:
                merged.append(_merge(lake, org, day, _enough(parts)))
    except (OSError, StationmasterError, pa.ArrowException) as fault:
        _log.warning("the parts of %s on %s were not merged: %s", org, day, fault)
    return merged


def _enough(parts: list[Part]) -> list[Part]:
    """As many parts as one merge takes."""
    sizes = accumulate(part.size for part in parts)
    return [part for part, size in zip(parts, sizes, strict=True) if size <= MERGED_MAX]


def _merge(lake: Lake, org: str, day: date, parts: list[Part]) -> str:
    names = "\n".join(part.name for part in parts)
    name = "merged_" + blake2b(names.encode(), digest_size=10).hexdigest()
    target = lake.write(org, day, name, _groups(lake, parts))
    for part in parts:
        if part.path != target:
            lake.delete(part.path)
    return target


def _groups(lake: Lake, parts: list[Part]) -> Iterator[pa.Table]:
    held: list[pa.Table] = []
    for part in parts:
        with lake.reading(part) as file:
            # Threads cost small parts three times what reading them does.
            stored = pq.ParquetFile(file, pre_buffer=True)
            for batch in stored.iter_batches(_BATCH_ROWS, use_threads=False):
                held.append(_conformed(batch))
                if sum(table.num_rows for table in held) >= GROUP_ROWS:
                    yield pa.concat_tables(held)
                    held = []
    if held:
        yield pa.concat_tables(held)


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
