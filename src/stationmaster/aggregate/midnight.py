"""Events around midnight that two sources time differently: they count on the earlier day."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.batch import MIDNIGHT_MS
from stationmaster.lake.storage import Lake, Part

_IDS = ["event_id_hi", "event_id_lo"]
READS_AT_ONCE = 8
"""Parts of the day before that are looked at side by side."""
_log = logging.getLogger(__name__)


def seen_before(db: Database, lake: Lake, org: OrgId, day: date) -> pa.Table | None:
    """The ids of the last minutes of the day before; None when there are none.

    FileNotFoundError when a part is gone meanwhile; Unavailable and OperatorError as the lake.
    """
    parts = entries.visible(db, lake, org, day - timedelta(days=1))
    since = days.start_ms(day) - MIDNIGHT_MS
    with ThreadPoolExecutor(READS_AT_ONCE, "midnight") as pool:
        read = pool.map(lambda part: _ids(lake, part, since), parts)
        found = [ids for ids in read if ids is not None]
    return pa.concat_tables(found) if found else None


def _ids(lake: Lake, part: Part, since: int) -> pa.Table | None:
    try:
        with lake.reading(part) as file:
            found = pq.read_table(
                file,
                columns=_IDS,
                filters=[("ts", ">=", since)],
                page_checksum_verification=True,
            )
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as fault:
        # The day it belongs to reports it; this one is counted all the same.
        _log.warning("%s cannot be read for the day after it: %s", part.path, fault)
        return None
    return found if found.num_rows else None


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
