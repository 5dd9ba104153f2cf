"""Finding the few of many that make something fail, by trying parts of them.

Nothing here knows what the things are: they are numbers, and `fails` tries a group of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Fails = Callable[[Sequence[int]], bool]

ATTEMPTS_MAX = 500
"""After so many attempts a group is not divided any further, and is taken as a whole."""


class Search:
    """A bounded number of attempts.

    One culprit among n costs trying some 3 n things altogether, k of them about log k times that.
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
        alone = [culprit for half in halves if self._fails(half) for culprit in self._divide(half)]
        return alone or self._together([], [], things)

    def _together(
        self, culprits: list[int], new: Sequence[int], things: Sequence[int]
    ) -> list[int]:
        """The fewest of `things` that fail with `known`, in which `new` was not yet tried.

        Neither half fails by itself, so each is reduced beside what is needed of the other: the
        method is Junker's QuickXplain.
        """
        if new and self._fails(culprits):
            return []
        if len(things) == 1 or self._left <= 0:
            return list(things)
        middle = len(things) // 2
        first, second = things[:middle], things[middle:]
        of_second = self._together([*culprits, *first], first, second)
        of_first = self._together([*culprits, *of_second], of_second, first)
        return [*of_first, *of_second]
