"""Events around midnight that two sources time differently: they count on the earlier day."""

from __future__ import annotations

import logging
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.ids import OrgId
from stationmaster.lake.parts import MIDNIGHT_MS, list_parts

_IDS = ["event_id_hi", "event_id_lo"]
_log = logging.getLogger(__name__)


def seen_before(lake_dir: Path, org: OrgId, day: date) -> pa.Table | None:
    """The ids of the last minutes of the day before; None when there are none."""
    found = []
    for part in list_parts(lake_dir, org, day - timedelta(days=1)):
        late = [("ts", ">=", days.start_ms(day) - MIDNIGHT_MS)]
        try:
            found.append(pq.read_table(part, columns=_IDS, filters=late, partitioning=None))
        except (OSError, pa.ArrowException) as fault:
            # The day it belongs to reports it; this one is counted all the same.
            _log.warning("%s cannot be read for the day after it: %s", part, fault)
    seen = pa.concat_tables(found) if found else None
    return seen if seen is not None and seen.num_rows else None


def first_seen(day: date) -> str:
    """The query of the events `arrived` on a day whose ids are not in `seen_before`."""
    return f"""
        select a.*
        from arrived as a
        where a.ts >= {days.start_ms(day) + MIDNIGHT_MS}
        or not exists (
          select 1 from seen_before as s
          where s.event_id_hi = a.event_id_hi and s.event_id_lo = a.event_id_lo
        )
    """
