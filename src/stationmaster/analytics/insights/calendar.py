"""To which period of an answer the hours of stored days belong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import days
from stationmaster.analytics.days import local_days
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.model import Period, Question

_HOURS = 24
_NUMBER = pa.int32()


class Calendar:
    """The periods of a question: of UTC they hold whole stored days, of another zone hours."""

    def __init__(self, question: Question) -> None:
        self.is_utc = question.zone == local_days.UTC_NAME
        local_range, stored = question.range, local_days.stored(question)
        locals_ = [*days.span(stored.first, stored.last)]
        if not self.is_utc:
            zone = ZoneInfo(question.zone)
            all_hours = [(day, hour) for day in locals_ for hour in range(_HOURS)]
            locals_ = [local_days.local_day(zone, day, hour) for day, hour in all_hours]
            hours = [local_days.local_hour(zone, day, hour) for day, hour in all_hours]
            self._hours = pa.array(hours, _NUMBER)
        periods = [
            _first(day, question.period).isoformat()
            if local_range.first <= day <= local_range.last
            else None
            for day in locals_
        ]
        self.firsts: Sequence[str] = sorted({first for first in periods if first is not None})
        """The first day of each period, in order."""
        place = {first: n for n, first in enumerate(self.firsts)}
        places = [None if first is None else place[first] for first in periods]
        self._places = pa.array(places, _NUMBER)
        self._first = stored.first

    def of_rows(self, span: SliceSpan, rows: pa.Table) -> pa.Array:
        """Of each row of facts the place of its period in `firsts`; null outside the range."""
        day = self._days(span).take(rows["slice"].combine_chunks())
        return self._places.take(day if self.is_utc else _hour(day, rows["hour"].combine_chunks()))

    def hours_of_rows(self, span: SliceSpan, rows: pa.Table) -> pa.Array:
        """Of each row of facts the hour of its day."""
        hours = rows["hour"].combine_chunks()
        if self.is_utc:
            return hours
        day = self._days(span).take(rows["slice"].combine_chunks())
        return self._hours.take(_hour(day, hours))

    def of_hours(self, span: SliceSpan, numbers: pa.Array, hours: pa.Array) -> pa.Array:
        """The same of slices, by number, at given hours."""
        return self._places.take(_hour(self._days(span).take(numbers), hours))

    def touched(self, span: SliceSpan) -> list[int]:
        """The places of the periods that hold any hour of the days of a span."""
        width = 1 if self.is_utc else _HOURS
        places = self._places.to_pylist()
        starts = [(day - self._first).days * width for day in span.days]
        touched = {place for start in starts for place in places[start : start + width]}
        return sorted(place for place in touched if place is not None)

    def _days(self, span: SliceSpan) -> pa.Array:
        """Of each slice the stored day, from 0."""
        return span.by_day([(day - self._first).days for day in span.days], _NUMBER)


def _hour(days: pa.Array, hours: pa.Array) -> pa.Array:
    return pc.add(pc.multiply(days, pa.scalar(_HOURS, _NUMBER)), pc.cast(hours, _NUMBER))


def _first(day: date, period: Period) -> date:
    """The first day of the week or month of a day."""
    if period == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if period == "week" else day
