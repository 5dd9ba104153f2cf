"""Stored slices and facts of days, decoded; what was decoded is kept while there is room, and so
are answers that are made of it.

A day changes only when it is published again, so what was decoded of one writing stays right. Each
answer reads again, in one short read, which writing its days have.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

import pyarrow as pa

from stationmaster.aggregate import packing
from stationmaster.aggregate.slices import Slices
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from stationmaster.lake.rollups.serving import Writing

KEPT_BYTES_MAX = 96 * 1024 * 1024
"""What one process keeps of the days of one database; what was not used for longest is removed
first."""
_ENTRY_BYTES = 1_000
"""The overhead of an entry."""
READ_BYTES_MAX = 64 * 1024 * 1024
"""Days are read together while their stored bytes are not more."""
T = TypeVar("T")
_Key = tuple[OrgId, date, Writing]
_Part = tuple[_Key, str, str, tuple[str, ...] | None]
"""A writing of a day, `slices` or `facts`, a table, its columns."""
Columns = Mapping[str, tuple[str, ...] | None]
"""What is needed: names of tables, each with some columns or with None for all of them."""

NOTHING: Columns = {}


class StoredDay(NamedTuple):
    """A closed day as it is stored, decoded; `facts` are tables by name."""

    day: date
    key: _Key
    """Of this writing of the day."""
    slices: Slices
    """Those tables that are needed."""
    facts: Mapping[str, pa.Table]


class _Kept:
    """Tables and answers by key, up to KEPT_BYTES_MAX. Safe to use from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: Hashable) -> Any:
        """Raises KeyError for what is not kept; None is a table that a body does not have."""
        with self._guard:
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Keep what takes so many bytes."""
        size += _ENTRY_BYTES
        with self._guard:
            if key in self._values:
                return
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > KEPT_BYTES_MAX:
                self._bytes -= self._values.popitem(last=False)[1][1]

    def once(self, key: Hashable, make: Callable[[], T], size_of: Callable[[T], int]) -> T:
        """What is kept under the key, or what `make` returns, which is kept then."""
        try:
            return cast(T, self.get(key))
        except KeyError:
            value = make()
            self.put(key, value, size_of(value))
            return value


def _bytes_of(table: pa.Table | None) -> int:
    return 0 if table is None else int(table.nbytes)


_databases: WeakKeyDictionary[Database, _Kept] = WeakKeyDictionary()
_opening = threading.Lock()


def _of(db: Database) -> _Kept:
    with _opening:
        return _databases.setdefault(db, _Kept())


def once(db: Database, key: Hashable, make: Callable[[], pa.Table]) -> pa.Table:
    """What `make` returns, or what it returned before for the same key."""
    return _of(db).once(key, make, _bytes_of)


def answer(
    db: Database,
    question: Hashable,
    read_of: tuple[OrgId, date, date],
    make: Callable[[], T],
    size_of: Callable[[T], int],
    *,
    with_facts: bool = False,
) -> T:
    """What `make` answers to a question about slices, or about facts, too, or what it answered
    while the days that it reads were written as they are now; `size_of` is its size in bytes.

    A question holds all that an answer depends on apart from the stored days of that range.
    """
    writings = serving.writings(db, *read_of, with_facts=with_facts)
    return _of(db).once((question, tuple(writings.items())), make, size_of)


def read(
    db: Database, org: OrgId, first: date, last: date, slices: Columns, facts: Columns = NOTHING
) -> Iterator[list[StoredDay]]:
    """The stored days of a range in order, those of a list together; with facts only days that have
    them, too.

    A table that a day's body does not have is left out.
    """
    kept, needed = _of(db), {"slices": slices, "facts": facts}
    writings = serving.writings(db, org, first, last, with_facts=bool(facts))
    for part in _parts(writings):
        days: dict[date, StoredDay] = {}
        for day in part:
            with suppress(KeyError):
                days[day] = _day((org, day, writings[day]), needed, kept.get)
        lacking = [day for day in part if day not in days]
        if lacking:
            rows = serving.written(db, org, lacking[0], lacking[-1], with_facts=bool(facts))
            for day, writing, *bodies in rows:
                if day in lacking:
                    days[day] = _decoded(kept, (org, day, writing), needed, bodies)
        yield [stored for _, stored in sorted(days.items())]


def _parts(writings: Mapping[date, Writing]) -> Iterator[list[date]]:
    part: list[date] = []
    total = 0
    for day, writing in writings.items():
        size = serving.stored_bytes(writing)
        if part and total + size > READ_BYTES_MAX:
            yield part
            part, total = [], 0
        part.append(day)
        total += size
    if part:
        yield part


def _day(
    key: _Key,
    needed: Mapping[str, Columns],
    get: Callable[[_Part], pa.Table | None],
) -> StoredDay:
    """A day of the tables that `get` has. Raises KeyError as it does."""
    bodies = {
        body: {name: get((key, body, name, some)) for name, some in columns.items()}
        for body, columns in needed.items()
    }
    slices, facts = (
        {name: table for name, table in tables.items() if table is not None}
        for tables in bodies.values()
    )
    return StoredDay(key[1], key, Slices(slices), facts)


def _decoded(
    kept: _Kept,
    key: _Key,
    needed: Mapping[str, Columns],
    bodies: list[bytes | None],
) -> StoredDay:
    packed = dict(zip(needed, bodies, strict=True))
    streams = {name: packing.unpack(body) for name, body in packed.items() if body is not None}

    def decoded(part: _Part) -> pa.Table | None:
        _, body, name, columns = part
        stream = streams[body].get(name)
        if stream is None:
            return None
        return packing.read(stream, None if columns is None else [*columns])

    return _day(key, needed, lambda part: kept.once(part, partial(decoded, part), _bytes_of))
