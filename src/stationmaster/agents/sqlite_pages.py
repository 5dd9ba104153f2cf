"""The pages of an SQLite database that another program has open, as of its last commit.

The database and its write-ahead log are read as plain files: no lock is taken, nothing is written
or made, and the program is never held up. SQLite's own reader can promise none of that, because
readers of a log share an index that they write. Format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Self

MAGIC = b"SQLite format 3\0"

_HEADER_BYTES = 100
_LOG_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">6I")
_LOG_MAGIC = 0x377F0682
"""The lowest bit of a log's number says in which order its checksums take bytes."""
_SIZES = frozenset(2**power for power in range(9, 17))
_WORD = 2**32 - 1
_PAGES_KEPT = 256


class Damaged(ValueError):
    """The file is no database, or its pages do not fit together."""


class Snapshot:
    """The pages as of the last commit when it was made. Raises OSError and Damaged.

    A program that copies its log back while this is read changes pages under it. Whoever reads
    has to ask `is_intact` afterwards, and to begin again where it says no.
    """

    def __init__(self, path: str) -> None:
        self._open: list[int] = []
        self._frames: dict[int, int] = {}
        self._kept: dict[int, bytes] = {}
        self._log: int | None = None
        self._log_header = b""
        try:
            self._main = self._opened(path)
            # Before the log is looked at: what is copied back from now on is noticed.
            self._written = _written(self._main)
            self.page_size, self.page_count = 0, 0
            self._read_header()
            self._read_log(path)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()

    def page(self, number: int) -> bytes:
        """A page by its number, from 1. Raises Damaged for one that there is not."""
        page = self._kept.get(number)
        if page is None:
            page = self._read(number)
            if len(page) != self.page_size:
                raise Damaged("a page lies beyond the end of the file")
            if len(self._kept) >= _PAGES_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = page
        return page

    def is_intact(self) -> bool:
        """Are all pages that were read until now of one commit?"""
        if _written(self._main) != self._written:
            return False
        return self._log is None or os.pread(self._log, _LOG_HEADER.size, 0) == self._log_header

    def _opened(self, path: str) -> int:
        descriptor = os.open(path, os.O_RDONLY)
        self._open.append(descriptor)
        return descriptor

    def _read(self, number: int) -> bytes:
        if not 1 <= number <= self.page_count:
            return b""
        place = self._frames.get(number)
        if place is not None and self._log is not None:
            return os.pread(self._log, self.page_size, place)
        return os.pread(self._main, self.page_size, (number - 1) * self.page_size)

    def _read_header(self) -> None:
        header = os.pread(self._main, _HEADER_BYTES, 0)
        if not header:
            # A new database may be in its log alone.
            return
        if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
            raise Damaged("no SQLite database")
        size = int.from_bytes(header[16:18])
        self.page_size = 65_536 if size == 1 else size
        if self.page_size not in _SIZES:
            raise Damaged("a page size that cannot be")
        self.page_count = -(-os.fstat(self._main).st_size // self.page_size)

    def _read_log(self, path: str) -> None:
        try:
            self._log = self._opened(f"{path}-wal")
        except FileNotFoundError:
            return
        self._log_header = header = os.pread(self._log, _LOG_HEADER.size, 0)
        if len(header) < _LOG_HEADER.size:
            return
        magic, _, size, _, *salt, first, second = _LOG_HEADER.unpack(header)
        if magic & ~1 != _LOG_MAGIC or size not in _SIZES or self.page_size not in (0, size):
            return
        check = _checker(">" if magic & 1 else "<")
        sums = (first, second)
        if check((0, 0), header[:24]) == sums:
            self.page_size = size
            self._read_frames(self._log, tuple(salt), sums, check)

    def _read_frames(
        self, log: int, salt: tuple[int, ...], sums: tuple[int, int], check: _Check
    ) -> None:
        """Note where the newest committed copy of each page is in the log."""
        uncommitted: dict[int, int] = {}
        place = _LOG_HEADER.size
        while True:
            header = os.pread(log, _FRAME_HEADER.size, place)
            if len(header) < _FRAME_HEADER.size:
                return
            number, total, first, second, *given = _FRAME_HEADER.unpack(header)
            # Frames of an earlier round of the log lie behind those of this one.
            if (first, second) != salt or number == 0:
                return
            uncommitted[number] = place + _FRAME_HEADER.size
            if total:
                page = os.pread(log, self.page_size, place + _FRAME_HEADER.size)
                if len(page) < self.page_size or check(sums, header[:8] + page) != tuple(given):
                    return
                self._frames.update(uncommitted)
                self.page_count = total
                uncommitted.clear()
            sums = (given[0], given[1])
            place += _FRAME_HEADER.size + self.page_size


_Check = Callable[[tuple[int, int], bytes], tuple[int, int]]


def _checker(order: str) -> _Check:
    """The running checksum of a log whose words have that order of bytes."""

    def check(sums: tuple[int, int], data: bytes) -> tuple[int, int]:
        first, second = sums
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        for index in range(0, len(words), 2):
            first = (first + words[index] + second) & _WORD
            second = (second + words[index + 1] + first) & _WORD
        return first, second

    return check


def _written(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns
