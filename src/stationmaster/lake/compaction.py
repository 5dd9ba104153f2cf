"""Many small parts of a day into one, so that reading a day opens few files.

The merged part is durable before the first of its sources goes. A death in between leaves events
twice, which readers count once; the next compaction merges both.
"""

from __future__ import annotations

import logging
from datetime import date
from hashlib import blake2b

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.errors import StationmasterError
from stationmaster.lake.storage import Lake, Part

PARTS_MAX = 64
"""Small parts of one day above which they are merged."""
SMALL_BYTES = 32 * 2**20
"""A part of this size is left as it is."""

_log = logging.getLogger(__name__)


def compact(lake: Lake, org: str, day: date) -> str | None:
    """Merge a day's small parts when they are too many; the merged part, or None.

    A failure is logged and leaves every source in place.
    """
    parts = lake.parts(org, day)
    if len(parts) <= PARTS_MAX:
        return None
    try:
        small = [part for part in parts if part.size < SMALL_BYTES]
        if len(small) <= PARTS_MAX:
            return None
        merged = pa.concat_tables([_read(lake, part) for part in small])
        names = "\n".join(part.name for part in small)
        name = "merged_" + blake2b(names.encode(), digest_size=10).hexdigest()
        target = lake.write(org, day, name, [merged])
    except (OSError, StationmasterError, pa.ArrowException) as fault:
        _log.warning("the parts of %s on %s were not merged: %s", org, day, fault)
        return None
    for part in small:
        if part.path != target:
            lake.delete(part.path)
    return target


def _read(lake: Lake, part: Part) -> pa.Table:
    with lake.reading(part) as file:
        return pq.ParquetFile(file).read()
