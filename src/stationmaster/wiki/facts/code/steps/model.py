"""What a function leads to at one of its lines."""

from __future__ import annotations

import msgspec

from stationmaster.wiki.facts.model import Spot


class Step(msgspec.Struct, frozen=True, array_like=True):
    """What a function leads to at a line of `start`. `ends` are what is called as declared, and
    what stands for that in other types; `is_open` says that the first is only declared. A function
    that `is_passed` is given away as a value. `through` are calls of a function that is too short
    to be shown; `handlers` run for the event or message that is made here, or for what the call
    `does`, such as sending a signal or saving a record, or are what a library calls because what is
    made extends its class `base`. `again` are later lines that lead to the
    same. What `is_later` is put on a queue there. What a `parameter` holds where it is called is
    given by `givers`, a function by each."""

    start: Spot
    ends: tuple[Spot, ...]
    line: int
    is_open: bool = False
    is_passed: bool = False
    does: str = ""
    through: tuple[Spot, ...] = ()
    handlers: tuple[Spot, ...] = ()
    again: tuple[int, ...] = ()
    is_later: bool = False
    parameter: str = ""
    givers: tuple[Spot, ...] = ()
    base: str = ""

    @property
    def end(self) -> Spot:
        """What it leads to: the one implementation, or what is called as it is declared."""
        return self.ends[1] if self.is_open and len(self.ends) == 2 else self.ends[0]

    @property
    def is_certain(self) -> bool:
        """Does it lead to one thing alone?"""
        return len(set(self.ends)) == 1 or (self.is_open and len(self.ends) == 2)
