"""What a function leads to at one of its lines."""

from __future__ import annotations

import msgspec

from stationmaster.wiki.facts.model import Spot


class Step(msgspec.Struct, frozen=True, array_like=True):
    """What a function leads to at a line of `start`. `ends` are the function that is called as
    declared, and those that implement it in other types; `is_open` where the first is only
    declared. A function that `is_passed` is passed as a value. `through` are calls of a function
    that is too short to be shown; `handlers` run for the event or message that is made here, or for
    what the call `does`, such as sending a signal or saving a record, or are called by a library
    because the class of the object that is made extends its class `base`; `asked` are the
    conditions of some. `again` are later lines
    that lead to the same. What `is_later` is put on a queue. Where a `parameter` is called,
    `givers` are the callers that pass each of `ends` for it, with the line. A message that
    `is_unsent` is made here, and sent elsewhere if at all. What is `around` handlers runs before
    and after each of them."""

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
    givers: tuple[tuple[Spot, int], ...] = ()
    base: str = ""
    asked: tuple[tuple[Spot, str], ...] = ()
    is_unsent: bool = False
    around: tuple[Spot, ...] = ()

    @property
    def end(self) -> Spot:
        """The function that it leads to: the only implementation, else the one as declared."""
        return self.ends[1] if self.is_open and len(self.ends) == 2 else self.ends[0]

    @property
    def is_certain(self) -> bool:
        """Does it lead to only one function?"""
        return len(set(self.ends)) == 1 or (self.is_open and len(self.ends) == 2)
