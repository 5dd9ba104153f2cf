"""Commits made of a dict: for many small cases, of which git would cost too much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha1

from stationmaster.errors import NotFound
from stationmaster.pipelines import scan as pipelines
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.hosting import Hosting
from stationmaster.reading.projects import reading as projects
from stationmaster.repos.files import Files
from stationmaster.repos.history import Commit, History, Tag
from stationmaster.repos.reading import Snapshot, TreeEntry
from tests.support.repositories import SECONDS

Content = str | bytes | tuple[str, str]
"""A file's content, or its mode and content: ("120000", target) is a link."""
AS_OF = SECONDS * 1000
"""UTC milliseconds: when the commits of a dict are looked at."""


class DictSnapshot(Snapshot):
    """What a reader sees of a commit with these files."""

    def __init__(self, contents: Mapping[str, Content]) -> None:
        self._given = {
            path: each if isinstance(each, tuple) else ("100644", each)
            for path, each in sorted(contents.items(), key=lambda item: item[0].encode())
        }

    def entries(self) -> list[TreeEntry]:
        return [
            TreeEntry(path, mode, sha1(_bytes(data)).hexdigest(), len(_bytes(data)))
            for path, (mode, data) in self._given.items()
        ]

    def read(self, path: str, size_max: int) -> bytes:
        mode, data = self._given.get(path, ("", ""))
        if not mode.startswith("100"):
            raise NotFound("There is no such file in the commit.")
        return _bytes(data)

    def read_many(self, paths: Iterable[str], size_max: int) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            mode, data = self._given.get(path, ("", ""))
            if mode.startswith("100") and len(_bytes(data)) <= size_max:
                yield path, _bytes(data)

    def read_link(self, path: str, size_max: int) -> str:
        return _bytes(self._given[path][1]).decode()


def files_of(contents: Mapping[str, Content]) -> Files:
    return Files(DictSnapshot(contents))


def facts_of(
    contents: Mapping[str, Content],
    *,
    commits: Sequence[Commit] = (),
    tags: Sequence[Tag] = (),
    is_complete: bool = True,
    hosting: Hosting | None = None,
    as_of: int = AS_OF,
) -> Facts:
    """What criteria are told of such a commit, by the readers that read real ones."""
    files = files_of(contents)
    found = pipelines.scan(files)
    history = History(tuple(commits), tuple(tags), is_complete)
    return Facts(files, projects.read(files, found), found, history, hosting, as_of)


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
