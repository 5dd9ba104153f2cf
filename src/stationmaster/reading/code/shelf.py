"""The facts of the code of a commit, encoded on disk; those of a few files are in memory."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Collection, Iterator, Mapping

import msgspec

from stationmaster.reading.code.model import FileFacts, Status

_OPEN_MAX = 48 * 2**20
"""Encoded bytes of facts that stay decoded: some 200 MiB of memory. Which ones hardly matters to
questions that go through all files one after the other; the oldest would be the worst to drop."""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """The first members of FileFacts, which are read of every file."""

    status: Status
    lines: int
    language: str


class Shelf(Mapping[str, FileFacts]):
    """Facts by path; the paths are in their order once `sort` was called."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as the shelf is
        weakref.finalize(self, self._file.close)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._decoder = msgspec.msgpack.Decoder(FileFacts)
        self._decoded: dict[str, FileFacts] = {}
        self._size = 0

    def put(self, path: str, encoded: bytes) -> None:
        """Append the encoded FileFacts of a path."""
        self._file.write(encoded)
        self._places[path] = (self._end, len(encoded))
        self._end += len(encoded)

    def sort(self, without: Collection[str]) -> None:
        """Sort the paths and remove some."""
        self._places = {
            path: self._places[path] for path in sorted(self._places) if path not in without
        }

    def __getitem__(self, path: str) -> FileFacts:
        facts = self._decoded.get(path)
        if facts is None:
            facts = self._decoder.decode(self.encoded(path))
            size = self._places[path][1]
            if self._size + size <= _OPEN_MAX:
                self._size += size
                self._decoded[path] = facts
        return facts

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def encoded(self, path: str) -> bytes:
        """The facts of a file as MessagePack. Raises KeyError."""
        start, size = self._places[path]
        return os.pread(self._file.fileno(), size, start)
