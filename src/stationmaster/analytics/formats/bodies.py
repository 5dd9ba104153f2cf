"""Documents of one answer that are kept together, and sent in parts.

They are comma-joined, as an answer has them, and take a fifth of their size where they are large:
what is sent is unpacked a part at a time and copied no more than once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

PART_BYTES = 512 * 1024
"""How much of a large answer is unpacked at a time."""
_PLAIN_BYTES_MAX = 1024 * 1024
_CODEC = "lz4_raw"
"""Read as fast as bytes are copied."""


class Bodies:
    """The documents in their order; any may be empty."""

    def __init__(self, bodies: Sequence[bytes]) -> None:
        joined = b",".join(filter(None, bodies))
        self._lengths = [*map(len, bodies)]
        self.is_large = len(joined) > _PLAIN_BYTES_MAX
        """Is it to be sent in parts?"""
        self._parts: list[tuple[bytes, int | None]] = [(joined, None)]
        """Each with its length, where it is packed."""
        if self.is_large:
            view = memoryview(joined)
            starts = range(0, len(joined), PART_BYTES)
            self._parts = [_packed(view[start : start + PART_BYTES]) for start in starts]

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return sum(len(part) for part, _ in self._parts)

    def parts(self) -> Iterator[bytes]:
        """All documents but empty ones, comma-joined, cut anywhere."""
        for part, length in self._parts:
            yield part if length is None else pa.decompress(part, length, _CODEC, asbytes=True)

    def read(self) -> list[bytes]:
        """Each document."""
        joined = memoryview(b"".join(self.parts()))
        bodies: list[bytes] = []
        start = 0
        for length in self._lengths:
            bodies.append(bytes(joined[start : start + length]))
            # A comma follows, but after an empty one.
            start += length + 1 if length else 0
        return bodies


def parts_of(bodies: Sequence[bytes] | Bodies) -> Iterator[bytes]:
    """All documents but empty ones, comma-joined, cut anywhere."""
    if isinstance(bodies, Bodies):
        yield from bodies.parts()
    else:
        yield b",".join(filter(None, bodies))


def _packed(part: memoryview) -> tuple[bytes, int]:
    return pa.compress(part, _CODEC, asbytes=True), len(part)
