"""The process that parses: it answers each request on its standard output, and ends with its input.

A frame is four bytes of length and MessagePack: `[language, data]` in, facts of a file out.
"""

from __future__ import annotations

import resource
import sys
from typing import IO

import msgspec

MEMORY_MAX = 2 * 2**30
_DECODER = msgspec.msgpack.Decoder(tuple[str, bytes])


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from stationmaster.code import reading

    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while (frame := take(asked)) is not None:
        language, data = _DECODER.decode(frame)
        give(answers, msgspec.msgpack.encode(reading.read(language, data)))


def give(stream: IO[bytes], content: bytes) -> None:
    stream.write(len(content).to_bytes(4, "big") + content)
    stream.flush()


def take(stream: IO[bytes]) -> bytes | None:
    """The next frame; None where the stream ends."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    content = stream.read(size)
    return content if len(content) == size else None


if __name__ == "__main__":
    main()
