"""Where a person's agents keep their files: below the home folder, or where a variable names."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable, Iterable
from typing import NamedTuple

from stationmaster.catalogue.table import Row


class Root(NamedTuple):
    """Files of one kind: a folder, and a pattern of names below it, with `*` for any one name and
    `**` for any number of folders."""

    folder: str
    pattern: str
    is_whole: bool = True
    """Is what is read of such a file in it alone (and in the log of a database)?"""


class Folder(Row, frozen=True):
    """A folder of an agent: the usual one below home, if any, and those that a variable names.

    Both, because what was written before the variable was set is still there. `below` is where in
    the variable's folder the agent's is.
    """

    usual: str | None = None
    variable: str | None = None
    below: str = ""


class SessionFiles(Row, frozen=True):
    """Files of one kind: every pattern of names, below every one of the folders."""

    folders: tuple[Folder, ...]
    patterns: tuple[str, ...]
    is_whole: bool = True


class Home:
    """A home folder, and the variables of the environment that move parts of it.

    `variable` gives None for one that is not set; without it only the folder counts.
    """

    def __init__(self, path: str, variable: Callable[[str], str | None] | None = None) -> None:
        self.path = path
        self.asked: dict[str, str | None] = {}
        """Every variable that mattered, with its value."""
        self._variable = variable or (lambda _: None)

    def roots(self, kinds: Iterable[SessionFiles]) -> list[Root]:
        """Where files of these kinds are: a folder that is not there costs nothing, so those of
        every system are listed."""
        return [
            Root(folder, pattern, files.is_whole)
            for files in kinds
            for place in files.folders
            for folder in self.folders(place)
            for pattern in files.patterns
        ]

    def folders(self, folder: Folder) -> list[str]:
        """The whole paths of a folder."""
        moved = self.named(folder.variable) if folder.variable else []
        usual = [] if folder.usual is None else [f"{self.path}/{folder.usual}"]
        return [*usual, *(f"{path}/{folder.below}".rstrip("/") for path in moved)]

    def named(self, variable: str) -> list[str]:
        """The absolute folders that a variable names; commas separate several."""
        value = self.asked[variable] = self._variable(variable)
        parts = (part.strip() for part in (value or "").split(","))
        return [part for part in parts if posixpath.isabs(part) or ntpath.isabs(part)]
