"""Messages in a stream of bytes: four bytes of length, then the content."""

from __future__ import annotations

from typing import IO

HEAD = 4


def encoded(content: bytes) -> bytes:
    """A message behind its length, which takes four bytes, the highest first."""
    return len(content).to_bytes(HEAD, "big") + content


def give(stream: IO[bytes], content: bytes) -> None:
    """Write a message and flush the stream. Raises OSError where the reader has ended."""
    stream.write(encoded(content))
    stream.flush()


def take(stream: IO[bytes]) -> bytes | None:
    """The next message; None where the stream ends."""
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return None
    size = int.from_bytes(head, "big")
    content = stream.read(size)
    return content if len(content) == size else None
