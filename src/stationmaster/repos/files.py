"""The files of a commit, read within what one repository may cost."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from stationmaster.errors import NotFound, TooLarge
from stationmaster.repos import yaml_nodes
from stationmaster.repos.contents import Contents
from stationmaster.repos.reading import Snapshot, TreeEntry
from stationmaster.repos.yaml_nodes import Documents, Fault

BYTES_MAX = 16 * 2**20
"""Of all files of one repository together: ten seconds of parsing at worst."""
_LINK_MAX = 4096
_HOPS_MAX = 5


class Files:
    """Regular files alone: a link is no file of the commit, whatever it points to."""

    def __init__(
        self,
        snapshot: Snapshot,
        bytes_max: int = BYTES_MAX,
        is_closed: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """A file of which `is_closed` is there, and is not opened."""
        self._snapshot = snapshot
        self._is_closed = is_closed
        entries = snapshot.entries()
        self._entries = {entry.path: entry for entry in entries if entry.mode.startswith("100")}
        self._links = {entry.path: entry for entry in entries if entry.mode == "120000"}
        self.others = tuple(entry for entry in entries if not entry.mode.startswith("100"))
        """Links and submodules, by the order of bytes."""
        self._left = bytes_max

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def paths(self) -> Iterable[str]:
        """By the order of bytes."""
        return self._entries

    def entry(self, path: str) -> TreeEntry:
        """Raises KeyError for what is no file."""
        return self._entries[path]

    def oid(self, path: str) -> str:
        """The id of a file's object in git, in hex. Raises KeyError for what is no file."""
        return self._entries[path].oid

    def content(self, path: str, size_max: int = yaml_nodes.SIZE_MAX) -> bytes:
        """Raises Fault for a file that is not there or costs too much."""
        if self._is_closed(path):
            raise Fault("the file may contain secrets")
        try:
            data = self._snapshot.read(path, min(size_max, self._left))
        except TooLarge as large:
            if self._entries[path].size > size_max:
                raise Fault(f"the file is larger than {size_max} bytes") from large
            raise Fault("the repository has more to read than a scan may cost") from large
        except NotFound as missing:
            raise Fault("there is no such file") from missing
        self._left -= len(data)
        return data

    def contents_of(
        self, paths: Iterable[str], size_max: int = yaml_nodes.SIZE_MAX
    ) -> Iterator[tuple[str, bytes]]:
        """Many files in one call, as far as the repository's cost allows; larger ones are left
        out."""
        return self._snapshot.read_many(self._affordable(paths, size_max), size_max)

    def _affordable(self, paths: Iterable[str], size_max: int) -> Iterator[str]:
        for path in paths:
            entry = self._entries.get(path)
            if (
                entry is not None
                and entry.size <= min(size_max, self._left)
                and not self._is_closed(path)
            ):
                self._left -= entry.size
                yield path

    def documents(
        self, path: str, *, merges: bool, splices: bool = False, repeats: bool = False
    ) -> Documents:
        """The YAML documents of a file, read as `yaml_nodes.read` does. Raises Fault."""
        return yaml_nodes.read(
            self.content(path), merges=merges, splices=splices, repeats=repeats, path=path
        )

    @cached_property
    def contents(self) -> Contents:
        """What parsers make of the files, those behind links too."""
        return Contents(
            lambda path, size_max: self.content(self.behind(path) or path, size_max),
            self.contents_of,
        )

    def behind(self, path: str) -> str | None:
        """The file itself, or the one in the commit that a link of this path leads to."""
        for _ in range(_HOPS_MAX):
            if path in self._entries or path not in self._links:
                break
            target = self._snapshot.read_link(path, _LINK_MAX)
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return path if path in self._entries else None
