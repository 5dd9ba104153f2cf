"""The files of a commit, read within what one repository may cost."""

from __future__ import annotations

from collections.abc import Iterable

from stationmaster.ciscan import yaml_nodes
from stationmaster.ciscan.yaml_nodes import Documents, Fault
from stationmaster.errors import NotFound, TooLarge
from stationmaster.repos.reading import Snapshot

BYTES_MAX = 16 * 2**20
"""Of all files of one repository together: ten seconds of parsing at worst."""


class Files:
    """Regular files alone: a link is no file of the commit, whatever it points to."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._entries = {
            entry.path: entry for entry in snapshot.entries() if entry.mode.startswith("100")
        }
        self._left = BYTES_MAX

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def paths(self) -> Iterable[str]:
        return self._entries

    def oid(self, path: str) -> str:
        return self._entries[path].oid

    def content(self, path: str) -> bytes:
        """Raises Fault for a file that is not there or costs too much."""
        try:
            data = self._snapshot.read(path, min(yaml_nodes.SIZE_MAX, self._left))
        except TooLarge as large:
            if self._entries[path].size > yaml_nodes.SIZE_MAX:
                raise Fault(f"the file is larger than {yaml_nodes.SIZE_MAX} bytes") from large
            raise Fault("the repository has more to read than a scan may cost") from large
        except NotFound as missing:
            raise Fault("there is no such file") from missing
        self._left -= len(data)
        return data

    def documents(self, path: str, *, merges: bool) -> Documents:
        """The YAML documents of a file. Raises Fault."""
        return yaml_nodes.read(self.content(path), merges=merges)
