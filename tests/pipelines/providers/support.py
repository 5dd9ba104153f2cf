"""One file of any provider, read by its module; made without git, of which tests need many."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.pipelines.model import Facts, Found
from stationmaster.pipelines.scan import scan
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot, TreeEntry


class Commit(Snapshot):
    """A commit of a few files."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._contents = {
            path: text.encode() if isinstance(text, str) else text for path, text in files.items()
        }

    def entries(self) -> list[TreeEntry]:
        return [
            TreeEntry(path, "100644", "0" * 40, len(content))
            for path, content in sorted(self._contents.items())
        ]

    def read(self, path: str, size_max: int) -> bytes:
        return self._contents[path]


def found(files: Mapping[str, str | bytes]) -> list[Found]:
    """The workflows of a commit of these files."""
    return scan(Files(Commit(files))).workflows


def ignored(files: Mapping[str, str | bytes]) -> list[str]:
    """The paths that look like workflows of a commit of these files and are none."""
    return [each.path for each in scan(Files(Commit(files))).ignored]


def facts(path: str, text: str | bytes, others: Mapping[str, str | bytes] | None = None) -> Facts:
    """What one file says, among others that it may name."""
    (one,) = (each for each in found({path: text, **(others or {})}) if each.path == path)
    return one.facts
