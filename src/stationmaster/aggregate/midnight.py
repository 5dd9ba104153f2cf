"""Events around midnight that two sources time differently: they count on the earlier day."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.aggregate import matching
from stationmaster.aggregate.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.batch import MIDNIGHT_MS
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part

_IDS = ["event_id_hi", "event_id_lo"]
_SESSIONS = ["product", "root_session_id", "source", "is_aggregate"]
_FIGURES = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
_MATCHED_BY = pa.schema(
    [
        SCHEMA.field(name)
        for name in (
            *(*_IDS, *_SESSIONS, *_FIGURES, "kind", "ts", "ts_source", "user_id", "count"),
            *("source_rank", "source_group", "is_auxiliary", "decision", "success"),
            *("model", "tool", "tool_raw", "tool_call_id", "turn_id", "file_path_hash", "skill"),
            *("slash_command", "hook_event", "pr_url", "error_class"),
        )
    ]
)
"""The columns that the queries of `matching.py` read."""
_FIGURE_MAX = 10**15
"""Larger figures may overflow a sum; the day before sets such events aside."""
READS_AT_ONCE = 8
"""Parts of the day before that are looked at side by side."""
_log = logging.getLogger(__name__)


class Eve:
    """The last minutes of the day before a day, as far as its own count depends on them."""

    def __init__(self, db: Database, lake: Lake, org: OrgId, day: date) -> None:
        """Read the ids and sessions of those minutes.

        FileNotFoundError when a part is gone meanwhile; Unavailable and OperatorError as the lake.
        """
        self._lake = lake
        self._midnight = days.start_ms(day)
        self._parts = entries.visible(db, lake, org, day - timedelta(days=1))
        self._seen = self._read([*_IDS, *_SESSIONS])

    @property
    def is_empty(self) -> bool:
        return not len(self._seen)

    def leave_out(self, engine: Engine, make: Callable[[], Engine]) -> None:
        """Make `events` of the day's events that `arrived`: without those of its first minutes
        that the day before has, under the same id or matched. `make` makes an engine for tables."""
        seen = [self._seen.select(_IDS)]
        engine.register("late_sources", self._seen.select(_SESSIONS))
        until = self._midnight + MIDNIGHT_MS
        engine.keep("spanning", sql("spanning").format(until=until))
        spanning = engine.fetch("select product, root_session_id from spanning")
        if spanning.num_rows:
            seen.append(self._matched(engine, spanning, make))
        engine.register("seen_before", pa.concat_tables(seen))
        engine.view("events", sql("first_seen").format(until=until))

    def _matched(self, engine: Engine, spanning: pa.Table, make: Callable[[], Engine]) -> pa.Table:
        """The ids of events that are one with an event that counts on the day before."""
        # Twice the minutes of today, so that the last of the first ones find their like.
        query = sql("around_midnight").format(
            columns=", ".join(f"e.{name}" for name in _MATCHED_BY.names),
            until=self._midnight + 2 * MIDNIGHT_MS,
        )
        today = engine.fetch(query).cast(_MATCHED_BY)
        sessions = pc.unique(spanning.column("root_session_id"))
        before = self._read(_MATCHED_BY.names, pc.field("root_session_id").isin(sessions))
        for name in _FIGURES:
            before = before.filter(pc.fill_null(pc.less(before.column(name), _FIGURE_MAX), True))
        apart = make()
        try:
            apart.register("events", before)
            alone = matching.match(apart)
            counted = sql("counted_before") if alone.has_losers else "select * from events"
            lasting = apart.fetch(f"select distinct event_id_hi, event_id_lo from ({counted}) as c")
        finally:
            apart.close()
        together = make()
        try:
            together.register("events", pa.concat_tables([before, today]))
            together.register("counted_before", lasting)
            if not matching.match(together).has_ids:
                return lasting.schema.empty_table()
            return together.fetch(sql("matched_before"))
        finally:
            together.close()

    def _read(self, columns: list[str], condition: pc.Expression | None = None) -> pa.Table:
        """Columns of the events of the last minutes that fulfil a condition."""
        wanted = pc.field("ts") >= self._midnight - MIDNIGHT_MS
        if condition is not None:
            wanted &= condition
        with ThreadPoolExecutor(READS_AT_ONCE, "midnight") as pool:
            read = pool.map(lambda part: self._read_part(part, columns, wanted), self._parts)
            return pa.concat_tables([_empty(columns), *read])

    def _read_part(self, part: Part, columns: list[str], wanted: pc.Expression) -> pa.Table:
        try:
            with self._lake.reading(part) as file:
                return pq.read_table(
                    file,
                    columns=columns,
                    filters=wanted,
                    schema=SCHEMA,
                    page_checksum_verification=True,
                )
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException) as fault:
            # The day it belongs to reports it; this one is counted all the same.
            _log.warning("%s cannot be read for the day after it: %s", part.path, fault)
            return _empty(columns)


def _empty(columns: list[str]) -> pa.Table:
    return pa.schema([SCHEMA.field(name) for name in columns]).empty_table()
