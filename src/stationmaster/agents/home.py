"""Where a person's agents keep their files: below the home folder, or where a variable says."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable
from typing import NamedTuple


class Root(NamedTuple):
    """Files of one kind: a folder, and a pattern of names below it, with `*` for any one name and
    `**` for any number of folders."""

    folder: str
    pattern: str
    is_whole: bool = True
    """Is what is read of such a file in it alone (and in the log of a database)?"""


class Home:
    """A home folder, and the variables of the environment that move parts of it.

    `variable` gives None for one that is not set; without it only the folder counts.
    """

    def __init__(self, path: str, variable: Callable[[str], str | None] | None = None) -> None:
        self.path = path
        self.asked: dict[str, str | None] = {}
        """Every variable that mattered, with its value."""
        self._variable = variable or (lambda _: None)

    def folders(self, usual: str, variable: str | None = None, below: str = "") -> list[str]:
        """A folder of an agent: the usual one below home, and those that a variable names.

        Both, because what was written before the variable was set is still there. `below` is
        where in the variable's folder the agent's is.
        """
        moved = self.named(variable) if variable else []
        return [
            f"{self.path}/{usual}",
            *(f"{folder}/{below}".rstrip("/") for folder in moved),
        ]

    def named(self, variable: str) -> list[str]:
        """The absolute folders that a variable names; commas separate several."""
        value = self.asked[variable] = self._variable(variable)
        parts = (part.strip() for part in (value or "").split(","))
        return [part for part in parts if posixpath.isabs(part) or ntpath.isabs(part)]
