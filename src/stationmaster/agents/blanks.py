"""Event blanks: a copy of a half-filled Event costs a third of building one from keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from stationmaster.agents.cards.ranks import standing
from stationmaster.events.model import Event, Kind, Source

Blank = Callable[[], Event]


def blank(product: str, kind: Kind, source: Source) -> Blank:
    """A maker of fresh events of one kind from one source, its standing filled in."""
    rank, group = standing(product, kind, source)
    event = Event(
        event_id="",
        kind=kind,
        ts=0,
        product=product,
        source=source,
        source_rank=rank,
        source_group=group,
    )
    return blank_of(event)


def blank_of(event: Event) -> Blank:
    """A maker of copies of an event."""
    # msgspec gives every Struct a `__copy__`, which its type stubs leave out.
    return cast(Blank, event.__copy__)  # type: ignore[attr-defined,unused-ignore]


class Blanks(dict[Kind, Blank]):
    """Makers of the events of one source of an agent, by kind; each is made when first asked."""

    def __init__(self, product: str, source: Source) -> None:
        super().__init__()
        self.product, self._source = product, source

    def __missing__(self, kind: Kind) -> Blank:
        maker = self[kind] = blank(self.product, kind, self._source)
        return maker
