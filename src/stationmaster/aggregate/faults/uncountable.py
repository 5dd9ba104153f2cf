"""When a day cannot be counted: is it the events, and which?

A fault is caused by the events when it recurs with them, occurs with the few that are found alone,
and does not occur without any. What passes (a full disk, an engine out of reach) does none of that,
and is recognised by its kind before anything is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.faults.quarantine import SetAside
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.lake.schema import event_id
from stationmaster.lake.storage import Lake, Part

_SAME = "x.event_id_hi = s.event_id_hi and x.event_id_lo = s.event_id_lo"


@dataclass(frozen=True, slots=True)
class EventSelection:
    """The events of one day that count; `aside` is what does not."""

    aside: SetAside
    parts: frozenset[str] | None = None
    """Names of the only parts that are read; None for all."""
    events: pa.Table | None = None
    """Ids of the only events that count, in two columns; None for all."""

    @property
    def is_whole(self) -> bool:
        """Do all events of the parts that are read count?"""
        return self.aside.events is None and self.events is None

    def of(self, parts: list[Part]) -> list[Part]:
        """Those of a day's parts that are read."""
        return [
            part
            for part in parts
            if part.name not in self.aside.parts and (self.parts is None or part.name in self.parts)
        ]

    def open(self, engine: Engine, parts: list[Part], name: str) -> None:
        """Make the chosen events a table of the engine."""
        conditions = []
        if self.aside.events is not None:
            engine.register("set_aside", self.aside.events)
            conditions.append(f"not exists (select 1 from set_aside as x where {_SAME})")
        if self.events is not None:
            engine.register("chosen", self.events)
            conditions.append(f"exists (select 1 from chosen as x where {_SAME})")
        paths = [part.path for part in parts]
        if not conditions:
            engine.open(paths, name)
            return
        engine.open(paths, "stored")
        engine.view(name, f"select s.* from stored as s where {' and '.join(conditions)}")


Fails = Callable[[Sequence[int]], bool]

ATTEMPTS_MAX = 500
"""After so many attempts a group is not divided any further, and is taken as a whole."""


class Search:
    """The few of many that make something fail, in a bounded number of attempts at parts of them.

    One among n costs trying some 3 n things altogether, k of them about log k times that.
    """

    def __init__(self, fails: Fails, attempts: int = ATTEMPTS_MAX) -> None:
        self._try = fails
        self._left = attempts

    def find(self, things: Sequence[int]) -> list[int]:
        """Those that fail by themselves, else a smallest group that fails together.

        Empty when all of them together do not fail.
        """
        return self._divide(things) if self._fails(things) else []

    def _fails(self, things: Sequence[int]) -> bool:
        self._left -= 1
        return self._try(things)

    def _divide(self, things: Sequence[int]) -> list[int]:
        if len(things) == 1 or self._left <= 0:
            return list(things)
        middle = len(things) // 2
        halves = things[:middle], things[middle:]
        alone = [n for half in halves if self._fails(half) for n in self._divide(half)]
        return alone or self._together([], [], things)

    def _together(self, needed: list[int], new: Sequence[int], things: Sequence[int]) -> list[int]:
        """The fewest of `things` that fail with `needed`, in which `new` was not yet tried.

        Neither half fails by itself, so each is reduced together with what is needed of the other:
        the method is Junker's QuickXplain.
        """
        if new and self._fails(needed):
            return []
        if len(things) == 1 or self._left <= 0:
            return list(things)
        middle = len(things) // 2
        first, second = things[:middle], things[middle:]
        of_second = self._together([*needed, *first], first, second)
        of_first = self._together([*needed, *of_second], of_second, first)
        return [*of_first, *of_second]


DAMAGED = "damaged_part"
FEW_EVENTS = 100
"""More than this and more than half of a day is not their fault: then it is ours."""
_PASSING = (StationmasterError, OSError, MemoryError)
_EVENTS = "select count(*) as events from arrived"
_NO_IDS = pa.table({name: pa.array([], pa.int64()) for name in ("event_id_hi", "event_id_lo")})
# Ids follow one another as the events did in time: the errors of one sender are adjacent.
_IDS = """
select event_id_hi, event_id_lo from suspects
group by event_id_hi, event_id_lo order by min(ts), event_id_hi, event_id_lo
"""

Attempt = Callable[[EventSelection], None]
"""Counts a choice of a day's events, and stores nothing."""


class Uncountable(NamedTuple):
    """What of a day's events cannot be counted, and why."""

    items: list[str]
    """Names of parts, or ids of events in hex."""
    reason: str
    """The kind of the fault; never its text, which may quote a value."""


def find(
    fault: Exception,
    lake: Lake,
    parts: list[Part],
    aside: SetAside,
    attempt: Attempt,
    engine: Callable[[], Engine],
) -> Uncountable:
    """What of a day's parts to set aside so that the rest can be counted; nothing when the fault
    is not theirs. Raises what an attempt raises that is of storage or of the engine."""
    reason = type(fault).__name__
    parts = EventSelection(aside).of(parts)
    is_passing = isinstance(fault, _PASSING)
    # An engine cannot always distinguish a damaged part from storage that fails.
    if (not is_passing or isinstance(fault, OperatorError)) and (broken := damaged(lake, parts)):
        return Uncountable([part.name for part in broken], DAMAGED)
    if is_passing or not parts or _fails(attempt, EventSelection(aside, events=_NO_IDS)):
        return Uncountable([], reason)

    def some_parts(chosen: Sequence[int]) -> bool:
        return _fails(attempt, EventSelection(aside, frozenset(parts[n].name for n in chosen)))

    suspects = [parts[n] for n in Search(some_parts).find(range(len(parts)))]
    if not suspects:
        return Uncountable([], reason)
    names = frozenset(part.name for part in suspects)
    with closing(engine()) as opened:
        EventSelection(aside).open(opened, parts, "arrived")
        [events] = opened.fetch(_EVENTS).column("events").to_pylist()
        EventSelection(aside).open(opened, suspects, "suspects")
        ids = opened.fetch(_IDS)

    def some_events(chosen: Sequence[int]) -> bool:
        return _fails(attempt, EventSelection(aside, names, ids.take(pa.array(chosen, pa.int64()))))

    offending = Search(some_events).find(range(ids.num_rows))
    if len(offending) > max(FEW_EVENTS, events // 2):
        return Uncountable([], reason)
    chosen = ids.take(pa.array(offending, pa.int64()))
    columns = (column.to_pylist() for column in chosen.columns)
    return Uncountable([event_id(hi, lo) for hi, lo in zip(*columns, strict=True)], reason)


def _fails(attempt: Attempt, choice: EventSelection) -> bool:
    try:
        attempt(choice)
    except _PASSING:
        raise
    except Exception:  # Whatever it is, it is what is looked for.
        return True
    return False


def damaged(lake: Lake, parts: Iterable[Part]) -> list[Part]:
    """The parts whose bytes can be had and do not decode from end to end.

    Copies of what was read are dropped: a copy may be damaged.
    """
    return [part for part in parts if _is_damaged(lake, part)]


def _is_damaged(lake: Lake, part: Part) -> bool:
    lake.files.drop_cached(part.path)
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
