"""Reads an answer while it passes, within bounds: server-sent events frame by frame, JSON as a
whole. What it cannot read is counted in bytes alone.
"""

from __future__ import annotations

import json
import time
import zlib

from stationmaster.gateway.accounting.usage import UseReport
from stationmaster.gateway.headers import Fields, first
from stationmaster.gateway.routes import Api

HELD_MAX = 8 * 2**20
"""Bytes of one frame, or of a whole answer, that are kept to be read."""
TOKENS_PER_SECOND = 100
"""How fast a model writes what is not shown."""
_BETWEEN = b" \r\n\t,"
"""The separator of parts of an array."""
_TRIED_AGAIN = 64 * 1024
"""Bytes of one part from which on it is read again only after it has doubled."""
_json = json.JSONDecoder()
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class Meter:
    """Of one answer."""

    def __init__(self, api: Api, status: int, fields: Fields) -> None:
        self.report = UseReport(api)
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
        self._event = bytearray()
        """Data of an event that was no whole JSON: it may go on in further lines."""
        self._is_in_event = False
        self._has_parts = False
        """It is an array, and one of its parts was complete."""
        self._tried = 0
        """Bytes in which no whole part was found."""
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
        return not (self._kept or self._skipping or self._is_in_event)

    def after_last_part(self) -> int | None:
        """Of an array that is streamed (Gemini's without server-sent events), how many bytes
        arrived after its last whole part; None where there was no such part."""
        return len(self._kept.lstrip(_BETWEEN)) if self._has_parts and self._is_readable else None

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
        """The answer is complete, or was interrupted."""
        self.is_ended = is_ended
        if self._is_readable and (self._kept or self._event) and not self._skipping:
            if self.is_events:
                self._line(bytes(self._kept))
                self._line(b"")
            elif not self._has_parts:
                self.report.take(bytes(self._kept))
        self._kept = bytearray()

    def _read(self, chunk: bytes) -> None:
        if self.is_events and b"\r" in chunk:
            # Lines may end in any of three ways, and JSON has none of them in it.
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._kept += chunk
        if self.is_events and b"\n" in chunk:
            lines = self._kept.split(b"\n")
            self._kept = lines.pop()
            if self._skipping:
                self._skipping = False
                del lines[0]
            for line in lines:
                self._line(bytes(line))
        elif not self.is_events and (self._has_parts or self._kept.lstrip()[:1] == b"["):
            self._parts()
        if len(self._kept) > HELD_MAX:
            self._kept = bytearray()
            self._skipping = True
            self._is_readable = self.is_events

    def _line(self, line: bytes) -> None:
        self._is_in_event = bool(line)
        if not line:
            if self._event:
                self.report.take(bytes(self._event))
                self._event = bytearray()
        elif line.startswith(b"data:"):
            data = line[5:].strip()
            if self._event or not self.report.take(data):
                self._event += data if len(self._event) + len(data) <= HELD_MAX else b""

    def _parts(self) -> None:
        """Take the whole parts of an array that is streamed."""
        if len(self._kept) < max(2 * self._tried, self._tried and _TRIED_AGAIN):
            return
        text, at = self._kept.decode("latin-1"), 0
        while (start := text.find("{", at)) >= 0:
            try:
                _, end = _json.raw_decode(text, start)
            except (ValueError, RecursionError):
                break
            self.report.take(text[start:end].encode("latin-1"))
            self._has_parts, at = True, end
        del self._kept[:at]
        self._tried = len(self._kept) if len(self._kept) > _TRIED_AGAIN else 0
