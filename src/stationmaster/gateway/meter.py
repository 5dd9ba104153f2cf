"""Reads an answer while it passes, within bounds: server-sent events frame by frame, JSON as a
whole. What it cannot read is counted in bytes alone.
"""

from __future__ import annotations

import time
import zlib

import msgspec

from stationmaster.gateway.headers import Fields, first
from stationmaster.gateway.routes import Api
from stationmaster.gateway.usage import Report

HELD_MAX = 8 * 2**20
"""Bytes of one frame, or of a whole answer, that are kept to be read."""
TOKENS_PER_SECOND = 100
"""How fast a model writes what is not shown."""
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class Meter:
    """Of one answer."""

    def __init__(self, api: Api, status: int, fields: Fields) -> None:
        self.report = Report(api)
        self.bytes_out = 0
        self.is_paid = 200 <= status < 300
        """Providers ask nothing for an error."""
        kind = (first(fields, b"content-type") or "").partition(";")[0].strip().lower()
        self.is_events = kind == "text/event-stream"
        encoding = (first(fields, b"content-encoding") or "identity").strip().lower()
        self._window = _WINDOWS.get(encoding)
        self._unpack = zlib.decompressobj(self._window) if self._window else None
        self._is_readable = self.is_paid and (encoding == "identity" or self._unpack is not None)
        self._kept = bytearray()
        self._skipping = False
        self.is_ended = False
        """The provider has completed its answer."""
        self._since = time.monotonic()

    @property
    def written(self) -> int:
        """Tokens that the model has written by now, at most: two bytes of text are one or less,
        and what it thinks is often not shown."""
        seconds = int(time.monotonic() - self._since)
        reported = self.report.usage.output or 0
        return max(self.report.text_bytes // 2, reported, seconds * TOKENS_PER_SECOND)

    @property
    def least_written(self) -> int:
        """Tokens that it has written at least."""
        size = self.report.text_bytes if self.is_events else self.bytes_out
        return max(-(-size // 4), self.report.usage.output or 0)

    @property
    def is_between_frames(self) -> bool:
        """Has no frame begun that has not ended?"""
        return not self._kept and not self._skipping

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes as they passed."""
        self.bytes_out += len(chunk)
        if not self._is_readable:
            return
        if self._unpack is None:
            self._read(chunk)
            return
        try:
            # What does not fit is left to count in bytes: an answer could be a bomb.
            plain = self._unpack.decompress(chunk, HELD_MAX)
            self._is_readable = not self._unpack.unconsumed_tail
        except zlib.error:
            self._is_readable = False
            return
        self._read(plain)

    def end(self, *, is_ended: bool) -> None:
        """The answer is complete, or was broken off."""
        self.is_ended = is_ended
        if self._is_readable and self._kept and not self._skipping:
            if self.is_events:
                self._line(bytes(self._kept))
            else:
                self._whole(bytes(self._kept))
        self._kept = bytearray()

    def _read(self, chunk: bytes) -> None:
        self._kept += chunk
        if self.is_events and b"\n" in chunk:
            lines = self._kept.split(b"\n")
            self._kept = lines.pop()
            if self._skipping:
                self._skipping = False
                del lines[0]
            for line in lines:
                self._line(bytes(line))
        if len(self._kept) > HELD_MAX:
            self._kept = bytearray()
            self._skipping = True
            self._is_readable = self.is_events

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self.report.take(line[5:].strip())

    def _whole(self, body: bytes) -> None:
        if body.lstrip()[:1] != b"[":
            self.report.take(body)
            return
        # A stream of Gemini without server-sent events is one array.
        try:
            parts = msgspec.json.decode(body, type=list[msgspec.Raw])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        for part in parts:
            self.report.take(bytes(part))
