"""Which of a day's events one count is about: all but what is set aside, or some of them only."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.faults.quarantine import Aside
from stationmaster.lake.storage import Part

_SAME = "x.event_id_hi = s.event_id_hi and x.event_id_lo = s.event_id_lo"


@dataclass(frozen=True, slots=True)
class Choice:
    """The events of one day that count; `aside` is what does not."""

    aside: Aside
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
