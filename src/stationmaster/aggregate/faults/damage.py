"""Telling a part that is no Parquet file any more from a disk or a network that fails."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.errors import StationmasterError
from stationmaster.lake.storage import Lake, Part


def damaged(lake: Lake, parts: Iterable[Part]) -> list[Part]:
    """The parts whose bytes can be had and do not decode from end to end.

    Copies of what was looked at are forgotten: it may be a copy that is bad.
    """
    return [part for part in parts if _is_damaged(lake, part)]


def _is_damaged(lake: Lake, part: Part) -> bool:
    lake.files.forget(part.path)
    try:
        with lake.reading(part) as file:
            for batch in pq.ParquetFile(file, page_checksum_verification=True).iter_batches():
                del batch
    except StationmasterError:
        return False
    except OSError as fault:
        # Arrow calls bytes that do not decode so, too; what the system refuses has a number.
        return fault.errno is None
    except pa.ArrowException:
        return True
    return False
