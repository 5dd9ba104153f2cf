"""Looks for files, whatever a person's folders contain: links, pipes, loops, what may not be read,
what disappears meanwhile.

A root itself may be a link, as some people keep their settings elsewhere. Below it no link is
followed, so that none leads around in a circle or into the rest of the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from hashlib import blake2b
from typing import NamedTuple

from stationmaster.agents.cards.home import Root

_DEPTH_MAX = 64
"""Folders below a root; Windows has links that look like folders."""
_ANY_DEPTH = "**"


class FolderFile(NamedTuple):
    """A plain file, and its look: what changes with it (size, times, identity)."""

    path: str
    size: int
    look: str


class Search:
    """The plain files below some roots, each real file once."""

    def __init__(self) -> None:
        self.unreadable: list[str] = []
        """Folders that may not be read."""
        self.is_whole = True
        """Is the content of the files in themselves alone?"""
        self.newest_ns = 0
        """When the last one was written, and when this began: nanoseconds since 1970."""
        self.began_ns = time.time_ns()
        self._looks: list[str] = []
        self._seen: set[tuple[int, int]] = set()

    def below(self, root: Root) -> Iterator[FolderFile]:
        """The files below a root that match its pattern, each real file once in a search."""
        *folders, name = root.pattern.split("/")
        waiting = [(root.folder, tuple(folders), 0)]
        while waiting:
            folder, parts, depth = waiting.pop()
            if parts and "*" not in parts[0]:
                waiting.append((os.path.join(folder, parts[0]), parts[1:], depth + 1))
                continue
            inner, files = self._entries(folder)
            if depth < _DEPTH_MAX:
                waiting += _next(folder, inner, parts, depth + 1)
            if not parts or parts == (_ANY_DEPTH,):
                for entry in files:
                    if fnmatchcase(entry.name, name):
                        self.is_whole = self.is_whole and root.is_whole
                        yield from self._file(entry)

    def digest(self) -> str:
        """Another one as soon as anything changed: a file, one more, one less, the log of a
        database."""
        return blake2b("\n".join(sorted(self._looks)).encode(errors="surrogatepass")).hexdigest()

    def _entries(self, folder: str) -> tuple[list[str], list[os.DirEntry[str]]]:
        """The names of folders, and the plain files, in a folder."""
        folders: list[str] = []
        files: list[os.DirEntry[str]] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        files.append(entry)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            self.unreadable.append(folder)
        return folders, files

    def _file(self, entry: os.DirEntry[str]) -> Iterator[FolderFile]:
        try:
            status = entry.stat(follow_symlinks=False)
            if not status.st_ino:
                # Windows reports the kind of a file only when asked for it by name.
                status = os.stat(entry.path, follow_symlinks=False)
        except OSError:
            return
        identity = status.st_dev, status.st_ino
        if identity not in self._seen:
            self._seen.add(identity)
            file = FolderFile(entry.path, status.st_size, _look(status))
            self._looks.append(f"{file.path}\0{file.look}")
            if file.path.endswith(".db"):
                self._looks.append(look_of(f"{file.path}-wal"))
            self.newest_ns = max(self.newest_ns, status.st_mtime_ns)
            yield file


def look_of(path: str) -> str:
    """What one file looks like; empty where there is none."""
    try:
        return _look(os.stat(path))
    except OSError:
        return ""


def _look(status: os.stat_result) -> str:
    return f"{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}.{status.st_ino}"


def changed_ms(look: str) -> int:
    """When a file with such a look was last written, in UTC milliseconds; 0 for no look."""
    parts = look.split(".")
    return int(parts[1]) // 1_000_000 if len(parts) == 4 else 0


def _next(
    folder: str, inner: list[str], parts: tuple[str, ...], depth: int
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Where to look on, in the folders of a folder."""
    if not parts:
        return
    rest = parts[1:]
    for name in inner:
        path = os.path.join(folder, name)
        if parts[0] != _ANY_DEPTH:
            if fnmatchcase(name, parts[0]):
                yield path, rest, depth
            continue
        yield path, parts, depth
        if rest and fnmatchcase(name, rest[0]):
            yield path, rest[1:], depth
