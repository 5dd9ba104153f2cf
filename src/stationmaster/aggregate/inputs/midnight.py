"""Events around midnight that two sources time differently: they count on the earlier day."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.inputs import matching
from stationmaster.aggregate.keys import CountSeparately, Keys
from stationmaster.aggregate.queries import sql
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
_AROUND_MS = 2 * MIDNIGHT_MS
"""Twice the first minutes, so that the last of those find their like."""
READS_AT_ONCE = 8
"""Parts of the day before that are read in parallel."""
_ONE_DAY = timedelta(days=1)
_log = logging.getLogger(__name__)


class DaysBefore:
    """The last minutes of the days before some days, as far as their counts depend on them. Each is
    under the key of the day after it."""

    def __init__(
        self,
        lake: Lake,
        parts_of: Callable[[date], list[Part]],
        keys: Keys,
        read: Mapping[date, pa.Table] | None = None,
    ) -> None:
        """Read the ids and sessions of those minutes. `parts_of` returns the parts of a day, `read`
        has all events of days that this process holds already.

        FileNotFoundError when a part was removed meanwhile; Unavailable and OperatorError as the
        lake.
        """
        self._lake = lake
        self._keys = keys
        read = read or {}
        self._read = {day: read[day - _ONE_DAY] for day in keys.days if day - _ONE_DAY in read}
        self._parts = {day: parts_of(day - _ONE_DAY) for day in keys.days if day not in self._read}
        tables = [self._late(day, [*_IDS, *_SESSIONS]) for day in keys.days]
        self._seen = pa.concat_tables(tables)

    @property
    def is_empty(self) -> bool:
        """True where those minutes have no event."""
        return not len(self._seen)

    def leave_out(self, engine: Engine, make: Callable[[], Engine]) -> None:
        """Make `present` of the events that `arrived`: without those of the first minutes of a day
        that the day before has, under the same id or matched. `make` makes an engine for tables.

        Raises CountSeparately where days share ids of such events.
        """
        engine.register("late_sources", self._seen.select(_SESSIONS))
        engine.keep("spanning", sql("spanning").format(minutes_ms=MIDNIGHT_MS))
        spanning = engine.fetch("select product, root_session_id from spanning")
        if len(self._keys) > 1:
            early = engine.fetch(sql("early_ids").format(minutes_ms=_AROUND_MS))
            ids = self._seen.select(early.column_names)
            refuse_shared(self._keys, pa.concat_tables([ids, early.cast(ids.schema)]))
        tables = [self._seen.select(_IDS)]
        if spanning.num_rows:
            tables.append(self._matched(engine, spanning, make))
        engine.register("seen_before", pa.concat_tables(tables))
        engine.view("present", sql("first_seen").format(minutes_ms=MIDNIGHT_MS))

    def _matched(self, engine: Engine, spanning: pa.Table, make: Callable[[], Engine]) -> pa.Table:
        """The ids of events that are one with an event that counts on the day before."""
        query = sql("around_midnight").format(
            columns=", ".join(f"e.{name}" for name in _MATCHED_BY.names), minutes_ms=_AROUND_MS
        )
        today = engine.fetch(query).cast(_MATCHED_BY)
        late = [
            self._late(
                day,
                _MATCHED_BY.names,
                pc.field("root_session_id").isin(pc.unique(sessions["root_session_id"])),
            )
            for day, sessions in self._keys.by_day(spanning).items()
            if sessions.num_rows
        ]
        before = pa.concat_tables(late)
        for name in _FIGURES:
            before = before.filter(pc.fill_null(pc.less(before.column(name), _FIGURE_MAX), True))
        apart = make()
        try:
            apart.register("events", before)
            alone = matching.match(apart)
            counted = sql("counted_before") if alone.has_left_out else "select * from events"
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

    def _late(
        self, day: date, columns: list[str], condition: pc.Expression | None = None
    ) -> pa.Table:
        """Columns of the last events before a day that fulfil a condition."""
        conditions = pc.field("ts") >= days.start_ms(day) - MIDNIGHT_MS
        if condition is not None:
            conditions &= condition
        if day in self._read:
            late = self._read[day].select([*columns, *({"ts"} - set(columns))]).filter(conditions)
            return self._keys.mark(day, late.select(columns).cast(_schema(columns)))
        read = partial(self._read_part, columns=columns, condition=conditions)
        parts = self._parts[day]
        if len(parts) > 1:
            with ThreadPoolExecutor(READS_AT_ONCE, "midnight") as pool:
                tables = list(pool.map(read, parts))
        else:
            tables = [read(part) for part in parts]
        return self._keys.mark(day, pa.concat_tables([_empty(columns), *tables]))

    def _read_part(self, part: Part, columns: list[str], condition: pc.Expression) -> pa.Table:
        try:
            with self._lake.reading(part) as file:
                return pq.read_table(
                    file,
                    columns=columns,
                    filters=condition,
                    schema=SCHEMA,
                    page_checksum_verification=True,
                )
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException) as fault:
            # The day it belongs to reports it; this one is counted anyway.
            _log.warning("%s cannot be read for the day after it: %s", part.path, fault)
            return _empty(columns)


def refuse_shared(keys: Keys, events: pa.Table) -> None:
    """Raise CountSeparately where events of several days have an id in common: queries distinguish
    events by their ids alone."""
    halves = events["event_id_hi"]
    if pc.count_distinct(halves, mode="all").as_py() == len(halves):
        return
    placed = events.append_column("place", keys.places(events["product"])).group_by(_IDS)
    ends = placed.aggregate([("place", "min"), ("place", "max")])
    if pc.any(pc.not_equal(ends["place_min"], ends["place_max"])).as_py():
        raise CountSeparately


def _empty(columns: list[str]) -> pa.Table:
    return _schema(columns).empty_table()


def _schema(columns: list[str]) -> pa.Schema:
    return pa.schema([SCHEMA.field(name) for name in columns])
