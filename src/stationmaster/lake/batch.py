"""What a claimed batch of inbox rows holds, decoded; damaged rows are kept apart, never lost."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from datetime import date

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import clock, days
from stationmaster.access.marks import Marks
from stationmaster.events.model import Event
from stationmaster.lake import rows
from stationmaster.lake.rows import CorruptRowError
from stationmaster.lake.schema import to_table
from stationmaster.lake.senders import Senders
from stationmaster.lake.storage import Partition

MIDNIGHT_MS = 15 * 60_000
"""Two sources may time one event so far apart; around midnight that puts it into two days."""
CORRUPT = "corrupt"
"""The outcome of records that were accepted and whose row does not decode any more."""
CLOSED = "closed_day"
"""The outcome of records of a day whose events are erased by policy."""
ERASED = "erased_person"
"""The outcome of records of a person whose data was erased."""

_log = logging.getLogger(__name__)
Outcome = tuple[str, str, str, str, str]
"""Organization, day of receipt (ISO), product, source, outcome."""


def ends_late(day: date, table: pa.Table) -> bool:
    """Does a part hold events so near the end of its day that the next day may have copies?"""
    latest = pc.max(table.column("ts")).as_py()
    return bool(latest >= days.start_ms(day) + days.MS_PER_DAY - MIDNIGHT_MS)


def _day(event: Event) -> date | None:
    """The day of an event; None for a time that no part can hold."""
    try:
        return days.of_ms(event.ts)
    except (ArithmeticError, TypeError, ValueError):
        return None


class Batch:
    """The rows of one batch, in the order of their ids."""

    def __init__(self) -> None:
        self.row_ids: list[int] = []
        self.corrupt_ids: list[int] = []
        self._events: dict[int, tuple[str, list[Event]]] = {}
        self._tallies: dict[int, tuple[str, bytes]] = {}
        self._refused: dict[int, Counter[tuple[str, str]]] = {}
        self._erased: dict[int, Counter[tuple[str, str]]] = {}

    def add(self, row_id: int, org_id: str, tally: bytes, payload: bytes | None) -> None:
        """Take one stored row."""
        self.row_ids.append(row_id)
        self._tallies[row_id] = (org_id, tally)
        try:
            rows.decode_tally(tally)
            self._events[row_id] = (org_id, rows.decode_events(payload))
        except CorruptRowError as fault:
            self._set_aside(row_id, fault)

    @property
    def organizations(self) -> set[str]:
        """The ids of the organizations whose rows can be read."""
        return {org_id for org_id, _ in self._events.values()}

    def refuse(self, closed: Mapping[str, date]) -> set[Partition]:
        """Leave out the events of each organization's days through its horizon; those days."""
        refused: set[Partition] = set()
        for row_id, (org_id, events) in self._events.items():
            through = closed.get(org_id)
            if through is None:
                continue
            stay: list[Event] = []
            for event in events:
                day = _day(event)
                if day is None or day > through:
                    stay.append(event)
                    continue
                refused.add((org_id, day))
                counts = self._refused.setdefault(row_id, Counter())
                counts[event.product, event.source] += 1
            self._events[row_id] = (org_id, stay)
        return refused

    def leave_out(self, marks: Mapping[str, Marks]) -> None:
        """Leave out what people sent who are erased, by organization."""
        for row_id, (org_id, events) in self._events.items():
            marked = marks[org_id]
            if not marked.is_any:
                continue
            stay = [event for event in events if not marked.has(event.user_id, event.user_email)]
            counts = self._erased.setdefault(row_id, Counter())
            counts.update((event.product, event.source) for event in events)
            counts.subtract((event.product, event.source) for event in stay)
            self._events[row_id] = (org_id, stay)
            stored = rows.decode_tally(self._tallies[row_id][1])
            if marked.has(stored.sender.user_id):
                plain = rows.encode_tally(msgspec.structs.replace(stored, sender=rows.Sender()))
                self._tallies[row_id] = (org_id, plain)

    def tables(self) -> dict[Partition, pa.Table]:
        """The events of each partition, in the order of receipt."""
        try:
            return self._tables()
        except (ArithmeticError, TypeError, ValueError, pa.ArrowException):
            self._set_aside_unstorable()
            return self._tables()

    def outcomes(self) -> dict[Outcome, int]:
        """The tallies of all rows, added up. Complete once `tables` was called."""
        total: dict[Outcome, int] = {}
        for row_id, (org_id, tally) in self._tallies.items():
            try:
                stored = rows.decode_tally(tally)
            except CorruptRowError:
                today = clock.today().isoformat()
                stored = rows.StoredTally(today, [("unknown", "unknown", "kept", 1)])
            for product, source, outcome, count in stored.counts:
                for word, part in self._split(row_id, (product, source), outcome, count):
                    key = (org_id, stored.day, product, source, word)
                    total[key] = total.get(key, 0) + part
        return total

    def senders(self) -> Senders:
        """Who sent what of it. Complete once `tables` was called."""
        senders = Senders()
        for row_id, (org_id, events) in self._events.items():
            tally = rows.decode_tally(self._tallies[row_id][1])
            senders.note(org_id, tally, events)
        return senders

    def _split(
        self, row_id: int, stream: tuple[str, str], outcome: str, count: int
    ) -> list[tuple[str, int]]:
        """What became of records that were to be kept; any others are what they were."""
        if outcome != "kept":
            return [(outcome, count)]
        if row_id not in self._events:
            return [(CORRUPT, count)]
        erased = min(count, self._erased.get(row_id, Counter())[stream])
        refused = min(count - erased, self._refused.get(row_id, Counter())[stream])
        kept = count - refused - erased
        return [(word, n) for word, n in (("kept", kept), (CLOSED, refused), (ERASED, erased)) if n]

    def _tables(self) -> dict[Partition, pa.Table]:
        grouped: dict[tuple[str, int], list[Event]] = {}
        for org_id, events in self._events.values():
            row_days = {event.ts // days.MS_PER_DAY for event in events}
            if len(row_days) == 1:
                grouped.setdefault((org_id, row_days.pop()), []).extend(events)
                continue
            for event in events:
                grouped.setdefault((org_id, event.ts // days.MS_PER_DAY), []).append(event)
        return {
            (org_id, days.of_ms(number * days.MS_PER_DAY)): to_table(events)
            for (org_id, number), events in grouped.items()
        }

    def _set_aside_unstorable(self) -> None:
        """Find the rows whose events decode and yet fit no part."""
        for row_id, (_, events) in list(self._events.items()):
            try:
                to_table(events)
                for event in events:
                    days.of_ms(event.ts)
            except (ArithmeticError, TypeError, ValueError, pa.ArrowException) as fault:
                del self._events[row_id]
                self._set_aside(row_id, fault)

    def _set_aside(self, row_id: int, fault: Exception) -> None:
        _log.error("inbox row %d is set aside: %s", row_id, type(fault).__name__)
        self.corrupt_ids.append(row_id)
