"""Counting closed days of the lake, as they are at this moment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.aggregate.engines import choice as engines, metrics
from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.engines.metrics import Counts
from stationmaster.aggregate.faults.uncountable import EventSelection
from stationmaster.aggregate.inputs import belonging, identities
from stationmaster.aggregate.inputs.identities import Identities, IdentityContext
from stationmaster.aggregate.inputs.midnight import DaysBefore, refuse_shared
from stationmaster.aggregate.keys import CountSeparately, Keys
from stationmaster.aggregate.queries import sql
from stationmaster.aggregate.slices import records
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, Unavailable
from stationmaster.ids import OrgId
from stationmaster.lake import entries, integrity
from stationmaster.lake.entries import PartEntry
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.rollups.coverage import Comparison, Coverage, Quality, SessionCoverage
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part
from stationmaster.pricing.credits.card import Card
from stationmaster.settings import Settings

_TEXTS = [field.name for field in SCHEMA if field.type == pa.string()]
_EVENTS = pa.schema(
    [
        field.with_type(pa.dictionary(pa.int32(), field.type)) if field.name in _TEXTS else field
        for field in SCHEMA
    ]
)

PRODUCTS_COVERED_MAX = 50
"""Agents of a day of which this is kept, those with most events: anybody may invent names."""

SMALL_ROWS_MAX = 100_000
"""Days of up to so many events are read into memory, to be counted with others. A larger day is
counted alone and read in place."""
_FEW_ROWS = 30_000
"""Planning scans of many columns costs more than copying up to so many rows of them."""
_ATTEMPTS = 3


class DayCounts(NamedTuple):
    """What was counted of a day, what of its coverage, and what it shows of people."""

    counts: Counts = metrics.NOTHING
    coverage: Coverage = Coverage([], [])
    shown: Identities = identities.NO_IDENTITIES

    @property
    def is_empty(self) -> bool:
        """Were there no events?"""
        return self.counts is metrics.NOTHING


class _Stored(NamedTuple):
    """What is there of a day."""

    choice: EventSelection
    entered: Mapping[str, PartEntry]
    """The parts that have to be there, by name."""
    parts: list[Part]
    """Those to read."""
    faults: Mapping[str, str]
    """What is wrong with parts, by name, as the listing shows it."""

    @property
    def rows(self) -> int | None:
        """How many events it has; None where that is not known."""
        if self.choice.is_whole and all(part.name in self.entered for part in self.parts):
            return sum(self.entered[part.name].rows for part in self.parts)
        return None


class Counting:
    """One count of some days of an organization, by what is known of people and prices."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        org: OrgId,
        identities: IdentityContext,
        card: Card,
        *,
        is_tried: bool = False,
    ) -> None:
        """Parts are checked first, unless the count `is_tried`: who tries choices has checked them
        all."""
        self._db = db
        self._settings = settings
        self._org = org
        self._lake = Lake.open(settings)
        self._identities = identities
        self._card = card
        self._is_tried = is_tried

    def count(
        self, choices: Mapping[date, EventSelection]
    ) -> tuple[dict[date, DayCounts], IdentityContext]:
        """What was counted of each day, given in order, and what is known of people with what the
        days show. A compaction may take parts away meanwhile, then it starts again.

        Raises CountSeparately where it has to be done with fewer days.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            is_last = attempt == _ATTEMPTS
            stored = {day: self._stored(day, choice) for day, choice in choices.items()}
            if any(of_day.faults for of_day in stored.values()):
                if not is_last:
                    continue
                if len(stored) > 1:
                    raise CountSeparately
            present = {
                day: of_day for day, of_day in stored.items() if of_day.parts or of_day.faults
            }
            nothing = dict.fromkeys(choices, DayCounts())
            if not present:
                return nothing, self._identities
            try:
                counted, identities = self._count(present)
                return nothing | counted, identities
            except FileNotFoundError as fault:
                if is_last:
                    names = " and ".join(day.isoformat() for day in present)
                    raise Unavailable(
                        f"Part files of {names} changed while they were read: {fault}"
                    ) from fault
            except DamagedParts:
                if is_last:
                    raise
            except OperatorError:
                read = [part for of_day in present.values() for part in of_day.parts]
                if is_last or all(self._lake.files.exists(part.path) for part in read):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _stored(self, day: date, choice: EventSelection) -> _Stored:
        entered = {
            name: entry
            for name, entry in entries.of_day(self._db, self._org, day).items()
            if name not in choice.aside.parts
        }
        parts = choice.of(entries.visible(self._db, self._lake, self._org, day))
        faults = {} if self._is_tried else integrity.compare(entered, parts)
        return _Stored(choice, entered, parts, faults)

    def _count(
        self, stored: Mapping[date, _Stored]
    ) -> tuple[dict[date, DayCounts], IdentityContext]:
        keys = Keys(stored)
        rows = [of_day.rows for of_day in stored.values()]
        known_rows = [number for number in rows if number is not None]
        is_small = max(known_rows, default=0) <= SMALL_ROWS_MAX and len(known_rows) == len(rows)
        if len(keys) > 1 and not is_small:
            raise CountSeparately
        are_few = is_small and sum(known_rows) <= _FEW_ROWS
        engine = engines.make(self._settings, are_few=are_few)
        try:
            self._open(engine, keys, stored, is_small=is_small)
            shown = identities.read(engine, self._org, keys)
            who = self._identities.with_evidence(shown.values())
            people = who.people(shown.values())
            counts = metrics.count(engine, keys, self._card, people, are_few=are_few)
            covered = coverage_of(engine, keys)
            if not self._is_tried:
                for day, of_day in stored.items():
                    fresh = [part for part in of_day.parts if part.name not in of_day.entered]
                    integrity.adopt(self._db, self._lake, (self._org, day), fresh)
            return {day: DayCounts(counts[day], covered[day], shown[day]) for day in stored}, who
        finally:
            engine.close()

    def _open(
        self, engine: Engine, keys: Keys, stored: Mapping[date, _Stored], *, is_small: bool
    ) -> None:
        """Make `events`: the chosen ones, without those around midnight that count on the day
        before."""
        read: dict[date, pa.Table] = {}
        if is_small:
            for day, of_day in stored.items():
                of_parts = bodies(self._lake, of_day.parts)
                self._check(day, of_day, {body.part.name: body.digest for body in of_parts})
                read[day] = events(of_parts)
        else:
            [(day, of_day)] = stored.items()
            self._check(day, of_day, self._digests(engine, of_day))
        parts_of = partial(entries.visible, self._db, self._lake, self._org)
        days_before = DaysBefore(self._lake, parts_of, keys, read)
        name = "present" if days_before.is_empty else "arrived"
        if is_small:
            engine.register(
                name, pa.concat_tables([keys.mark(day, events) for day, events in read.items()])
            )
        else:
            of_day.choice.open(engine, of_day.parts, name)
        if not days_before.is_empty:
            days_before.leave_out(engine, partial(engines.make_local, self._settings))
        belonging.put_into_sessions(engine)
        if len(keys) > 1:
            refuse_shared(
                keys, engine.fetch("select event_id_hi, event_id_lo, product from events")
            )

    def _digests(self, engine: Engine, of_day: _Stored) -> dict[str, str]:
        """The hashes of the parts that are entered, by name."""
        present = [
            part
            for part in of_day.parts
            if part.name in of_day.entered and part.name not in of_day.faults
        ]
        if self._is_tried or not present:
            return {}
        digests = engine.digests([part.path for part in present])
        return dict(zip((part.name for part in present), digests, strict=True))

    def _check(self, day: date, of_day: _Stored, digests: Mapping[str, str]) -> None:
        """Compare hashes of parts with their entries. Raises DamagedParts, also for the faults that
        the listing has shown."""
        if self._is_tried:
            return
        faults = {**of_day.faults, **integrity.differing(of_day.entered, digests)}
        if faults:
            integrity.note(self._db, self._org, day, faults)
            raise DamagedParts(day, faults, len(of_day.entered))


def coverage_of(engine: Engine, keys: Keys) -> dict[date, Coverage]:
    """Read days that have been counted."""
    tables = [keys.by_day(engine.fetch(sql(name))) for name in ("quality", "exact_outputs")]
    if engine.fetch("select product from multi_source_sessions limit 1").num_rows:
        for name in ("source_totals", "counted_totals", "compared"):
            engine.keep(name, sql(name))
        tables += [
            keys.by_day(engine.fetch(sql(name))) for name in ("comparisons", "worst_sessions")
        ]
    return {day: _coverage_of_day(*(table[day] for table in tables)) for day in keys.days}


def _coverage_of_day(
    quality_rows: pa.Table,
    exact_outputs: pa.Table,
    comparisons: pa.Table | None = None,
    worst_sessions: pa.Table | None = None,
) -> Coverage:
    quality = [Quality(*row) for row in records(quality_rows)]
    quality.sort(key=lambda figures: (-figures.events, figures.product))
    quality = quality[:PRODUCTS_COVERED_MAX]
    products = {figures.product for figures in quality}
    compared = [
        Comparison._make((*row, [])) for row in sorted(records(exact_outputs)) if row[0] in products
    ]
    if comparisons is None or worst_sessions is None:
        return Coverage(quality, compared)
    worst: dict[tuple[str, str, str], list[SessionCoverage]] = {}
    for *key, session_id, reported, counted in records(worst_sessions):
        product, source, figure = key
        worst.setdefault((product, source, figure), []).append(
            SessionCoverage(session_id, reported, counted)
        )
    compared += [
        Comparison._make((*row, sorted(worst.get(row[:3], []), key=SessionCoverage.place)))
        for row in sorted(records(comparisons))
        if row[0] in products
    ]
    return Coverage(quality, compared)


class Body(NamedTuple):
    """The bytes of a part."""

    part: Part
    content: bytes

    @property
    def digest(self) -> str:
        """The SHA-256, in hex."""
        return hashlib.sha256(self.content).hexdigest()


def bodies(lake: Lake, parts: Iterable[Part]) -> list[Body]:
    """The bytes of parts. FileNotFoundError when one is missing; raises as Lake does."""
    read_parts = []
    for part in parts:
        with lake.reading(part) as file:
            read_parts.append(Body(part, file.read()))
    return read_parts


def events(parts: Iterable[Body]) -> pa.Table:
    """The events of parts, in the columns of SCHEMA; those that a part lacks are null. Texts are in
    dictionaries, since most of them are equal.

    OperatorError or ArrowInvalid for a part that does not decode.
    """
    return pa.concat_tables([_EVENTS.empty_table(), *(_decoded(part) for part in parts)])


def _decoded(body: Body) -> pa.Table:
    try:
        content = pa.BufferReader(body.content)
        file = pq.ParquetFile(content, read_dictionary=_TEXTS, page_checksum_verification=True)
        present = set(file.schema_arrow.names)
        columns = [name for name in SCHEMA.names if name in present]
        table = file.read(columns=columns, use_threads=False)
    except OSError as fault:
        # The bytes are in memory, so this is the part and not the disk.
        raise OperatorError(f"{body.part.path} cannot be decoded.", code="rollup_failed") from fault
    for place, field in enumerate(SCHEMA):
        if field.name not in present:
            table = table.add_column(place, field, pa.nulls(table.num_rows, field.type))
    return table.select(SCHEMA.names).cast(_EVENTS)
